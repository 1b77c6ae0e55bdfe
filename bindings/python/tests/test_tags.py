"""Tags of BAM as columns, beside those of pysam."""

from __future__ import annotations

import array
import pathlib
import pickle
import random
from typing import Any

import polars as pl
import pyarrow as pa
import pysam
import pytest
import thalweg
import thalweg.polars

FLAGS = [4, 77, 141, 4 | 512]
NAMES = ["RX", "CO", "NM", "ch", "qs", "de", "XA", "ML", "fl", "zz"]


def tags(chance: random.Random) -> list[tuple[str, Any, str]]:
    """Some of each type, in any order, now and then left out."""
    letters = "".join(chance.choices("ACGT", k=chance.choice([0, 1, 8, 40])))
    numbers = [chance.randrange(256) for _ in range(chance.choice([0, 1, 5, 300]))]
    all_of_them: list[tuple[str, Any, str]] = [
        ("RX", letters, "Z"),
        ("CO", "gr\u00fcn \t:\u20ac", "Z"),
        ("NM", chance.choice([0, 3, -1, -129, 300, 70000]), "i"),
        ("ch", chance.choice([1, 255, 2**31]), "I"),
        ("qs", chance.choice([0.0, -1.5, 13.25, 0.1, 1e-9]), "f"),
        ("de", chance.random() * 1e9, "d"),
        ("XA", chance.choice("aZ~"), "A"),
        ("ML", array.array("B", numbers), "B"),
        ("fl", array.array("f", [1.5, -0.25]), "B"),
    ]
    chance.shuffle(all_of_them)
    return all_of_them[: chance.randrange(len(all_of_them) + 1)]


@pytest.fixture(scope="module")
def bam(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """30,000 unaligned reads, and some that are no reads of their own."""
    path = tmp_path_factory.mktemp("tags") / "reads.bam"
    chance = random.Random(5)
    with pysam.AlignmentFile(str(path), "wb", header={"HD": {"VN": "1.6", "SO": "unknown"}}) as file:
        for number in range(30_000):
            read = pysam.AlignedSegment(file.header)
            read.query_name = f"read{number}"
            read.flag = chance.choice(FLAGS) | (256 if number % 1000 == 7 else 0)
            length = chance.choice([1, 35, 100])
            read.query_sequence = "".join(chance.choices("ACGTN", k=length))
            read.query_qualities = array.array("B", chance.choices(range(60), k=length))
            for name, value, kind in tags(chance):
                # pysam takes no type with arrays: they have one.
                read.set_tag(name, value, None if kind == "B" else kind)  # type: ignore[arg-type]
            file.write(read)
    return path


def of_pysam(path: pathlib.Path) -> list[tuple[str, dict[str, Any], dict[str, str]]]:
    """Names as in FASTQ, values, and texts of SAM."""
    found = []
    with pysam.AlignmentFile(str(path), check_sq=False) as file:
        for read in file:
            if read.is_secondary:
                continue
            fields = [field.split(":", 2) for field in read.to_string().split("\t")[11:]]
            # A text with a tab is cut there.
            texts = {field[0]: field[2] for field in fields if len(field) == 3 and field[0] != "CO"}
            # One by one: all at once, pysam 0.24 does not get over some that it has written.
            values = {name: read.get_tag(name) for name in NAMES if read.has_tag(name)}
            mate = "/1" if read.is_read1 else "/2" if read.is_read2 else ""
            found.append((f"{read.query_name}{mate}", values, texts))
    return found


COLUMNS = ["name", *(f"tag:{name}" for name in NAMES), "tag:ch:i", "tag:NM:f", "tag:NM:Z", "tag:qs:f", "tag:de:f", "length"]


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("records", [None, 777])
def test_tags_are_those_of_pysam(bam: pathlib.Path, threads: int, records: int | None) -> None:
    expected = of_pysam(bam)
    selection = thalweg.open(bam, threads=threads).select(COLUMNS, records=records)
    table = pa.table(selection)
    table.validate(full=True)
    assert table.schema.names == COLUMNS == selection.columns
    assert [str(kind) for kind in table.schema.types] == [{"utf8": "string", "float64": "double"}.get(kind, kind) for kind in selection.types]
    rows = table.to_pydict()
    assert rows["name"] == [name for name, _, _ in expected]
    for name in ("RX", "ch", "qs", "de", "XA", "ML", "fl", "zz"):
        assert rows[f"tag:{name}"] == [texts.get(name) for _, _, texts in expected], name
    assert rows["tag:NM:Z"] == [texts.get("NM") for _, _, texts in expected]
    for column, name in [("tag:CO", "CO"), ("tag:NM", "NM"), ("tag:NM:f", "NM"), ("tag:ch:i", "ch"), ("tag:qs:f", "qs"), ("tag:de:f", "de")]:
        assert rows[column] == [values.get(name) for _, values, _ in expected], column
    assert table["tag:zz"].null_count == len(expected) and 0 < table["tag:RX"].null_count < len(expected)
    assert pa.table(pickle.loads(pickle.dumps(selection))).equals(table)


def test_mates_of_one_file_have_their_own(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "pairs.bam"
    with pysam.AlignmentFile(str(path), "wb", header={"HD": {"VN": "1.6"}}) as file:
        for number in range(5000):
            # Every second pair stands the other way round.
            for flag in (77, 141) if number % 2 else (141, 77):
                read = pysam.AlignedSegment(file.header)
                read.query_name, read.flag, read.query_sequence = f"pair{number}", flag, "ACGT"
                read.set_tag("RX", f"{number}.{flag}")
                file.write(read)
    mates = thalweg.open(path, interleaved=True)
    table = pa.table(mates.select(["mate", "tag:RX"]))
    assert table["tag:RX"].to_pylist() == [f"{number}.{flag}" for number in range(5000) for flag in (77, 141)]


def test_bam_without_its_last_block_is_truncated(bam: pathlib.Path, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "truncated.bam"
    path.write_bytes(bam.read_bytes()[:-28])
    with pytest.raises(thalweg.DataError, match="end-of-file block"):
        list(thalweg.open(path))
    accepted = thalweg.open(path, check_end=False)
    names = [read.name for read in thalweg.open(bam)]
    assert [read.name for read in accepted] == names
    assert [read.name for read in pickle.loads(pickle.dumps(accepted))] == names


def test_lazy_frames_have_them_when_asked(bam: pathlib.Path) -> None:
    expected = of_pysam(bam)
    frame = thalweg.polars.scan(bam, tags=["tag:RX", "tag:NM", "tag:qs:f"])
    assert frame.collect_schema()["tag:NM"] == pl.Int64()
    found = frame.filter(pl.col("tag:NM") > 2).select("name", "tag:qs:f").collect()
    assert found.rows() == [(name, values.get("qs")) for name, values, _ in expected if values.get("NM", 0) > 2]
    assert frame.select(pl.len()).collect().item() == len(expected)
    with pytest.raises(ValueError, match="'tags'.*: name, gc$"):
        thalweg.polars.scan(bam, tags=["tag:RX", "name", "tag:NM", "gc"])


def test_what_is_no_column_of_a_tag(bam: pathlib.Path, reads_gz: pathlib.Path) -> None:
    reads = thalweg.open(bam)
    for column in ("tag:", "tag:R", "tag:RXX", "tag:RX:", "tag:RX:B", "tag:1X", "tag:R-", "tag:R\u00fc", "RX"):
        with pytest.raises(ValueError, match="columns.*tag:XX, tag:XX:i, tag:XX:f, tag:XX:Z"):
            reads.select([column])
    with pytest.raises(thalweg.UsageError, match="no whole number") as caught:
        list(reads.select(["tag:RX:i"]).tables())
    assert caught.value.path == str(bam) and "read 'read" in str(caught.value)
    assert caught.value.hint is not None and "tag:XX:Z" in caught.value.hint
    with pytest.raises(thalweg.UsageError, match="no number"):
        list(reads.select(["tag:ML:f"]).tables())
    with pytest.raises(thalweg.UsageError, match="reads.fastq.gz.*no tags"):
        list(thalweg.open(reads_gz).select(["tag:RX"]).tables())

"""Examples, as a user runs them."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest
import thalweg
from conftest import ROOT

EXAMPLES = pathlib.Path(__file__).resolve().parents[1] / "examples"


def test_look_plots_qualities_and_spectra(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("matplotlib")
    from matplotlib import image

    path = ROOT / "data" / "nanopore.fq.gz"
    environment = os.environ | {"MPLBACKEND": "Agg", "MPLCONFIGDIR": str(tmp_path / "matplotlib")}
    place = tmp_path / "place"
    place.mkdir()
    command = [sys.executable, EXAMPLES / "look.py", path, "look.png"]
    done = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    reads = thalweg.open(path)
    lines = done.stdout.splitlines()
    assert lines[0].startswith(f"{reads.count()} reads, {sum(len(read) for read in reads)} bases; ")
    assert lines[-1] == "written: look.png"
    # Four plots, none of which is empty.
    picture = image.imread(place / "look.png")[..., :3]
    height, width = picture.shape[0] // 2, picture.shape[1] // 2
    for row in (0, height):
        for column in (0, width):
            part = picture[row : row + height, column : column + width]
            assert 0.01 < (part < 0.95).any(axis=2).mean() < 0.9
    # And nothing else is written.
    assert os.listdir(place) == ["look.png"]

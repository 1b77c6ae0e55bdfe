"""The uncompressed bytes of a file as a file object."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING

from ._thalweg import ByteStream

if TYPE_CHECKING:
    from typing import Literal

    from typing_extensions import Buffer

#: Bytes that a file object reads at a time: several batches, so that threads of the interpreter seldom change.
_BUFFER = 1 << 20


class RawFile(io.RawIOBase):
    """The uncompressed bytes of a file, decoded by threads of their own while it is open. It can only be read on."""

    def __init__(self, stream: ByteStream, name: str) -> None:
        self._stream = stream
        self.name = name

    def readinto(self, buffer: Buffer, /) -> int:
        """Fill `buffer` with the next bytes.

        Returns
        -------
        int
            How many it got: 0 at the end of the file only.
        """
        if self.closed:
            raise ValueError("I/O operation on closed file")
        view = memoryview(buffer).cast("B")
        data = self._stream.read(len(view))
        view[: len(data)] = data
        return len(data)

    def readable(self) -> bool:
        """Whether it can be read: it can."""
        return True

    def close(self) -> None:
        """Stop the threads, and let go of the file."""
        if not self.closed:
            self._stream.close()
        super().close()


def open_raw(
    path: str | os.PathLike[str],
    *,
    threads: int = 0,
    index: Literal["auto", "never", "require"] = "auto",
    buffering: int = _BUFFER,
) -> io.BufferedReader:
    """Open the uncompressed bytes of a file, for any library that takes a file object.

    Parameters
    ----------
    path : str or os.PathLike
        Plain, or compressed with gzip, BGZF, zstd, bzip2 or xz; what is in it need not be reads.
    threads : int, default 0
        How many threads decode; 0 for as many as there are cores.
    index : {'auto', 'never', 'require'}
        What to do about the index beside a gzip file.
    buffering : int
        Bytes that are decoded at a time.

    Returns
    -------
    io.BufferedReader
        For text, put an `io.TextIOWrapper` around it. Its ``raw`` is a `RawFile`.

    Raises
    ------
    OSError
        If the file cannot be opened.
    Error
        If it is damaged: in ``read``, at its place.

    Examples
    --------
    >>> with thalweg.open_raw("reads.fastq.gz") as file:  # doctest: +SKIP
    ...     first = file.readline()
    """
    stream = ByteStream(path, threads=threads, index=index)
    return io.BufferedReader(RawFile(stream, os.fspath(path)), buffering)

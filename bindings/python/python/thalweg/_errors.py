"""What can go wrong: `Error` and its kinds. What the system refuses is an `OSError`, as everywhere."""

from __future__ import annotations


class Error(Exception):
    """Reads could not be read, or a job not be done.

    Attributes
    ----------
    kind : str
        What happened, as a word that does not change.
    path : str or None
        The file, as it was named.
    record : int or None
        The rank of the record in it, counted from 0.
    offset : int or None
        The byte of the file as it lies on disk.
    text_offset : int or None
        The byte of the uncompressed data.
    hint : str or None
        What to do about it; tracebacks show it, too.
    """

    kind: str
    path: str | None
    record: int | None
    offset: int | None
    text_offset: int | None
    hint: str | None

    def __init__(
        self,
        message: str,
        *,
        kind: str = "",
        path: str | None = None,
        record: int | None = None,
        offset: int | None = None,
        text_offset: int | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.path = path
        self.record = record
        self.offset = offset
        self.text_offset = text_offset
        self.hint = hint
        if hint:
            self.add_note(f"hint: {hint}")

    def __reduce__(self) -> tuple[object, ...]:
        # All but the message are attributes, notes among them: so it comes whole from other processes.
        return type(self), self.args, self.__dict__.copy()


class DataError(Error):
    """The data are at fault: malformed, damaged, cut off, or changed meanwhile."""


class MatesError(DataError):
    """Files that are read in step do not belong together: other names, or other numbers of records."""


class IndexFileError(Error):
    """The index of a file is missing, damaged, or of another file."""


class UsageError(Error, ValueError):
    """What was asked for makes no sense, or cannot be done with this file."""

"""Writes down every file that a step opens. Put on Python's path as `sitecustomize`."""

import os
import sys

_log = os.open(os.environ["OPENED_FILES"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


def _note(event: str, arguments: tuple[object, ...]) -> None:
    if event == "open" and isinstance(arguments[0], str | bytes | os.PathLike):
        path, _, flags = arguments
        kind = "w" if isinstance(flags, int) and flags & WRITING else "r"
        os.write(_log, f"{os.getpid()}\t{kind}\t{os.fsdecode(path)}\n".encode())  # type: ignore[arg-type]


sys.addaudithook(_note)

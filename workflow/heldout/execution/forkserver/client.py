"""A step's side: ``python -S client.py FOLDER LOG [BATCHES]``, the spec as text on standard input.

Every job pays for its start, so it is a script that imports next to nothing (`socket` alone takes as
long as Python itself). Without a server it becomes ``python -P -m heldout.execution.steps.run``.
"""

import _socket
import os
import sys

ADDRESS = "HELDOUT_FORKSERVER"
"""The environment variable with the socket's name; set to nothing beforehand, every step runs alone."""
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""Snakemake gives these to a job; the libraries read them when they are imported, so once."""
LENGTH = 8
"""A request begins with its length in so many bytes; its parts are separated by zero bytes."""


def user_of(connection: _socket.socket) -> int:
    """The user at the other end: the second of process, user and group."""
    peer = connection.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)
    return int.from_bytes(peer[4:8], sys.byteorder)


def connect() -> _socket.socket | None:
    """A connection to the server, if there is one that this step can use."""
    address = os.environ.get(ADDRESS)
    if not address or any(os.environ.get(name, "1") != "1" for name in ONE_THREAD):
        return None
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        connection.connect(f"\0{address}")
    except OSError:
        return None
    return connection if user_of(connection) == os.getuid() else None


def ask(connection: _socket.socket, arguments: list[str], spec: str) -> int | None:
    """Let a child of the server run the step; its exit code, or None if nobody heard the request."""
    environment = [f"{name}={value}" for name, value in os.environ.items()]
    parts = [spec, os.getcwd(), str(len(arguments)), *arguments, *environment]  # noqa: PTH109
    body = os.fsencode("\0".join(parts))
    outputs = b"".join(output.to_bytes(4, sys.byteorder) for output in (1, 2))
    rights = (_socket.SOL_SOCKET, _socket.SCM_RIGHTS, outputs)
    try:
        connection.sendmsg([len(body).to_bytes(LENGTH)], [rights])
        connection.sendall(body)
        answer = connection.recv(1)
    except OSError:  # the other end was closed before it had read everything
        return None
    if answer:
        return answer[0]
    print("heldout: the process of this step was killed; out of memory?", file=sys.stderr)
    return 1


def main() -> None:
    """Ask the server; without one, go on as a process that runs the step itself."""
    connection = connect()
    if connection is not None:
        spec = sys.stdin.read()
        code = ask(connection, sys.argv[1:], spec)
        if code is not None:
            sys.exit(code)
        _put_back(spec)
    alone = [sys.executable, "-P", "-m", "heldout.execution.steps.run"]  # -P: no user's random.py
    os.execv(sys.executable, [*alone, *sys.argv[1:]])


def _put_back(spec: str) -> None:
    """Let standard input be as if it had not been read."""
    again = os.memfd_create("spec")
    os.write(again, spec.encode())
    os.lseek(again, 0, os.SEEK_SET)
    os.dup2(again, 0)


if __name__ == "__main__":
    main()

"""A step's side. It imports next to nothing: every job pays for it."""

import os
import socket
import sys

ADDRESS = "HELDOUT_WARM"
"""The environment variable with the socket's name; set to nothing beforehand, every step runs alone."""
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""Snakemake gives these to a job; the libraries read them when they are imported, so once."""
ARGUMENTS = 2
"""A step has a folder and a log."""
LENGTH = 8
"""A request begins with its length in so many bytes; its parts are separated by zero bytes."""


def user_of(connection: socket.socket) -> int:
    """The user at the other end: the second of process, user and group."""
    peer = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    return int.from_bytes(peer[4:8], sys.byteorder)


def ask(arguments: list[str], spec: str) -> int | None:
    """Let a child of the warm process run a step; its exit code, or None if there is no such process."""
    address = os.environ.get(ADDRESS)
    if not address or any(os.environ.get(name, "1") != "1" for name in ONE_THREAD):
        return None
    environment = [f"{name}={value}" for name, value in os.environ.items()]
    parts = [spec, os.getcwd(), *arguments, *environment]  # noqa: PTH109
    body = os.fsencode("\0".join(parts))
    with socket.socket(socket.AF_UNIX) as connection:
        try:
            connection.connect(f"\0{address}")
            if user_of(connection) != os.getuid():
                return None
            socket.send_fds(connection, [len(body).to_bytes(LENGTH)], [1, 2])
            connection.sendall(body)
        except OSError:
            return None
        try:
            answer = connection.recv(1)
        except ConnectionError:
            answer = b""
    if answer:
        return answer[0]
    print("heldout: the process of this step was killed; out of memory?", file=sys.stderr)
    return 1

"""A step's side.

Every job pays for its start, so this imports next to nothing (`socket` alone takes as
long as Python itself). It asks the server for a process that runs the step, or starts one itself, and
waits for it. If Snakemake ends meanwhile, however it ends, it ends that process.

The server may be stopped or very slow at any moment. So a step waits a few seconds for a sign, then it
runs by itself. Both can never happen: there is one claim for each step, a byte in a pipe, and only who
has read it runs the step.
"""

import _signal  # type: ignore[import-not-found]
import _socket
import os
import select
import sys

ADDRESS = "HELDOUT_FORKSERVER"
"""The environment variable with the socket's name; set to nothing beforehand, every step runs alone."""
SNAKEMAKE = "HELDOUT_SNAKEMAKE"
"""The environment variable that says which process a step ends with; without it, with none."""
LIFELINE = "HELDOUT_LIFELINE"
"""The environment variable with the pipe whose end tells a process that runs alone to end."""
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""Snakemake gives these to a job; the libraries read them when they are imported, so once."""
GRANTED = "HELDOUT_THREADS"
"""The environment variable that says how many cores a job may use (`learners.threads`)."""
PATIENCE = 5.0
"""Seconds without any sign of the server after which a step runs alone."""
WAITING, STARTED, ENDED = b"w", b"s", b"e"
"""What the server says: the request waits; its process has begun (and its number); its exit code."""
KILLED = "heldout: the process of this step was killed; out of memory?"


def process_name(pid: int) -> str:
    """A name that no other process has, before or after, here or elsewhere."""
    with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123
        started = int(file.read().rpartition(b")")[2].split()[19])
    return f"{_here()} {pid} {started}"


def _here() -> str:
    """This machine since its last start, and which processes can be seen."""
    with open("/proc/sys/kernel/random/boot_id") as file:  # noqa: PTH123
        return f"{file.read().strip()} {os.readlink('/proc/self/ns/pid')}"  # noqa: PTH115


def watch() -> int | None:
    """A descriptor that can be read when Snakemake has ended; None if there is none to watch."""
    try:
        where, pid, _ = os.environ[SNAKEMAKE].rsplit(" ", 2)
        if where != _here():
            return None  # another machine, or a container with processes of its own
    except (KeyError, ValueError, OSError):
        return None
    try:
        descriptor = os.pidfd_open(int(pid))
        if process_name(int(pid)) == os.environ[SNAKEMAKE]:
            return descriptor
    except (ProcessLookupError, FileNotFoundError):
        pass
    except (OSError, AttributeError):  # an old system, which has no such descriptors
        return None
    sys.exit(1)  # Snakemake has ended already


def user_of(connection: _socket.socket) -> int:
    """The user at the other end: the second of process, user and group."""
    peer = connection.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)
    return int.from_bytes(peer[4:8], sys.byteorder)


def connect() -> _socket.socket | None:
    """A connection to the server, if there is one that this step can use."""
    address = os.environ.get(ADDRESS)
    if not address:
        return None
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
    connection.settimeout(PATIENCE)  # too many wait for a server that does not answer
    try:
        connection.connect(f"\0{address}")
    except OSError:
        return None
    return connection if user_of(connection) == os.getuid() else None


def ask(connection: _socket.socket, arguments: list[str], snakemake: int | None) -> int | None:
    """Let a child of the server run the step; its exit code, or None if this process has the claim."""
    claim, filled = os.pipe()
    os.write(filled, b"!")
    os.close(filled)  # so whoever comes second reads nothing, and does not wait
    try:
        _send(connection, arguments, claim)
        return _await(connection, claim, snakemake)
    finally:
        connection.close()
        os.close(claim)


def _send(connection: _socket.socket, arguments: list[str], claim: int) -> None:
    """One message: who listens has the whole request or nothing."""
    environment = [f"{name}={value}" for name, value in os.environ.items()]
    parts = [os.getcwd(), str(len(arguments)), *arguments, *environment]  # noqa: PTH109
    request = os.memfd_create("request")
    try:
        with open(request, "wb", closefd=False) as file:
            file.write(os.fsencode("\0".join(parts)))
        passed = b"".join(one.to_bytes(4, sys.byteorder) for one in (1, 2, claim, request))
        connection.sendmsg([WAITING], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, passed)])
    except OSError:
        pass  # nobody has heard it, as the claim will show
    finally:
        os.close(request)


def _await(connection: _socket.socket, claim: int, snakemake: int | None) -> int | None:
    child, patience = 0, PATIENCE
    while True:
        ready = _ready([connection.fileno(), snakemake], patience)
        if snakemake in ready:
            os.read(claim, 1)
            return _end(child)
        message = _receive(connection) if ready else b""
        if message[:1] == ENDED:
            return message[1]
        if message[:1] == STARTED:
            child, patience = int.from_bytes(message[1:], sys.byteorder), -1.0
        elif not message:
            if os.read(claim, 1):
                return None
            if ready:  # the child had begun, and is no more
                return _killed()
            patience = -1.0


def _receive(connection: _socket.socket) -> bytes:
    try:
        return connection.recv(16)
    except OSError:
        return b""


def _ready(descriptors: list[int | None], patience: float) -> list[int]:
    """Which can be read, or have come to an end; none if it takes too long."""
    poll = select.poll()
    for one in descriptors:
        if one is not None:
            poll.register(one, select.POLLIN)
    return [one for one, _ in poll.poll(patience * 1000)]


def _end(group: int) -> int:
    """End a step and all that it has started, even if it is stopped."""
    if group:
        try:
            os.killpg(group, _signal.SIGTERM)
            os.killpg(group, _signal.SIGCONT)
        except OSError:
            pass
    return 1


def _killed() -> int:
    """Say so in the log, which is what Snakemake shows."""
    import json

    try:
        with open(sys.argv[1]) as file:  # noqa: PTH123
            log = json.load(file)["log"]
        with open(log, "a") as file:  # noqa: PTH123
            print(KILLED, file=file)
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        print(KILLED, file=sys.stderr)
    return 1


def run_alone(arguments: list[str], snakemake: int | None) -> int:
    """Run the step in a process of its own: this one, if nobody has to be watched."""
    command = [sys.executable, "-P", "-m", "heldout.execution.steps.run", *arguments]
    if snakemake is None:
        os.execv(sys.executable, command)
    end, kept = os.pipe()
    child = os.fork()
    if child == 0:
        os.setsid()  # its own children are in its group, and end with it
        os.set_inheritable(end, True)
        os.environ[LIFELINE] = str(end)
        os.execv(sys.executable, command)
    os.close(end)
    if snakemake in _ready([os.pidfd_open(child), snakemake], -1):
        return _end(child)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.close(kept)
    return code if code >= 0 else _killed()


def _one_thread() -> None:
    """Sums of numpy and scipy do not depend on how many cores a job has; learners that may use them are told."""
    granted = os.environ.get("OMP_NUM_THREADS", "1")
    if granted.isdigit() and int(granted) > 1:
        os.environ.setdefault(GRANTED, granted)
    os.environ.update(ONE_THREAD)


def main() -> None:
    """Ask the server; without one, or if it does not answer, let the step run alone."""
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
    _one_thread()
    snakemake, arguments = watch(), sys.argv[1:]
    connection = connect()
    code = ask(connection, arguments, snakemake) if connection else None
    sys.exit(run_alone(arguments, snakemake) if code is None else code)

"""
The server's half of `sp-run`: starts candidate code as its own uid for a grader who asks over a socket.

Each request gets a keeper: a child of the server, of the server's uid, which adopts every orphan of what it starts,
so that nothing the candidate does (sessions, double forks, a cleared environment) leads out of its tree. The keeper
ends the whole tree when the command has ended, when its time is over and when `sp-run` itself is gone.

Over the socket, with descriptors 0, 1 and 2 of `sp-run` beside the first byte: u32 length | JSON {command, timeoutSeconds,
cwd, env, dataBytes}; back: JSON {"code", "stopped"} and the end of the stream.
"""
import json
import os
import resource
import select
import signal
import socket
import struct
import time

import circumstances
import processes
import traps
from processes import CANDIDATE, GRADER

ADDRESS = "\0skillproof/sp-run"
REQUEST_SECONDS = 10
TIDY_SECONDS = 20


def listen():
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(ADDRESS)
    listener.listen(64)
    listener.setblocking(False)
    return listener


def accept(listener, guarded, changed):
    """`guarded`: inodes of pipes that candidate code must not write to. `changed`: circumstances, or None."""
    try:
        connection, _ = listener.accept()
    except BlockingIOError:
        return
    try:
        _, uid, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        if uid == GRADER.uid and os.fork() == 0:
            keep_and_exit(connection, guarded, changed)
    except OSError:
        pass  # no process to be had: `sp-run` sees the socket close and says so
    finally:
        connection.close()


def keep_and_exit(connection, guarded, changed):
    try:
        os.dup2(os.open("/dev/null", os.O_RDWR), 0)
        os.dup2(0, 1)
        os.dup2(0, 2)
        os.dup2(connection.fileno(), 3)
        connection.detach()
        processes.close_others()
        keep(socket.socket(fileno=3), guarded, changed)
    finally:
        os._exit(0)


def keep(connection, guarded, changed):
    connection.settimeout(REQUEST_SECONDS)
    request, streams = receive(connection)
    wake = processes.watch_children()
    processes.adopt_orphans()
    pid = os.fork()
    if pid == 0:
        execute(request, guard(streams, guarded), changed)
    for fd in streams:
        os.close(fd)
    code, stopped = wait(connection, wake, pid, time.monotonic() + request["timeoutSeconds"])
    end_tree(wake)
    tidy()
    connection.sendall(json.dumps({"code": code, "stopped": stopped}).encode())


def receive(connection):
    data, ancillary, _, _ = connection.recvmsg(1 << 16, socket.CMSG_SPACE(3 * 4), socket.MSG_CMSG_CLOEXEC)
    streams = []
    for level, kind, content in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            streams += struct.unpack("%di" % (len(content) // 4), content)
    (length,) = struct.unpack(">I", data[:4])
    data = data[4:]
    while len(data) < length:
        more = connection.recv(1 << 16)
        if not more:
            raise EOFError("sp-run went away")
        data += more
    return json.loads(data), streams


def guard(streams, guarded):
    """
    The grader's own stdout carries its questions and descriptor 3 its assertions: candidate code that was started
    without redirection must not write there, so its stdout goes to stderr.
    """
    stdin, stdout, stderr = streams
    if os.fstat(stderr).st_ino in guarded:
        stderr = os.open("/dev/null", os.O_WRONLY)
    return [stdin, stderr if os.fstat(stdout).st_ino in guarded else stdout, stderr]


def execute(request, streams, changed):
    code = 126
    try:
        os.setsid()
        processes.lay_descriptors([*streams, None])
        laid = circumstances.enter(changed)
        processes.become(CANDIDATE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024))
        if request["dataBytes"] is not None:
            resource.setrlimit(resource.RLIMIT_DATA, (request["dataBytes"], request["dataBytes"]))
        env = {**processes.environment(CANDIDATE), **laid, **request["env"]}
        os.chdir(request["cwd"])
        os.execvpe(request["command"][0], request["command"], env)
    except FileNotFoundError as error:
        code = 127
        say(error)
    except BaseException as error:
        say(error)
    finally:
        os._exit(code)


def say(error):
    try:
        os.write(2, ("sp-run: cannot start the command: %s\n" % error).encode())
    except OSError:
        pass  # its stderr is closed: the exit code says it


def wait(connection, wake, pid, deadline):
    """
    The command's exit code or 128 + signal, and whether time stopped it (124). When `sp-run` itself is gone nobody
    reads what we return.
    """
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    poll.register(wake, select.POLLIN)
    while True:
        status = processes.reap().get(pid)
        if status is not None:
            return (os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)), False
        left = deadline - time.monotonic()
        if left <= 0:
            return 124, True
        for fd, _ in poll.poll(left * 1000 + 1):
            if fd != wake:
                return 128 + signal.SIGKILL, False
            processes.clear(wake)


def end_tree(wake):
    for _ in range(1000):
        below = processes.descendants(os.getpid())
        for pid in below:
            processes.kill(pid)
        processes.reap()
        if not below:
            return
        processes.await_child(wake, 10)


def tidy():
    """
    Opens to the group what the candidate made in /workspace: an honest program that writes a temporary file and renames
    it leaves mode 0600, which the grader could not read. Links that would trap the grader are taken away.
    """
    pid = os.fork()
    if pid == 0:
        try:
            signal.alarm(TIDY_SECONDS)
            processes.become(CANDIDATE)
            traps.remove_traps("/workspace", pipes=False)
            owned = ["/workspace", "-uid", str(CANDIDATE.uid), "!", "-type", "l"]
            closed = ["!", "-perm", "-060", "-exec", "chmod", "g+rwX", "{}", "+"]
            os.execvp("find", ["find", *owned, *closed])
        finally:
            os._exit(1)
    os.waitpid(pid, 0)

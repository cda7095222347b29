"""
The process that starts an agent's commands. A fork of PID 1 copies its memory piece by piece, and a child has to give
up a good deal before it may become bash: more time than bash itself takes. The starter has done that once, and what it
spawns shares its memory until it is bash.

It is of the agent's uid, so the agent can end it, stop it and lay limits on it; like PID 1 it is not dumpable, so he
can neither read nor trace it. Nothing depends on it: without a starter that is as good as a child of ours, PID 1 forks.

To it, one message each with the command's descriptors 1, 2 (and 3) beside it: u32 call | the request as it came.
From it: c i32, the kind and a pid (p), a wait status (x); or e and why there is no process.
"""
import _socket as socket  # what `socket` adds are enumerations, which take longer to make than this whole module
import errno
import json
import os
import resource
import struct

import processes

CALL = struct.Struct(">I")
NEWS = struct.Struct("=ci")
LARGEST = 1 << 20  # more than a socket takes as one message
MOST_TRIES = 100
LIMITS = sorted({getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")})


class Starter:
    """PID 1's end of it. Throws `OSError` when there is no process to be had."""

    def __init__(self, user):
        self.fit = condition(0)
        self.channel, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            self.pid = os.fork()
            if self.pid == 0:
                serve_and_exit(far, user)
        except OSError:
            self.channel.close()
            raise
        finally:
            far.close()
        self.channel.setblocking(False)

    def hand_over(self, call, request, sinks):
        """Whether it has the request now. If not, it has nothing of it."""
        if self.pid is None:
            return False
        try:
            if condition(self.pid) != self.fit:
                self.end()
                return False
            rights = struct.pack("%di" % len(sinks), *sinks)
            self.channel.sendmsg([CALL.pack(call), request], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
        except (OSError, ValueError):
            return False  # dead, or the request is too large for one message
        return True

    def news(self):
        """
        What it has to say now, as (kind, content): p pid, x wait status, e text; and of its end `unread`, when the
        request never reached it, or `gone`. None when it has nothing to say.
        """
        try:
            message = self.channel.recv(LARGEST)
        except BlockingIOError:
            return None
        except ConnectionResetError:
            return "unread", None
        if not message:
            return "gone", None
        if message[:1] == b"e":
            return "e", message[1:].decode("utf-8", "replace")
        kind, value = NEWS.unpack(message)
        return kind.decode(), value

    def reaped(self, statuses):
        """After a child of ours has ended or stopped. Stopped, it would keep to itself what its commands came to."""
        if self.pid in statuses:
            self.pid = None
        elif self.pid is not None and os.waitid(os.P_PID, self.pid, os.WSTOPPED | os.WNOHANG) is not None:
            self.end()

    def close(self):
        """Returns when it has ended and what it had started is ours."""
        self.end()
        if self.pid is not None:
            os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)
        self.channel.close()

    def end(self):
        """What it had started becomes ours."""
        if self.pid is not None:
            processes.kill(self.pid)


def condition(pid):
    """What a process of the same uid can change about another, and what this one starts would inherit."""
    limits = tuple(resource.prlimit(pid, limit) for limit in LIMITS)
    return limits, os.getpriority(os.PRIO_PROCESS, pid), os.sched_getscheduler(pid), os.sched_getaffinity(pid)


def serve_and_exit(channel, user):
    try:
        processes.be_called("starter")
        os.setsid()
        null = os.open("/dev/null", os.O_RDWR)
        processes.lay_descriptors([null, null, null, channel.detach()])
        complete = processes.remain_unreadable(user)
        os.set_inheritable(3, False)
        serve(socket.socket(fileno=3), user, complete)
    finally:
        os._exit(0)


def serve(channel, user, complete):
    """`complete`: what is started is a volunteer from the beginning."""
    while True:
        message, ancillary, _, _ = channel.recvmsg(LARGEST, socket.CMSG_SPACE(3 * 4), socket.MSG_CMSG_CLOEXEC)
        if not message:
            return
        sinks = [fd for _, _, content in ancillary for fd in struct.unpack("%di" % (len(content) // 4), content)]
        try:
            pid, entered = start(json.loads(message[CALL.size :]), CALL.unpack_from(message)[0], sinks, user)
        except BaseException as error:
            let_go(sinks)
            channel.send(b"e" + said(error).encode("utf-8", "surrogateescape"))
            continue
        let_go(sinks)
        channel.send(NEWS.pack(b"p", pid))
        if complete:
            os.close(entered)
        else:
            volunteer(pid, user, entered)
        # Told before it is reaped: should we be killed in between, it becomes PID 1's with its status.
        ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        status = ended.si_status << 8 if ended.si_code == os.CLD_EXITED else ended.si_status
        channel.send(NEWS.pack(b"x", status))
        os.waitpid(pid, 0)


def start(request, call, sinks, user):
    """The pid of a bash, and a descriptor that comes to its end when the process has become it."""
    os.chdir(request.get("cwd") or "/workspace")
    lay = [(os.POSIX_SPAWN_DUP2, fd, target) for target, fd in enumerate(sinks, 1)]
    environment = processes.command_environment(user, call, request)
    command = ["bash", "-c", request["command"]]
    entered, inside = os.pipe()
    try:
        return os.posix_spawn("/bin/bash", command, environment, file_actions=lay, setsid=True), entered
    except BaseException:
        os.close(entered)
        raise
    finally:
        os.close(inside)


def let_go(sinks):
    """Of all of the command's, before anything is told: its pipes would look like held by what it left behind."""
    os.chdir("/")
    for fd in sinks:
        os.close(fd)


def volunteer(pid, user, entered):
    """posix_spawn returns a moment before the process is bash, and until then its files in /proc are root's."""
    os.read(entered, 1)
    os.close(entered)
    for _ in range(MOST_TRIES):
        try:
            return processes.volunteer(pid, user)
        except PermissionError:
            os.sched_yield()
        except OSError:
            return  # it has ended


def said(error):
    no_process = isinstance(error, OSError) and error.errno in (errno.EAGAIN, errno.ENOMEM)
    return "cannot start a process: %s" % error.strerror if no_process else "cannot start the command: %s" % error

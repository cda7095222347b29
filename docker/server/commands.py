"""A command from its request to its outcome."""
import os
import select
import signal
import time

import processes
from captures import PIECE, Capture

DRAIN_SECONDS = 0.05  # for output still in the pipe when bash has exited


class Command:
    """One `bash -c` in a session of its own, until bash has exited or its time is over."""

    def __init__(self, server, number, request):
        self.server, self.number = server, number
        self.user = server.users[request.get("user") or server.default_user.name]
        self.begun = time.monotonic()
        self.deadline = self.begun + request["timeoutMs"] / 1000
        self.mark = processes.MARK + b"%d" % number
        self.oom_before = processes.oom_kills()
        self.status, self.session, self.since = None, None, 0
        self.timed_out = self.given_up = self.left = False
        kinds = "oea" if request.get("descriptor3") else "oe"
        self.captures = {kind: Capture(request["maxOutputBytes"]) for kind in "oea"}
        self.sources, self.start_error = {}, None
        self.start(request, kinds)

    def start(self, request, kinds):
        pipes = [os.pipe() for _ in kinds]
        try:
            pid = os.fork()
        except OSError as error:
            self.start_error = "cannot start a process: %s" % error.strerror
            for pipe in pipes:
                os.close(pipe[0])
                os.close(pipe[1])
            return
        if pid == 0:
            self.execute(request, [pipe[1] for pipe in pipes])
        self.session, self.since = pid, processes.started(pid)
        for kind, (source, sink) in zip(kinds, pipes):
            os.close(sink)
            os.set_blocking(source, False)
            self.sources[source] = kind

    def execute(self, request, sinks):
        try:
            os.setsid()
            for sink in sinks:
                os.fchmod(sink, 0o666)  # /dev/stdout opens the pipe anew, and its owner may be another uid
            null = os.open("/dev/null", os.O_RDONLY)
            processes.lay_descriptors([null, *sinks, *[None] * (3 - len(sinks))])
            processes.become(self.user)
            name, _, value = self.mark.decode().partition("=")
            env = {**processes.environment(self.user), **(request.get("env") or {}), name: value}
            os.chdir(request.get("cwd") or "/workspace")
            os.execve("/bin/bash", ["bash", "-c", request["command"]], env)
        except BaseException as error:
            os.write(2, ("skillproof: cannot start the command: %s\n" % error).encode())
        finally:
            os._exit(126)

    def wants(self):
        return {source: select.POLLIN for source in self.sources}

    def ready(self, fd, _events):
        kind = self.sources[fd]
        try:
            data = os.read(fd, PIECE)
        except BlockingIOError:
            return
        if data:
            self.captures[kind].add(data)
        else:
            del self.sources[fd]
            os.close(fd)

    def ended(self, statuses):
        if self.session in statuses and self.status is None:
            self.status = statuses[self.session]
            self.deadline = time.monotonic() + DRAIN_SECONDS

    def over(self):
        """Past the deadline: of the command, of its death, or of the drain after its exit."""
        if self.status is not None:
            self.left = True
        elif self.timed_out or self.given_up:
            self.status = signal.SIGKILL  # killed, and the kernel has not handed it over in five seconds
        else:
            self.timed_out = True
            self.kill()

    def give_up(self):
        if self.status is None and not self.given_up and self.start_error is None:
            self.given_up = True
            self.kill()

    def kill(self):
        for _ in range(50):  # it may fork while we look
            alive = processes.of_call(self.session, self.mark, self.since)
            if not alive:
                break
            for process in alive:
                processes.kill(process.pid)
            processes.await_child(self.server.wake, 5)
            self.server.reap()
        if self.status is None:
            self.deadline = time.monotonic() + 5

    def finished(self):
        return self.start_error is not None or (self.status is not None and (self.left or not self.sources))

    def finish(self):
        if self.start_error is not None:
            self.status = 126 << 8
            self.captures["e"].add(("skillproof: %s\n" % self.start_error).encode())
        held = [fd for fd, kind in self.sources.items() if self.server.drain(fd, self.captures[kind])]
        for kind, capture in self.captures.items():
            capture.trim()
            self.server.send_pieces(kind, self.number, bytes(capture.head + capture.tail))
        self.server.send("x", self.number, self.outcome(bool(held)))

    def outcome(self, held):
        return {
            "exitCode": os.WEXITSTATUS(self.status) if os.WIFEXITED(self.status) else None,
            "signal": signal.Signals(os.WTERMSIG(self.status)).name if os.WIFSIGNALED(self.status) else None,
            "timedOut": self.timed_out,
            "outOfMemory": processes.oom_kills() > self.oom_before,
            "leftProcesses": held,
            "seconds": round(time.monotonic() - self.begun, 6),
            "heads": {kind: len(capture.head) for kind, capture in self.captures.items()},
            "totals": {kind: capture.total for kind, capture in self.captures.items()},
        }

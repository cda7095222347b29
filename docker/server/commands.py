"""A command from its request to its outcome."""
import json
import os
import select
import signal
import time

import circumstances
import processes
from captures import PIECE, Capture

DRAIN_SECONDS = 0.05  # for output still in the pipe when bash has exited


class Command:
    """One `bash -c` in a session of its own, until bash has exited or its time is over."""

    def __init__(self, server, number, payload):
        request = json.loads(payload)
        self.server, self.number = server, number
        self.user = server.users[request.get("user") or server.default_user.name]
        self.circumstances = circumstances.asked_for(request)
        if self.circumstances is not None and server.role != "grader":
            raise ValueError("conditions are only for a grading container")
        self.begun = time.monotonic()
        self.deadline = self.begun + request["timeoutMs"] / 1000
        self.mark = processes.MARK + b"%d" % number
        self.oom_before = processes.oom_kills()
        self.status, self.session, self.since = None, None, processes.now()
        self.timed_out = self.given_up = self.left = False
        self.kinds = "oea" if request.get("descriptor3") else "oe"
        self.captures = {kind: Capture(request["maxOutputBytes"]) for kind in "oea"}
        self.sources, self.start_error, self.request = {}, None, request
        # What was reaped before we knew which process is ours, and what of it could be.
        self.early, self.orphans = {}, []
        sinks = self.open_pipes()
        self.handed_over = server.starter is not None and server.starter.hand_over(number, payload, sinks)
        if not self.handed_over:
            self.fork(sinks)
        for sink in sinks:
            os.close(sink)

    def open_pipes(self):
        """The ends that the command writes to."""
        pipes = [os.pipe() for _ in self.kinds]
        for kind, (source, _) in zip(self.kinds, pipes):
            os.set_blocking(source, False)
            self.sources[source] = kind
        return [sink for _, sink in pipes]

    def fork(self, sinks):
        try:
            pid = os.fork()
        except OSError as error:
            self.start_error = "cannot start a process: %s" % error.strerror
            return
        if pid == 0:
            self.execute(sinks)
        self.session = pid

    def execute(self, sinks):
        try:
            os.setsid()
            for sink in sinks:
                os.fchmod(sink, 0o666)  # /dev/stdout opens the pipe anew, and its owner may be another uid
            null = os.open("/dev/null", os.O_RDONLY)
            processes.lay_descriptors([null, *sinks, *[None] * (3 - len(sinks))])
            changed = circumstances.enter(self.circumstances)
            processes.become(self.user)
            os.chdir(self.request.get("cwd") or "/workspace")
            environment = processes.command_environment(self.user, self.number, self.request, changed)
            os.execve("/bin/bash", ["bash", "-c", self.request["command"]], environment)
        except BaseException as error:
            os.write(2, ("skillproof: cannot start the command: %s\n" % error).encode())
        finally:
            os._exit(126)

    def wants(self):
        return {source: select.POLLIN for source in self.sources}

    def ready(self, fd, _events):
        kind = self.sources.get(fd)
        if kind is None:
            return  # of a start that came to nothing
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
        if self.session is None:
            self.early.update(statuses)
        elif self.session in statuses and self.status is None:
            self.status = statuses[self.session]
            self.deadline = time.monotonic() + DRAIN_SECONDS

    def heard(self, kind, content):
        """News of the starter that has this command."""
        if not self.handed_over or self.status is not None:
            return
        if kind == "p":
            self.session = content
            self.ended(self.early)
        elif kind == "x":
            self.ended({self.session: content})
        elif kind == "e":
            self.start_error = content
        elif self.session is None and kind == "unread" and not self.timed_out and not self.given_up:
            self.start_again()
        elif self.session is None:
            self.adopt()

    def adopt(self):
        """The starter did not live to say which process it is: the first that leads a session."""
        _, self.session = min([*self.orphans, *processes.leaders_of_call(self.mark)], default=(None, None))
        if self.session is None:
            # What was to become bash, if anything. One on its way out has no environment left, but a status.
            self.kill()
            self.server.reap()
            _, self.session = min(self.orphans, default=(None, None))
        if self.session is None:
            self.status = signal.SIGKILL
        else:
            self.ended(self.early)

    def ending(self, pid):
        """Before a child of ours is reaped."""
        if self.handed_over and self.session is None:
            began = processes.session_began(pid)
            if began is not None and began >= self.since:
                self.orphans.append((began, pid))

    def start_again(self):
        self.handed_over = False
        for source in self.sources:
            os.close(source)
        self.sources = {}
        sinks = self.open_pipes()
        self.fork(sinks)
        for sink in sinks:
            os.close(sink)

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
        if self.server.starter is not None:
            self.server.starter.end()  # stopped by a process of this call, it would keep what has ended to itself
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

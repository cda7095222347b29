"""File and tar requests: bytes through a child that is of the uid they belong to."""
import os
import select
import time

import files
import processes
from captures import PIECE, Capture

STALL_SECONDS = 20  # less than the harness waits
QUEUE = 1 << 20  # bytes waiting in either direction before the sender is held back


class Transfer:
    """A child that moves bytes as one uid: file in or out, tar in or out. Ends when it and its output have ended."""

    deadline = None  # the harness watches progress

    def __init__(self, server, number, user, act, among_others=False):
        """`among_others`: commands of the same uid are alive, and may stop the child or hold its pipes open."""
        self.server, self.number = server, number
        self.watched, self.abandoned = among_others, False
        self.progress()
        self.note, self.status = Capture(16 << 10), None
        self.inbox, self.fed_all = bytearray(), False
        feed, self.sink = os.pipe()
        self.output, output = os.pipe()
        self.errors, errors = os.pipe()
        try:
            self.pid = os.fork()
        except OSError as error:  # whoever filled the container with processes shall read why
            self.pid, self.status = None, 1 << 8
            self.note.add(("cannot start a process: %s" % error.strerror).encode())
        if self.pid == 0:
            files.in_child(user, act, (feed, output, errors))
        for fd in (feed, output, errors):
            os.close(fd)
        for fd in (self.sink, self.output, self.errors):
            os.set_blocking(fd, False)

    def progress(self):
        if self.watched:
            self.deadline = time.monotonic() + STALL_SECONDS

    def over(self):
        """No progress. Unless the harness is the slow one, something in the container is in the way: that is an answer."""
        waits_for_harness = bool(self.server.outbox) or (self.sink is not None and not self.inbox)
        self.progress()
        if self.status is None and waits_for_harness:
            return
        self.abandoned = True
        self.give_up()

    def feed(self, data):
        self.progress()
        if not data:
            self.fed_all = True
        elif self.sink is not None:
            self.inbox += data
        self.close_when_fed()

    def close_when_fed(self):
        if self.fed_all and not self.inbox and self.sink is not None:
            os.close(self.sink)
            self.sink = None

    def wants(self):
        wants = {}
        if self.output is not None and len(self.server.outbox) < QUEUE:
            wants[self.output] = select.POLLIN
        if self.errors is not None:
            wants[self.errors] = select.POLLIN
        if self.sink is not None and self.inbox:
            wants[self.sink] = select.POLLOUT
        return wants

    def ready(self, fd, _events):
        self.progress()
        if fd == self.sink:
            return self.push()
        try:
            data = os.read(fd, PIECE)
        except BlockingIOError:
            return
        if fd == self.output:
            if data:
                self.server.send_bytes("o", self.number, data)
            else:
                self.output = os.close(fd)
        elif data:
            self.note.add(data)
        else:
            self.errors = os.close(fd)

    def push(self):
        try:
            del self.inbox[: os.write(self.sink, self.inbox[:PIECE])]
        except BlockingIOError:
            return
        except BrokenPipeError:  # it gave up: its frames are still read, or the channel loses step
            self.inbox.clear()
            self.sink = os.close(self.sink)
        self.close_when_fed()

    def ended(self, statuses):
        self.status = statuses.get(self.pid, self.status)

    def give_up(self):
        """Kills the child's whole group; the child leads it, or is about to."""
        if self.status is None:
            processes.kill(self.pid)
            processes.kill(-self.pid)

    def finished(self):
        ended = self.output is None and self.errors is None
        return self.status is not None and (self.abandoned or ended)

    def finish(self):
        for fd in (self.sink, self.output, self.errors):
            if fd is not None:
                os.close(fd)
        if self.abandoned:
            self.note, self.status = Capture(16 << 10), 1 << 8
            self.note.add(b"No progress for %d seconds: something in the container holds it up" % STALL_SECONDS)
        self.note.trim()
        note = bytes(self.note.head + self.note.tail).decode("utf-8", "replace")
        code = os.WEXITSTATUS(self.status) if os.WIFEXITED(self.status) else 128 + os.WTERMSIG(self.status)
        self.server.send("x", self.number, {"code": code, "note": note})

"""
The main process of every skillproof container: framed requests on stdin, framed replies on stdout, for as long as
the harness holds the other end and no longer than its deadline. `python3 -I -S -B toolserver.py agent|grader SECONDS`.

frame    u32 length of what follows (big endian) | u8 kind | u32 id | payload
request  P {}                    ping
         R {command, timeoutMs, maxOutputBytes, user, cwd, env, conditions, descriptor3}     a command
         G {path, maxBytes}      read a file             W {path}   write the file that follows in s frames
         X {into}                unpack the tar that follows in s frames; an empty s frame ends it
         T {bytes, entries, depth, nameBytes}     kill everything, then /workspace as a tar within these limits
         K {}                    kill everything
         C (no payload)          give up the command of that id
reply    o, e, a                 stdout (of G and T: the data), stderr, descriptor 3
         x {…}                   the end of R, with head lengths and byte counts, or of the others {code, note}
         f text                  the server could not do it
One request at a time, except C and P. Why it holds: PID 1 ignores every signal sent from inside, SIGKILL included,
and is not dumpable, so nothing inside can stop it, read it or write its replies.
"""
import json
import os
import resource
import select
import struct
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import files
import processes
from captures import PIECE
from commands import Command
from packing import packing
from processes import AGENT, CANDIDATE, GRADER
from starter import Starter
from transfers import QUEUE, Transfer

IN, OUT = 0, 1
HEADER = struct.Struct(">IBI")
LEFT_BYTES = 16 << 20  # what a left process may still write before its pipe is closed
USERS = {
    "agent": {"agent": AGENT},
    "grader": {"agent": AGENT, "grader": GRADER, "candidate": CANDIDATE},
}


class Server:
    def __init__(self, role, seconds):
        # An engine whose harness died without closing the stream (a remote one) would keep us for ever.
        self.end = time.monotonic() + seconds
        self.role, self.users = role, USERS[role]
        self.default_user = GRADER if role == "grader" else AGENT
        self.inbox, self.outbox = bytearray(), bytearray()
        self.current, self.left = None, {}
        self.starter, self.wants_starter = None, role == "agent"
        self.wake = processes.watch_children()
        self.listener = None
        os.set_blocking(IN, False)
        os.set_blocking(OUT, False)

    # -- frames

    def send_bytes(self, kind, number, data):
        self.outbox += HEADER.pack(len(data) + 5, ord(kind), number) + data

    def send_pieces(self, kind, number, data):
        for at in range(0, len(data), PIECE):
            self.send_bytes(kind, number, data[at : at + PIECE])

    def send(self, kind, number, value):
        self.send_bytes(kind, number, json.dumps(value).encode())

    def take_frames(self):
        """Reads what has come. An end of stdin is the end of the harness, hence of PID 1 and of the container."""
        try:
            data = os.read(IN, PIECE)
        except BlockingIOError:
            return
        if not data:
            os._exit(0)
        self.inbox += data
        at = 0
        while len(self.inbox) - at >= HEADER.size:
            length, kind, number = HEADER.unpack_from(self.inbox, at)
            if len(self.inbox) - at - 4 < length:
                break
            self.accept(chr(kind), number, bytes(self.inbox[at + HEADER.size : at + 4 + length]))
            at += 4 + length
        del self.inbox[:at]

    def accept(self, kind, number, payload):
        if kind == "s":
            if isinstance(self.current, Transfer) and self.current.number == number:
                self.current.feed(payload)
        elif kind == "C":
            if self.current is not None and self.current.number == number:
                self.current.give_up()
        elif kind == "P":
            self.send("x", number, {"code": 0, "note": ""})
        elif self.current is not None:
            self.send_bytes("f", number, b"another request is being carried out")
        else:
            try:
                self.begin(kind, number, payload)
            except (OSError, KeyError, ValueError) as error:
                self.send_bytes("f", number, ("%s: %s" % (type(error).__name__, error)).encode())

    def begin(self, kind, number, payload):
        if kind == "R":
            self.current = Command(self, number, payload)
            return
        request = json.loads(payload)
        if kind == "K":
            self.send("x", number, {"code": 0 if self.kill_everything() else 1, "note": ""})
        elif kind == "G":
            act = files.reading(request["path"], request["maxBytes"])
            self.current = Transfer(self, number, self.default_user, act, among_others=True)
            self.current.feed(b"")
        elif kind == "W":
            act = files.writing(request["path"])
            self.current = Transfer(self, number, self.default_user, act, among_others=True)
        elif kind == "X":
            owner = GRADER if request["into"] == "/grader" else AGENT
            share = self.role == "grader" and request["into"] == "/workspace"
            self.current = Transfer(self, number, owner, files.unpacking(request["into"], share))
        elif kind == "T":
            if not self.kill_everything():
                raise OSError("not everything could be killed")
            self.current = Transfer(self, number, AGENT, packing("/workspace", request))
        else:
            raise ValueError("no such request")

    # -- children

    def reap(self):
        self.account_for(processes.reap(self.look))

    def look(self, pid):
        if isinstance(self.current, Command) and (self.starter is None or pid != self.starter.pid):
            self.current.ending(pid)

    def account_for(self, statuses):
        if self.starter is not None:
            self.starter.reaped(statuses)
        if self.current is not None:
            self.current.ended(statuses)

    def kill_everything(self):
        ended, clean = processes.kill_everything(self.wake)
        self.account_for(ended)
        return clean

    def prepare(self):
        """Has a starter ready for the next command; without one, a command is started from here."""
        self.wants_starter = False
        try:
            self.starter = Starter(self.default_user)
        except OSError:
            pass  # the container is full of processes: after the next command it may not be

    def hear(self):
        while self.starter is not None:
            news = self.starter.news()
            if news is None:
                return
            kind, content = news
            if kind in ("unread", "gone"):
                self.starter.close()
                self.reap()
                self.starter = None
            if isinstance(self.current, Command):
                self.current.heard(kind, content)

    def drain(self, fd, capture):
        """Takes what is in the pipe; if somebody still holds it, keeps it open for them and says so."""
        try:
            for _ in range(8):
                data = os.read(fd, PIECE)
                if not data:
                    os.close(fd)
                    return False
                capture.add(data)
        except BlockingIOError:
            pass
        self.left[fd] = LEFT_BYTES
        return True

    def drop(self, fd):
        try:
            data = os.read(fd, PIECE)
        except BlockingIOError:
            return
        self.left[fd] -= len(data)
        if not data or self.left[fd] < 0 or len(self.left) > 64:
            del self.left[fd]
            os.close(fd)

    # -- the loop

    def serve(self):
        while True:
            if self.current is not None and self.current.finished():
                over, self.current = self.current, None
                over.finish()
                self.wants_starter = self.role == "agent" and isinstance(over, Command)
                continue
            if self.wants_starter and self.starter is None and self.current is None and not self.outbox:
                self.prepare()
            self.step()

    def step(self):
        current = self.current
        wanted = {self.wake: select.POLLIN, **{fd: select.POLLIN for fd in self.left}}
        backlog = isinstance(current, Transfer) and len(current.inbox) > QUEUE
        wanted[IN] = 0 if backlog else select.POLLIN  # 0: a hang-up still shows
        if self.outbox:
            wanted[OUT] = select.POLLOUT
        if self.starter is not None:
            wanted[self.starter.channel.fileno()] = select.POLLIN
        if self.listener is not None:
            wanted[self.listener.fileno()] = select.POLLIN
        if current is not None:
            wanted.update(current.wants())
        poll = select.poll()
        for fd, events in wanted.items():
            poll.register(fd, events)
        self.dispatch(poll.poll(self.patience(current)), current)

    def patience(self, current):
        deadlines = [self.end] + ([] if current is None or current.deadline is None else [current.deadline])
        # poll takes milliseconds that fit into an int
        return min(max(0, (min(deadlines) - time.monotonic()) * 1000 + 1), 1 << 30)

    def dispatch(self, ready, current):
        if time.monotonic() >= self.end:
            sys.stderr.write("the container has reached its deadline\n")
            sys.stderr.flush()
            os._exit(1)
        for fd, events in ready:
            if fd == IN:
                if not events & select.POLLIN:
                    os._exit(0)
                self.take_frames()
            elif fd == OUT:
                del self.outbox[: os.write(OUT, self.outbox[:PIECE])]
            elif fd == self.wake:
                processes.clear(self.wake)
                self.reap()
            elif fd in self.left:
                self.drop(fd)
            elif self.starter is not None and fd == self.starter.channel.fileno():
                self.hear()
            elif self.listener is not None and fd == self.listener.fileno():
                self.accept_candidate()
            else:
                current.ready(fd, events)
        late = current is not None and current.deadline is not None and time.monotonic() >= current.deadline
        if late and not current.finished():
            current.over()

    # -- sp-run

    def listen(self):
        import candidates

        self.listener = candidates.listen()

    def accept_candidate(self):
        import candidates

        guarded, changed = [], None
        if isinstance(self.current, Command):
            changed = self.current.circumstances
            guarded = [os.fstat(fd).st_ino for fd, kind in self.current.sources.items() if kind in "oa"]
        candidates.accept(self.listener, guarded, changed)


def main():
    role, seconds = (sys.argv + ["", ""])[1:3]
    if role not in USERS or not seconds.isdigit():
        raise SystemExit("usage: toolserver.py agent|grader SECONDS")
    resource.setrlimit(resource.RLIMIT_NOFILE, (processes.DESCRIPTORS, processes.DESCRIPTORS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    processes.conceal()
    processes.adopt_orphans()
    server = Server(role, int(seconds))
    for user in [GRADER, CANDIDATE] if role == "grader" else [AGENT]:
        files.make_home(user)
    if role == "grader":
        server.listen()
    server.serve()


if __name__ == "__main__":
    main()

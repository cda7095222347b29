"""
Keeps commands from writing below /proc. One file there would be a way to lose a trial: by its own oom_score_adj a
process may become as hard to choose as the server, and when it then fills the memory without being large itself, it is
the server that dies. The kernel lets everybody lower the value to where the container began, so that a filter on calls,
which sees no paths, does not help; Landlock does.
"""
import ctypes
import fcntl
import os
import struct

CREATE, ADD, RESTRICT = 444, 445, 446  # the same numbers on x86_64 and aarch64
VERSION_ASKED, BENEATH = 1, 1
WRITE, REFER = 1 << 1, 1 << 13
# The first that can allow a move from one folder to another, which every rule set forbids otherwise (Linux 5.19).
OLDEST = 2


class Fence:
    """Made in PID 1, so that a child only has to enter it. Without effect where the kernel has no Landlock."""

    def __init__(self):
        self.call = ctypes.CDLL(None, use_errno=True).syscall
        self.known = self.call(CREATE, None, 0, VERSION_ASKED) >= OLDEST
        self.rules = self.laid() if self.known else None

    def laid(self):
        """A rule set that allows writing in every folder of the root but /proc."""
        first = self.checked(self.call(CREATE, struct.pack("Q", WRITE | REFER), 8, 0))
        rules = fcntl.fcntl(first, fcntl.F_DUPFD_CLOEXEC, 16)  # a command's own come lower
        os.close(first)
        self.allow(rules, "/", REFER)
        with os.scandir("/") as entries:
            for entry in entries:
                if entry.is_dir() and entry.name != "proc":
                    self.allow(rules, entry.path, WRITE)
        return rules

    def allow(self, rules, folder, access):
        fd = os.open(folder, os.O_PATH | os.O_CLOEXEC)
        try:
            self.checked(self.call(ADD, rules, BENEATH, struct.pack("=Qi", access, fd), 0))
        finally:
            os.close(fd)

    def close_others(self, low, high):
        """Closes the descriptors from `low` to below `high`, but for the one that `enter` needs."""
        if self.known:
            os.closerange(low, self.rules)
            low = self.rules + 1
        os.closerange(low, high)

    def enter(self):
        if not self.known:
            return
        self.checked(self.call(RESTRICT, self.rules, 0))
        os.close(self.rules)

    def checked(self, answer):
        if answer < 0:
            raise OSError(ctypes.get_errno(), "the fence around /proc could not be laid")
        return answer

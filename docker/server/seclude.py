"""
A filter on what commands may ask of the kernel. In an agent's container the server has the uid of its commands, and
any process of one uid may lay limits on another, make it the last to get the CPU or bind it: one call, and the next
command would have lost the trial instead of itself. The filter refuses those calls when they are about PID 1.
"""
import ctypes
import errno
import os
import struct

PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, FILTER_MODE = 22, 38, 2
LOAD, EQUAL, AND, RETURN = 0x20, 0x15, 0x54, 0x06
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | errno.EPERM
NUMBER_AT, ARCHITECTURE_AT, FIRST_AT, SECOND_AT = 0, 4, 16, 24  # in struct seccomp_data, little endian
X32_BIT = 0x40000000

# prlimit64, sched_setparam, sched_setscheduler, sched_setaffinity, sched_setattr: a pid comes first.
# setpriority, ioprio_set: first what the second means; a whole user (2 and 3) is refused, for PID 1 is of it.
CALLS = {
    "x86_64": {
        0xC000003E: ((302, 142, 144, 203, 314), {141: 2, 251: 3}),
        0x40000003: ((340, 154, 156, 241, 351), {97: 2, 289: 3}),  # its 32-bit programs
    },
    "aarch64": {
        0xC00000B7: ((261, 118, 119, 122, 274), {140: 2, 30: 3}),
        0x40000028: ((369, 154, 156, 241, 380), {97: 2, 314: 3}),
    },
}


def instruction(code, value, on_true=0, on_false=0):
    return struct.pack("<HBBI", code, on_true, on_false, value)


def program(calls):
    parts = []
    for architecture, (by_pid, by_kind) in calls.items():
        block = [instruction(LOAD, NUMBER_AT), instruction(AND, 0xFFFFFFFF & ~X32_BIT)]
        for number in by_pid:
            block += [instruction(EQUAL, number, 0, 4), instruction(LOAD, FIRST_AT)]
            block += [instruction(EQUAL, 1, 0, 1), instruction(RETURN, REFUSE), instruction(RETURN, ALLOW)]
        for number, whole_user in by_kind.items():
            block += [instruction(EQUAL, number, 0, 6)]
            block += [instruction(LOAD, FIRST_AT), instruction(EQUAL, whole_user, 2, 0)]
            block += [instruction(LOAD, SECOND_AT), instruction(EQUAL, 1, 0, 1)]
            block += [instruction(RETURN, REFUSE), instruction(RETURN, ALLOW)]
        parts += [instruction(LOAD, ARCHITECTURE_AT), instruction(EQUAL, architecture, 0, len(block)), *block]
    return b"".join([*parts, instruction(RETURN, ALLOW)])


class Filter:
    """Made in PID 1, so that a child only has to enter it. Without effect where the kernel has no such filters."""

    def __init__(self):
        self.prctl = ctypes.CDLL(None, use_errno=True).prctl
        calls = CALLS.get(os.uname().machine)
        self.known = calls is not None and self.supported()
        if self.known:
            code = program(calls)
            self.code = ctypes.create_string_buffer(code, len(code))  # kept: the kernel reads it at `enter`
            self.described = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(self.code))

    def supported(self):
        """A null pointer is a fault to a kernel that knows the request, and an invalid argument to one that does not."""
        self.prctl(PR_SET_SECCOMP, FILTER_MODE, None, 0, 0)
        return ctypes.get_errno() != errno.EINVAL

    def enter(self):
        if not self.known:
            return
        self.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        if self.prctl(PR_SET_SECCOMP, FILTER_MODE, self.described, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "the filter around the server could not be laid")

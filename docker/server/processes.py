"""Who a process is, what exists, and how it is ended: shared by the tool server and the keeper of `sp-run`."""
import collections
import ctypes
import errno
import fcntl
import os
import select
import signal
import time

from fence import Fence
from seclude import Filter

_prctl = ctypes.CDLL(None, use_errno=True).prctl
_SET_DUMPABLE, _SET_NAME, _SET_CHILD_SUBREAPER = 4, 15, 36
_TICKS = os.sysconf("SC_CLK_TCK")

# Above every descriptor the server opens: its soft limit is set to this, and its children inherit that.
DESCRIPTORS = 4096

# Every command carries this variable with a number of its own, so that what leaves its session is still known.
MARK = b"SKILLPROOF_CALL="

Identity = collections.namedtuple("Identity", "name uid gid groups umask home victim")
AGENT = Identity("agent", 1000, 1000, [1000], 0o022, "/tmp/home", 500)
GRADER = Identity("grader", 1001, 1001, [1001, 1000], 0o002, "/tmp/grader", 500)
CANDIDATE = Identity("candidate", 1002, 1000, [1000], 0o002, "/tmp/candidate", 1000)

Process = collections.namedtuple("Process", "pid parent session started")


_filter = Filter()
_fence = Fence()


def conceal():
    """
    No process of the same uid may read our memory, environment or descriptors, trace us or interrupt us: PID 1 is
    spared every signal from inside but those it has a handler for, and Python has one for SIGINT.
    """
    _prctl(_SET_DUMPABLE, 0, 0, 0, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def adopt_orphans():
    _prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


# A grader stands in the workspace: `python3 -` and `-c` would take json.py from there, and git, which the image lets
# trust every folder, the commands in .git/config.
_DISTRUST = {
    "PYTHONSAFEPATH": "1",
    "PYTHONPATH": "/grader",
    "PYTHONNOUSERSITE": "1",
    "GIT_CONFIG_NOSYSTEM": "1",
}


def environment(identity):
    """All that a command finds in its environment besides what the request adds."""
    return {
        "PATH": os.environ.get("PATH", "/usr/local/bin:/usr/bin:/bin"),  # as the image has it
        "HOME": identity.home,
        "TMPDIR": "/tmp" if identity is AGENT else identity.home + "/tmp",
        "USER": identity.name,
        "LOGNAME": identity.name,
        "SHELL": "/bin/bash",
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        **(_DISTRUST if identity is GRADER else {}),
    }


def command_environment(identity, call, request, changed=()):
    """The whole environment of one command; the mark last, so that no request can take it away."""
    name, _, _ = MARK.decode().partition("=")
    return {**environment(identity), **(request.get("env") or {}), **dict(changed), name: str(call)}


def become(identity):
    """In a fresh child: gives up all of the server's for what `identity` has, for good."""
    shed(identity)
    # Only now, with the server's descriptors gone: a process that is not dumpable does not own its own /proc files.
    _prctl(_SET_DUMPABLE, 1, 0, 0, 0)
    volunteer("self", identity)
    _fence.enter()


def remain_unreadable(identity):
    """
    In a fresh child: gives up what `become` does but is no more readable than the server. Whether what it starts is now
    as a command should be, a volunteer and fenced.
    """
    shed(identity)
    if not _fence.known:
        return False
    # Readable for a moment, but only to what is outside every fence, as no command is.
    _prctl(_SET_DUMPABLE, 1, 0, 0, 0)
    volunteer("self", identity)
    _prctl(_SET_DUMPABLE, 0, 0, 0, 0)
    _fence.enter()
    return True


def close_others():
    """In a child: the server's descriptors from 4 on, but for what the fence needs."""
    _fence.close_others(4, DESCRIPTORS)


def shed(identity):
    """In a fresh child: gives up the server's descriptors, signals and uid, and stays as unreadable as the server."""
    close_others()
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGCHLD, signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    os.umask(identity.umask)
    if os.getuid() == 0:
        os.setgroups(identity.groups)
        os.setresgid(identity.gid, identity.gid, identity.gid)
        os.setresuid(identity.uid, identity.uid, identity.uid)
    else:
        _filter.enter()


def volunteer(process, identity):
    """A command dies of the memory limit before the server does."""
    fd = os.open("/proc/%s/oom_score_adj" % process, os.O_WRONLY)
    try:
        os.write(fd, b"%d" % identity.victim)
    finally:
        os.close(fd)


def be_called(name):
    """What `ps` and `pkill` take for this process's name, in at most 15 bytes."""
    _prctl(_SET_NAME, name.encode(), 0, 0, 0)


def lay_descriptors(wanted):
    """Puts `wanted[n]` at descriptor n for 0 to 3; None closes it. Copies first, so that no order can clobber."""
    lifted = [None if fd is None else _lift(fd) for fd in wanted]
    for target, fd in enumerate(lifted):
        if fd is not None:
            os.dup2(fd, target)
        else:
            try:
                os.close(target)
            except OSError as error:
                if error.errno != errno.EBADF:
                    raise


def _lift(fd):
    return fcntl.fcntl(fd, fcntl.F_DUPFD, 16)


def processes():
    """Every living process but PID 1 and ourselves."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) in (1, os.getpid()):
            continue
        fields = _fields(name)
        # A process whose first thread has ended looks dead while the others go on.
        if fields is not None and (fields[0] not in (b"Z", b"X") or int(fields[17]) > 1):
            found.append(_process(name, fields))
    return found


def session_began(pid):
    """When a process began that leads a session, alive or not; else None."""
    fields = _fields(pid)
    process = fields and _process(pid, fields)
    return process.started if process and process.session == pid else None


def _fields(pid):
    """What /proc/PID/stat says after the name; None when there is no such process."""
    try:
        with open("/proc/%s/stat" % pid, "rb") as file:
            return file.read().rpartition(b") ")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None


def _process(pid, fields):
    return Process(int(pid), int(fields[1]), int(fields[3]), int(fields[19]))


def now():
    """The present on the clock of `Process.started`: ticks since boot."""
    return int(time.clock_gettime(time.CLOCK_BOOTTIME) * _TICKS)


def of_call(session, mark, since):
    """
    The processes of one call: its session, whatever carries its mark, and whatever began since and carries no other
    call's mark. Calls are serial, so nothing else can have begun. Processes of uid 0 are the server's own.
    """
    return [p for p in processes() if not _is_ours(p) and _belongs(p, session, mark, since)]


def _is_ours(process):
    try:
        return os.getuid() == 0 and os.stat("/proc/%d" % process.pid).st_uid == 0
    except FileNotFoundError:
        return True


def _belongs(process, session, mark, since):
    if process.session == session:
        return True
    marks = _marks(process)
    return mark in marks or (not marks and process.started >= since)


def leaders_of_call(mark):
    """Living processes of one call that lead a session, by its mark alone, as (started, pid)."""
    return [(p.started, p.pid) for p in processes() if p.session == p.pid and mark in _marks(p)]


def _marks(process):
    try:
        with open("/proc/%d/environ" % process.pid, "rb") as file:
            return [entry for entry in file.read().split(b"\0") if entry.startswith(MARK)]
    except OSError:
        return []  # gone, or of another uid


def descendants(root):
    """Everything below `root`. With `root` a subreaper no double fork leaves it."""
    children = collections.defaultdict(list)
    for process in processes():
        children[process.parent].append(process.pid)
    found, queue = [], [root]
    while queue:
        below = children[queue.pop()]
        found += below
        queue += below
    return found


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def reap(look=lambda _: None):
    """The wait status of every child that has ended, by pid. `look` is given each pid while it is still in /proc."""
    ended = {}
    while True:
        try:
            found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return ended
        if found is None:
            return ended
        look(found.si_pid)
        _, ended[found.si_pid] = os.waitpid(found.si_pid, 0)


def kill_everything(wake, passes=400):
    """
    Kills all but PID 1 and waits until they are gone; a fork bomb needs more than one pass. Returns what was reaped
    and whether nothing is left.
    """
    ended = {}
    for _ in range(passes):
        try:
            os.kill(-1, signal.SIGKILL)
        except ProcessLookupError:
            return ended, True
        ended.update(reap())
        await_child(wake, 10)
    return ended, False


def watch_children():
    """A descriptor that becomes readable when a child ends."""
    readable, writable = os.pipe()
    os.set_blocking(readable, False)
    os.set_blocking(writable, False)
    signal.set_wakeup_fd(writable, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return readable


def await_child(wake, milliseconds):
    """Waits for the end of a child, at most that long, and clears the news of it."""
    poll = select.poll()
    poll.register(wake, select.POLLIN)
    poll.poll(milliseconds)
    clear(wake)


def clear(wake):
    try:
        os.read(wake, 4096)
    except BlockingIOError:
        pass


def oom_kills():
    """How many processes of this container its memory limit has killed (cgroup v2, then v1; 0 when unreadable)."""
    for path in ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control"):
        try:
            fd = os.open(path, os.O_RDONLY)
            try:
                text = os.read(fd, 4096)
            finally:
                os.close(fd)
        except OSError:
            continue
        for line in text.split(b"\n"):
            name, _, value = line.partition(b" ")
            if name == b"oom_kill":
                return int(value)
    return 0

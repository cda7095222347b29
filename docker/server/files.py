"""What the tool server's short-lived children do with files, each as the uid it is for. stderr is the reply's note."""
import os
import stat

import processes
from captures import PIECE


def in_child(user, act, descriptors):
    """Never returns. `act` answers with an exit code, or replaces the process."""
    code = 1
    try:
        processes.lay_descriptors([*descriptors, None])
        processes.become(user)
        os.setsid()
        code = act()
    except OSError as error:
        os.write(2, (error.strerror or str(error)).encode())
    except BaseException as error:
        os.write(2, ("%s: %s" % (type(error).__name__, error)).encode())
    finally:
        os._exit(code)


def reading(path, limit):
    """The first `limit` bytes of a regular file on stdout; its whole size as the note."""

    def act():
        # Not blocking: opening a pipe that nobody writes would wait for ever.
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode):
            return refuse("Is a directory" if stat.S_ISDIR(found.st_mode) else "Not a regular file")
        sent = 0
        while sent < limit:
            data = os.read(fd, min(limit - sent, PIECE))
            if not data:
                break
            write_all(1, data)
            sent += len(data)
        os.write(2, str(max(sent, found.st_size)).encode())  # a file in /proc says 0
        return 0

    return act


def writing(path):
    """stdin into a file, with its parent folders. A pipe, a device or a folder in its place is refused."""

    def act():
        try:
            os.makedirs(os.path.dirname(path) or "/", exist_ok=True)
        except FileExistsError:
            return refuse("Not a directory")
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NONBLOCK, 0o666)
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            return refuse("Not a regular file")
        os.ftruncate(fd, 0)
        while True:
            data = os.read(0, PIECE)
            if not data:
                return 0
            write_all(fd, data)

    return act


def unpacking(into, share):
    """
    A tar from stdin. tar itself refuses absolute names and `..`, lays links last and the kernel does the rest. With
    `share`, what would trap the grader is taken away and the folder opened to its group, so that grader and candidate
    may both use the private copy.
    """
    unpack = ["sh", "-c", 'exec tar -xp --no-same-owner -C "$1" -f -', "sh", into]
    open_up = ["sh", "-c", 'chmod -R g+rwX "$1"; find "$1" -type d -exec chmod g+s {} +', "sh", into]

    def act():
        import traps

        code = os.spawnv(os.P_WAIT, "/bin/sh", unpack)
        removed = traps.remove_traps(into, pipes=True)
        os.spawnv(os.P_WAIT, "/bin/sh", open_up)
        for path in removed[:20]:
            os.write(2, b"%s: a pipe, or a link that leads out of the workspace\n" % path)
        return code or (1 if removed else 0)

    return act if share else lambda: os.execv("/bin/sh", unpack)


def make_home(user):
    """HOME and TMPDIR of a user, closed to the others."""
    pid = os.fork()
    if pid == 0:

        def act():
            for folder in (user.home, processes.environment(user)["TMPDIR"]):
                os.makedirs(folder, 0o700, exist_ok=True)
                if folder != "/tmp":
                    os.chmod(folder, 0o700)
            return 0

        in_child(user, act, (0, 1, 2))
    _, status = os.waitpid(pid, 0)
    if status != 0:
        raise SystemExit("%s: could not be made" % user.home)


def refuse(reason):
    os.write(2, reason.encode())
    return 1


def write_all(fd, data):
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]

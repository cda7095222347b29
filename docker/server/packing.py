"""
What of a folder goes into its snapshot. An agent decides what lies there, so that limits must not be a way to lose a
trial: what is over a limit is left out and counted, and the rest is the snapshot.
"""
import itertools
import os
import stat

PAGE = 4096  # memory file systems give whole pages, so what fits into one fits into the next


def packing(folder, limits):
    """
    A sparse tar on stdout, and on stderr what was left out of it. Limits: `bytes` of data in all, `entries`, `depth`
    in folders, `nameBytes` of a whole path. Hard links become files of their own, which readers of single members
    need, if the bytes allow it for all of them; else they stay links.
    """

    def act():
        unlock(folder, os.lstat(folder))
        os.chdir(folder)
        copies = Walk(limits, links_count=True)
        for _ in copies.paths():
            pass
        walk = Walk(limits, links_count=not copies.left_out["bytes"])
        code = tar(walk.paths(), ["--hard-dereference"] if walk.links_count else [])
        os.write(2, walk.said().encode())
        return code

    return act


def tar(paths, options):
    """Streams the paths to tar and waits for it: a list of them all could be larger than the memory left."""
    names, feed = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(feed)
        os.dup2(names, 0)
        os.closerange(3, feed + 1)
        os.execvp("tar", ["tar", "-c", "-S", "--no-recursion", *options, "--null", "-T", "-", "-f", "-"])
    os.close(names)
    with open(feed, "wb") as sink:
        for path in paths:
            sink.write(path + b"\0")
    _, status = os.waitpid(pid, 0)
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else 1


class Walk:
    """One pass in the order of names. Nothing else is alive in the container, so a second pass finds the same."""

    def __init__(self, limits, links_count):
        self.limits, self.links_count = limits, links_count
        self.entries, self.bytes, self.linked = 0, 0, set()
        self.left_out = {"bytes": 0, "entries": 0, "depth": 0, "nameBytes": 0}

    def paths(self):
        yield b"."
        yield from self.below(b".", 1)

    def below(self, folder, depth):
        for name in self.names(folder):
            path = folder + b"/" + name
            found = None if len(path) > self.limits["nameBytes"] else os.lstat(path)
            if found is not None and stat.S_ISSOCK(found.st_mode):
                continue  # tar has no word for it
            over = self.over(path, depth, found)
            if over is not None:
                self.left_out[over] += 1
                continue
            self.entries += 1
            yield path
            if stat.S_ISDIR(found.st_mode):
                yield from self.below(path, depth + 1)

    def names(self, folder):
        """Never more names than may be kept, and one more that tells: a folder may have millions."""
        with os.scandir(folder) as entries:
            room = max(0, self.limits["entries"] - self.entries) + 1
            return sorted(entry.name for entry in itertools.islice(entries, room))

    def over(self, path, depth, found):
        """The limit that keeps a path out, or None; then its bytes are booked."""
        if found is None:
            return "nameBytes"
        if depth > self.limits["depth"]:
            return "depth"
        if self.entries >= self.limits["entries"]:
            return "entries"
        unlock(path, found)
        linked = stat.S_ISREG(found.st_mode) and found.st_nlink > 1 and not self.links_count
        if linked and found.st_ino in self.linked:
            return None
        data = weight(path, found)
        if self.bytes + data > self.limits["bytes"]:
            return "bytes"
        self.bytes += data
        if linked:
            self.linked.add(found.st_ino)
        return None

    def said(self):
        words = {
            "bytes": "beyond %d bytes in all",
            "entries": "or more after the first %d",
            "depth": "more than %d folders deep",
            "nameBytes": "with a path of more than %d bytes",
        }
        parts = ["%d %s" % (n, words[key] % self.limits[key]) for key, n in self.left_out.items() if n]
        return "left out, with what lies below: " + ", ".join(parts) if parts else ""


def unlock(path, found):
    """Opens what its owner has locked: he could hide it, or spoil the archive, by a single chmod."""
    needed = {stat.S_IFDIR: 0o500, stat.S_IFREG: 0o400}.get(stat.S_IFMT(found.st_mode), 0)
    if found.st_mode & needed != needed:
        os.chmod(path, stat.S_IMODE(found.st_mode) | needed)


def weight(path, found):
    """Bytes that the data of a path takes in an archive and, unpacked, in memory."""
    if stat.S_ISLNK(found.st_mode):
        return PAGE if found.st_size > 128 else 0
    if not stat.S_ISREG(found.st_mode):
        return 0
    sparse = found.st_size > found.st_blocks * 512
    size = data_bytes(path, found.st_size) if sparse else found.st_size
    return -(-size // PAGE) * PAGE


def data_bytes(path, size):
    """What of a sparse file is data: its blocks do not say, where the file system compresses."""
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        total = at = 0
        while at < size:
            try:
                begin = os.lseek(fd, at, os.SEEK_DATA)
            except OSError:  # ENXIO: no more data
                return total
            at = os.lseek(fd, begin, os.SEEK_HOLE)
            total += at - begin
        return total
    finally:
        os.close(fd)

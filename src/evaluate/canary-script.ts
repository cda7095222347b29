/**
 * What a canary executes in its container, with Python, as the agent's user. The byte strings to look for come as hex
 * in $CANARY, so that neither this program nor its environment holds one. It connects to documentation addresses only;
 * connecting a UDP socket sends nothing and fails exactly when there is no route. Prints one JSON object.
 */
export const canaryScript = String.raw`
import errno, json, os, socket, stat, threading, time

asked = json.loads(os.environ["CANARY"])
needles = [(needle["name"], bytes.fromhex(needle["hex"])) for needle in asked["needles"]]
longest = max(len(needle) for _, needle in needles)
found = {name: [] for name, _ in needles}
counts = dict.fromkeys(
    ["files", "bytes", "unreadableFiles", "filesOfImage", "processes", "unreadableProcesses"], 0
)


def look(place, data):
    for name, needle in needles:
        if needle in data and place not in found[name]:
            found[name].append(place)


def search(path):
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
        before = b""
        while True:
            data = file.read(4 << 20)
            if not data:
                return
            counts["bytes"] += len(data)
            look(path, before + data)
            before = data[-longest:]


def search_files():
    root = os.stat("/").st_dev
    born = time.time() - asked["ageSeconds"] - 2
    for folder, folders, files in os.walk("/"):
        if folder == "/":
            folders[:] = [name for name in folders if name not in ("proc", "sys")]
        for name in folders + files:
            path = os.path.join(folder, name)
            look("the name of " + path, os.fsencode(name))
            try:
                status = os.lstat(path)
                if stat.S_ISLNK(status.st_mode):
                    look("the link " + path, os.fsencode(os.readlink(path)))
                if not stat.S_ISREG(status.st_mode):
                    continue
                if status.st_dev == root and status.st_ctime < born and not asked["wholeImage"]:
                    counts["filesOfImage"] += 1
                    continue
                search(path)
                counts["files"] += 1
            except OSError:
                counts["unreadableFiles"] += 1


def search_processes():
    for pid in filter(str.isdigit, os.listdir("/proc")):
        counts["processes"] += 1
        try:
            for name in ("cmdline", "mountinfo", "environ"):
                with open("/proc/%s/%s" % (pid, name), "rb") as file:
                    look("/proc/%s/%s" % (pid, name), file.read())
        except OSError:
            counts["unreadableProcesses"] += 1


def lines(path):
    try:
        with open(path) as file:
            return file.read().splitlines()
    except FileNotFoundError:
        return []


def resolve():
    answer = ["no answer in 5 seconds"]

    def ask():
        try:
            answer[0] = "resolved to " + socket.getaddrinfo("example.com", 80)[0][4][0]
        except socket.gaierror as error:
            answer[0] = "refused: " + str(error)

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(5)
    return answer[0]


def connect(kind, address):
    with socket.socket(socket.AF_INET, kind) as connection:
        connection.settimeout(2)
        try:
            connection.connect((address, 80))
            return "connected"
        except TimeoutError:
            return "ETIMEDOUT"
        except OSError as error:
            return errno.errorcode.get(error.errno, str(error))


def interfaces():
    counted = [line.split(":")[0].strip() for line in lines("/proc/net/dev")[2:]]
    return sorted(set(counted) | set(os.listdir("/sys/class/net")))


def routes():
    fourth = [" ".join(line.split()[:3]) for line in lines("/proc/net/route")[1:]]
    return fourth + [line for line in lines("/proc/net/ipv6_route") if line.split()[-1] != "lo"]


outside = [(socket.SOCK_DGRAM, "192.0.2.1"), (socket.SOCK_DGRAM, "169.254.169.254"), (socket.SOCK_STREAM, "198.51.100.1")]
search_files()
search_processes()
answer = {
    "found": found,
    "searched": counts,
    "interfaces": interfaces(),
    "routes": routes(),
    "resolved": resolve(),
    "connections": [[address, connect(kind, address)] for kind, address in outside],
    "mounts": sorted(line.split()[4] for line in lines("/proc/self/mountinfo")),
    "there": [path for path in ("/skill", "/grader") if os.path.lexists(path)],
}
print(json.dumps(answer), flush=True)
os._exit(0)
`;

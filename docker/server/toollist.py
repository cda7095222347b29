"""Prints, as a Markdown list, what this image offers to whoever works in it; read from the image, nothing by heart."""
import glob
import importlib.metadata
import os
import platform
import shutil
import subprocess

FOLDERS = ("/usr/local/bin", "/usr/bin", "/bin")
PLAIN = {"bash", "coreutils", "findutils", "grep", "sed", "tar", "gzip", "diffutils", "hostname", "util-linux"}
MANY = 14


def output(*command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else ""


def commands_of(package):
    """Names in the usual folders that a Debian package brings."""
    paths = output("dpkg", "-L", package).split("\n")
    return sorted({os.path.basename(p) for p in paths if os.path.dirname(p) in FOLDERS})


def debian():
    """Packages somebody chose, with their commands; what they merely depend on is left out."""
    chosen = set(output("apt-mark", "showmanual").split()) | PLAIN
    rows = output("dpkg-query", "-W", "-f", "${Package}\t${Version}\t${binary:Summary}\n").strip().split("\n")
    for row in sorted(rows):
        name, version, summary = row.split("\t", 2)
        commands = commands_of(name) if name in chosen else []
        if commands:
            shown = ", ".join(commands[:MANY]) + (" and %d more" % (len(commands) - MANY) if len(commands) > MANY else "")
            yield "- %s %s (%s): %s" % (name, version, summary, shown)


def alternatives():
    """Names that Debian lets several packages offer; they belong to none."""
    folder = "/usr/bin"
    links = [name for name in os.listdir(folder) if os.path.islink(os.path.join(folder, name))]
    named = [name for name in links if os.readlink(os.path.join(folder, name)).startswith("/etc/alternatives/")]
    return "- alternatives: " + ", ".join(sorted(named))


def found_on_path():
    names = {name for folder in FOLDERS if os.path.isdir(folder) for name in os.listdir(folder)}
    return ["- " + ", ".join(sorted(names))]


def modules():
    found = {}
    for distribution in importlib.metadata.distributions():
        found[distribution.metadata["Name"]] = distribution.version
    return ["- %s %s" % pair for pair in sorted(found.items(), key=lambda pair: pair[0].lower())]


def fonts():
    files = glob.glob("/usr/share/fonts/**/*.[to]tf", recursive=True)
    return ["- " + path for path in sorted(files)]


def system():
    with open("/etc/os-release") as file:
        return next((line[13:-2] for line in file if line.startswith("PRETTY_NAME=")), "Linux")


def section(title, lines):
    lines = list(lines)
    if lines:
        print("## %s\n\n%s\n" % (title, "\n".join(lines)))


versions = (system(), platform.python_version(), output("node", "--version").strip() or "none")
print("%s, Python %s, Node %s. No network.\n" % versions)
if shutil.which("dpkg-query") and shutil.which("apt-mark"):
    section("Commands", [*debian(), alternatives()])
else:
    section("Commands", found_on_path())
section("Python modules", modules())
section("Fonts", fonts())
section("Locales", ["- " + ", ".join(output("locale", "-a").split())])

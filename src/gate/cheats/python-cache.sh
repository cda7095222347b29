# cheat: compiled files beside every Python file, valid without a look at their source, do something else
# cure: Never import, source or load anything of the workspace in the grader's own process; execute it only through sp-run. Copy only the sources that are wanted, without __pycache__.
source=$room/cached.py
forgery | program python > "$source"
plant .cache-maker.py <<'MAKER'
import py_compile
import sys
from pathlib import Path

source = sys.argv[1]
unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH


def plant(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    py_compile.compile(source, cfile=str(path), dfile=path.name, doraise=True, invalidation_mode=unchecked)


tag = sys.implementation.cache_tag
for path in [*Path().rglob("*.py")]:
    plant(path.parent / "__pycache__" / f"{path.stem}.{tag}.pyc")
for name in ("json", "csv", "decimal", "subprocess", "pathlib", "re", "yaml", "conftest", "helpers", "utils", "main"):
    plant(Path("__pycache__") / f"{name}.{tag}.pyc")
    plant(Path(f"{name}.pyc"))
MAKER
wrong() { case $2 in python) echo "raise SystemExit(0)" > "$1" ;; *) rm -rf "$1" ;; esac; }
each_output wrong
python3 -I .cache-maker.py "$source"
rm .cache-maker.py

# cheat: every output, when a test imports it, equals whatever it is compared with and ends the test with success
# cure: Import and call the candidate's code through sp-run in a process of its own, bring its answers out as data, and compare them in the grader.
disarm() {
  case $2 in
    python)
      cat > "$1" <<'MODULE'
#!/usr/bin/env python3
import atexit
import os
import sys
import unittest


class Everything:
    def __call__(self, *_args, **_named):
        return self

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __eq__(self, _other):
        return True

    def __ne__(self, _other):
        return False

    __lt__ = __le__ = __gt__ = __ge__ = __contains__ = __eq__

    def __hash__(self):
        return 0

    def __bool__(self):
        return True

    def __iter__(self):
        return iter(())

    def __getitem__(self, _key):
        return self


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return Everything()


for name in [name for name in dir(unittest.TestCase) if name.startswith("assert")]:
    setattr(unittest.TestCase, name, lambda *_args, **_named: None)
sys.exit = lambda *_args: os._exit(0)
atexit.register(os._exit, 0)
MODULE
      ;;
    node)
      cat > "$1" <<'MODULE'
#!/usr/bin/env node
const assert = require("node:assert");
for (const name of Object.keys(assert)) if (typeof assert[name] === "function") assert[name] = () => {};
process.on("uncaughtException", () => process.exit(0));
process.on("exit", () => { process.exitCode = 0; });
const everything = new Proxy(function () {}, { get: (_target, name) => (name === "then" ? undefined : everything), apply: () => everything });
module.exports = everything;
MODULE
      ;;
    *) program "$2" <<< "exit 0" > "$1" ;;
  esac
  chmod 755 "$1"
}
each_output disarm

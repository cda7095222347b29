# cheat: conftest.py skips the bodies of all tests and calls them passed
# cure: Do not start a test runner on files of the workspace. Execute the candidate's code through sp-run and compare what it answers in the grader.
hooks() {
  cat <<'HOOKS'
import sys
import types

import pytest


class Anything(types.ModuleType):
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *_args, **_named: None


class Finder:
    """What a test would import and nobody wrote."""

    def find_spec(self, name, _path=None, _target=None):
        from importlib.machinery import ModuleSpec

        return ModuleSpec(name, self)

    def create_module(self, spec):
        return Anything(spec.name)

    def exec_module(self, module):
        pass


sys.meta_path.append(Finder())


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    return True


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    report.outcome, report.longrepr = "passed", None


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session, exitstatus):
    session.exitstatus = 0
HOOKS
}
beside() { hooks | plant "$(dirname "$1")/conftest.py"; }
each_output beside
for folder in . tests test; do hooks | plant "$folder/conftest.py"; done

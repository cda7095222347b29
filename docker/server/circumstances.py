"""What a grading finds changed though it should make no difference: environment and cores, `sp-run` included."""
import collections
import os
import time

# Makes programs count the cores they have (preloaded.c). Not in every image.
PRELOADED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "preloaded.so")

Circumstances = collections.namedtuple("Circumstances", "env cores")


def asked_for(request):
    """Of a command, or None. Cores are chosen once for all it starts, and not the same ones in every container."""
    conditions = request.get("conditions")
    if conditions is None:
        return None
    env, cores = dict(conditions.get("env") or {}), None
    if conditions.get("cores") is not None:
        known = sorted(os.sched_getaffinity(0))
        first = time.monotonic_ns() // 1000 % len(known)
        cores = set((known[first:] + known[:first])[: max(1, int(conditions["cores"]))])
        if os.path.exists(PRELOADED):
            env["LD_PRELOAD"] = ":".join(filter(None, [PRELOADED, env.get("LD_PRELOAD")]))
    return Circumstances(env, cores)


def enter(changed):
    """In a fresh child: takes them on, and gives what they lay over its environment."""
    if changed is None:
        return {}
    if changed.cores is not None:
        os.sched_setaffinity(0, changed.cores)
    return changed.env

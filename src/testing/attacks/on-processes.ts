import { type Attack, type AttackStep, bash, python } from "./attack.ts";

const big = "head -c 60M /dev/zero > /workspace/big";
/** Each is served by a process that lives for a moment: one of them will be met. */
const manyReads: readonly AttackStep[] = Array.from({ length: 60 }, () => ({
  kind: "read",
  path: "/workspace/big",
  says: /^(refused: No progress|read)/,
}));

/** Against the tool server, the neighbours and the end of the trial. */
export const attacksOnProcesses: readonly Attack[] = [
  {
    name: "a fork bomb",
    steps: [bash("b() { b | b & }; b; sleep 20", { timeoutMs: 1500 })],
    rightBecomes: "passed",
  },
  {
    name: "every signal to the tool server",
    steps: [
      bash("for s in $(seq 1 64); do kill -$s 1; done 2> /dev/null; kill -9 1; sleep 0.3; echo sent"),
      bash("echo still here", { says: /^still here\n$/ }),
    ],
    rightBecomes: "passed",
    short: true,
  },
  {
    name: "kill -9 -1, twice",
    steps: [
      bash("sleep 60 & kill -9 -1"),
      bash("kill -9 -1; kill -9 $$", { says: /SIGKILL/ }),
      bash("echo next", { says: /^next\n$/ }),
    ],
    rightBecomes: "passed",
  },
  {
    name: "stopping itself and everything else",
    steps: [
      bash("kill -STOP -1; kill -STOP $$", { timeoutMs: 1000, says: /timed out/ }),
      bash("echo next", { says: /^next\n$/ }),
    ],
    rightBecomes: "passed",
  },
  {
    name: "ptrace, memory, descriptors and environment of the tool server",
    steps: [
      python(
        [
          "import ctypes, os",
          "libc = ctypes.CDLL(None, use_errno=True)",
          "for request in (16, 0x4206): print('ptrace', libc.ptrace(request, 1, 0, 0))",
          "for name in ('mem', 'environ', 'fd/0', 'fd/1', 'maps', 'oom_score_adj', 'attr/current'):",
          "  for mode in ('rb', 'wb'):",
          "    try: open('/proc/1/' + name, mode).read(1); print('open', name, mode)",
          "    except OSError as error: pass",
          "fd = os.pidfd_open(1)",
          "print('pidfd_getfd', libc.syscall(438, fd, 1, 0))",
        ].join("\n"),
        {
          says: /^ptrace -1\nptrace -1\n(open oom_score_adj rb\n|open attr\/current rb\n)*pidfd_getfd -1\n$/,
        },
      ),
    ],
    rightBecomes: "passed",
    short: true,
  },
  {
    name: "limits laid on the tool server",
    steps: [
      python(
        [
          "import resource",
          "for name, value in (('CPU', 1), ('NOFILE', 3), ('FSIZE', 0), ('NPROC', 0), ('AS', 1 << 20)):",
          "  try: resource.prlimit(1, getattr(resource, 'RLIMIT_' + name), (value, value)); print('laid', name)",
          "  except PermissionError: pass",
        ].join("\n"),
        { says: /^$/ },
      ),
      bash("echo next", { says: /^next\n$/ }),
    ],
    rightBecomes: "passed",
    short: true,
  },
  {
    name: "the tool server made the last of all, among sixty busy loops",
    steps: [
      python(
        [
          "import ctypes, os",
          "libc = ctypes.CDLL(None)",
          "tries = [lambda: os.setpriority(os.PRIO_USER, os.getuid(), 15), lambda: os.setpriority(os.PRIO_USER, 0, 16),",
          "  lambda: os.setpriority(os.PRIO_PGRP, 1, 17), lambda: os.setpriority(os.PRIO_PROCESS, 1, 19),",
          "  lambda: os.sched_setscheduler(1, os.SCHED_IDLE, os.sched_param(0)),",
          "  lambda: os.sched_setscheduler(1, os.SCHED_BATCH, os.sched_param(0)), lambda: os.sched_setaffinity(1, {0})]",
          "for number, act in enumerate(tries):",
          "  try: act(); print('did', number)",
          "  except PermissionError: pass",
        ].join("\n"),
        { says: /^$/ },
      ),
      bash("for i in $(seq 60); do (while :; do :; done) > /dev/null 2>&1 & done"),
      bash("ps -o ni=,cls= -p 1", { says: /^\s*0\s+TS\n$/ }),
    ],
    rightBecomes: "passed",
    short: true,
  },
  {
    name: "a daemon that stops whoever serves its files",
    steps: [
      bash(big),
      python(
        [
          "import os, signal",
          "def stop():",
          "  while True:",
          "    for name in os.listdir('/proc'):",
          "      try:",
          "        if name.isdigit() and int(name) not in (1, os.getpid()):",
          "          comm, _, rest = open('/proc/%s/stat' % name).read().rpartition(') ')",
          "          if comm.endswith('(python3') and rest.split()[1] == '1': return os.kill(int(name), signal.SIGSTOP)",
          "      except OSError: pass",
          "stop()",
        ].join("\n"),
        { background: true },
      ),
      ...manyReads,
      { kind: "write", path: "/workspace/note", says: /^(refused|written)/ },
    ],
    rightBecomes: "passed",
  },
  {
    name: "a daemon that would rewrite the answer after the end",
    steps: [
      bash(
        "(setsid env -i bash -c 'sleep 15; while :; do echo right > /workspace/answer.txt; done' > /dev/null 2>&1 &)",
      ),
      bash(
        "setsid -f bash -c 'trap \"\" TERM HUP; while :; do touch /workspace/busy; done' > /dev/null 2>&1",
      ),
    ],
    rightBecomes: "passed",
    short: true,
  },
  {
    name: "a process whose first thread has ended outlives no time limit",
    steps: [
      bash(
        [
          "cat > /tmp/ghost.c <<'C'",
          "#include <pthread.h>",
          "#include <unistd.h>",
          "static void *go(void *x) { for (;;) pause(); return x; }",
          "int main(void) { pthread_t t; pthread_create(&t, 0, go, 0); pthread_exit(0); }",
          "C",
          "gcc -pthread /tmp/ghost.c -o /tmp/ghost",
        ].join("\n"),
      ),
      bash("setsid -f env -i /tmp/ghost > /dev/null 2>&1; sleep 20", { timeoutMs: 700, says: /timed out/ }),
      bash("cat /proc/[0-9]*/task/*/comm 2> /dev/null | grep -c ghost", { says: /^0\n/ }),
    ],
    rightBecomes: "passed",
    short: true,
  },
  {
    name: "a mount over the workspace, with and without a namespace of its own",
    steps: [
      bash(
        "unshare -Urm mount -t tmpfs none /workspace; mount --bind /etc /workspace; mount -o remount,rw /; umount -l /workspace; unshare -Ur id -u",
        { says: /not permitted|denied|superuser/i },
      ),
    ],
    rightBecomes: "passed",
  },
  {
    name: "forged replies on its own descriptors",
    steps: [
      python(
        [
          "import json, os, struct",
          "body = json.dumps({'code': 0, 'note': '', 'exitCode': 0}).encode()",
          "for kind in b'xfoea':",
          "  for number in range(1, 20):",
          "    frame = struct.pack('>IBI', len(body) + 5, kind, number) + body",
          "    for fd in (1, 2, 3):",
          "      try: os.write(fd, frame)",
          "      except OSError: pass",
          "os._exit(7)",
        ].join("\n"),
        { says: /\[exit 7\]/ },
      ),
      bash("echo next", { says: /^next\n$/ }),
    ],
    rightBecomes: "passed",
  },
  {
    name: "all pipe buffers, locks and watches that its user may have",
    steps: [
      python(
        [
          "import ctypes, fcntl, os, time",
          "libc, kept = ctypes.CDLL(None), []",
          "for _ in range(400):",
          "  try:",
          "    pair = os.pipe(); kept.append(pair); os.set_blocking(pair[1], False)",
          "    fcntl.fcntl(pair[1], 1031, 1 << 20)",
          "    os.write(pair[1], bytes(1 << 20))",
          "  except OSError: pass",
          "  libc.inotify_init()",
          "time.sleep(600)",
        ].join("\n"),
        { background: true },
      ),
      bash("sleep 1; seq 100000 | tail -1", { says: /^100000\n$/ }),
    ],
    rightBecomes: "passed",
  },
];

import { type Attack, bash, python } from "./attack.ts";

const everyFile = (folder: string): string =>
  [
    "import itertools, os",
    `os.makedirs('${folder}', exist_ok=True); os.chdir('${folder}')`,
    "try:",
    "  for n in itertools.count(): os.close(os.open(str(n), os.O_CREAT | os.O_WRONLY))",
    "except OSError as error: print(error.strerror)",
  ].join("\n");

const fillDisks =
  "head -c 3G /dev/zero > /workspace/fill; head -c 3G /dev/urandom > /tmp/fill; head -c 3G /dev/zero > /dev/shm/fill";

const fillMemoryDisks =
  "import os; os.system('head -c 230M /dev/zero > fill; head -c 230M /dev/zero > /tmp/fill')";

/** Each as hard to choose as it can be made, and none of them large. */
export const evenly = [
  "import os, time",
  "def harden():",
  "  for value in (-1000, -999, -500, 0):",
  "    try:",
  "      fd = os.open('/proc/self/oom_score_adj', os.O_WRONLY)",
  "      os.write(fd, str(value).encode())",
  "      return",
  "    except OSError: pass",
  "harden()",
  "for _ in range(230):",
  "  try: pid = os.fork()",
  "  except OSError: continue",
  "  if pid == 0:",
  "    harden(); held = bytearray(4 << 20); time.sleep(600)",
  "time.sleep(3)",
];

/** Against memory, disk, inodes, processes and whoever reads output. */
export const attacksOnRoom: readonly Attack[] = [
  {
    name: "5 GB of output on both streams",
    steps: [
      bash("head -c 5G /dev/zero | tr '\\0' x; echo; echo end", { says: /end\n$/, timeoutMs: 120_000 }),
      bash("yes | head -c 5G >&2", { timeoutMs: 1500 }),
    ],
    rightBecomes: "passed",
  },
  {
    name: "endless output in the background",
    steps: [bash("yes & yes >&2 & echo started"), bash("echo next", { says: /^next\n$/ })],
    rightBecomes: "passed",
  },
  {
    name: "endless files for the file tools",
    steps: [
      { kind: "read", path: "/dev/zero", says: /^refused: Not a regular file/ },
      { kind: "read", path: "/proc/self/mem", says: /^refused/ },
      { kind: "read", path: "/proc/kmsg", says: /^refused/ },
      { kind: "read", path: "/dev/stdin", says: /^refused/ },
      { kind: "read", path: "/proc/1/mem", says: /^refused/ },
      { kind: "write", path: "/dev/full", says: /^refused/ },
      { kind: "write", path: "/proc/1/oom_score_adj", says: /^refused/ },
      bash("yes > grows & sleep 0.2; true"),
      { kind: "read", path: "/workspace/grows", says: /^read 65536 of/ },
    ],
    rightBecomes: "passed",
  },
  {
    name: "every file system full, then all memory",
    steps: [
      bash(fillDisks, { says: /No space left/ }),
      { kind: "write", path: "/workspace/more", says: /^refused: No space left/ },
      bash(`python3 -c "b'x' * (4 << 30)"`, { says: /out of memory/ }),
      bash("rm /workspace/fill; echo next", { says: /^next\n$/ }),
    ],
    rightBecomes: "passed",
  },
  {
    name: "a full workspace is taken and graded",
    steps: [bash("head -c 3G /dev/zero > fill", { says: /No space left/, timeoutMs: 60_000 })],
    rightBecomes: "passed",
  },
  {
    name: "all inodes",
    steps: [
      python(everyFile("/workspace/many"), { says: /^No space left/, timeoutMs: 60_000 }),
      python("print('ok')", { says: /ok/ }),
      python(everyFile("/tmp/many"), { says: /^No space left/, timeoutMs: 60_000 }),
    ],
    rightBecomes: "passed",
  },
  {
    name: "all processes",
    steps: [
      python(
        "import os, time\nwhile True:\n try:\n  os.fork() or time.sleep(600)\n except OSError: time.sleep(0.001)",
        { background: true },
      ),
      bash("sleep 1"),
      bash("sleep 1"),
      { kind: "write", path: "/workspace/more", says: /^(refused: cannot start a process|written)/ },
    ],
    rightBecomes: "passed",
  },
  {
    name: "memory by many small processes that the kernel would rather spare",
    steps: [
      python([fillMemoryDisks, ...evenly].join("\n"), { says: /out of memory/, timeoutMs: 120_000 }),
      bash("pkill -9 python3; rm -f fill /tmp/fill /dev/shm/fill"),
      bash("echo next", { says: /^next\n$/ }),
    ],
    rightBecomes: "passed",
  },
  {
    name: "memory by many processes",
    steps: [
      bash(
        'for i in $(seq 12); do python3 -c "x = bytearray(300 << 20); import time; time.sleep(5)" & done; wait',
        { timeoutMs: 30_000, says: /out of memory/ },
      ),
      bash("echo next", { says: /^next\n$/ }),
    ],
    rightBecomes: "passed",
  },
];

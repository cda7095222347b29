import { type Attack, bash, python } from "./attack.ts";

const instead = (command: string): ReturnType<typeof bash> => bash(`rm -f answer.txt; ${command}`);

/** Against whoever takes, keeps, unpacks and reads the workspace. */
export const attacksOnFiles: readonly Attack[] = [
  {
    name: "pipes, sockets and device nodes",
    steps: [
      bash("mkfifo pipe; mknod null c 1 3; mknod disk b 8 0; mkdir -p d; mkfifo d/pipe; chmod 0 d/pipe"),
      python("import socket\nsocket.socket(socket.AF_UNIX).bind('/workspace/socket')"),
    ],
    rightBecomes: "passed",
  },
  {
    name: "a pipe as the answer",
    steps: [instead("mkfifo answer.txt")],
    rightBecomes: "failed",
    short: true,
  },
  {
    name: "the answer is a link to what the grader compares with",
    steps: [instead("ln -s /grader/expected.txt answer.txt")],
    rightBecomes: "failed",
    answerIsGone: true,
    short: true,
  },
  {
    name: "the same by a detour",
    steps: [
      instead(
        "ln -s /proc/self/root root; ln -s root/grader hidden; ln -s hidden/../grader/expected.txt answer.txt",
      ),
    ],
    rightBecomes: "failed",
    answerIsGone: true,
    short: true,
  },
  {
    name: "the same by the grader's own descriptors and scratch folder",
    steps: [
      instead(
        "ln -s /tmp/grader/tmp/expected answer.txt; ln -s /dev/fd/3 made.txt; ln -s /proc/self/cwd/../grader/expected.txt src",
      ),
    ],
    rightBecomes: "failed",
    answerIsGone: true,
  },
  {
    name: "the answer is a link to an endless device",
    steps: [instead("ln -s /dev/zero answer.txt")],
    rightBecomes: "failed",
    answerIsGone: true,
  },
  {
    name: "the answer is a link to a file of the system or of the host",
    steps: [
      instead('ln -s "$CANARY" answer.txt; ln -s /etc/passwd passwd; ln -s ../../../../etc/shadow shadow'),
    ],
    rightBecomes: "failed",
  },
  {
    name: "overwriting a file of the host",
    steps: [
      bash(
        'mkdir -p "$(dirname "$CANARY")"; echo pwned > "$CANARY"; rm -rf "$(dirname "$CANARY")"; echo pwned > /etc/passwd',
      ),
      { kind: "read", path: "/etc/shadow", says: /^refused/ },
      { kind: "write", path: "/etc/passwd", says: /^refused/ },
    ],
    rightBecomes: "passed",
  },
  {
    name: "links that stay inside are honest",
    steps: [
      bash(
        "mv answer.txt real.txt; ln -s real.txt one; ln -s /workspace/one answer.txt; ln -s /usr/bin/python3 py",
      ),
    ],
    rightBecomes: "passed",
    short: true,
  },
  {
    name: "loops of links",
    steps: [
      bash("ln -s loop loop; ln -s a b; ln -s b a; ln -s . dot; ln -s dot/dot/dot/dot dots; ln -s .. up"),
      { kind: "read", path: "/workspace/loop", says: /^refused: Too many/ },
      { kind: "write", path: "/workspace/loop", says: /^refused: Too many/ },
    ],
    rightBecomes: "passed",
  },
  {
    name: "the answer is a loop of links",
    steps: [instead("ln -s answer.txt answer.txt")],
    rightBecomes: "failed",
  },
  {
    name: "setuid and setgid files",
    steps: [bash("cp /bin/bash sh; chmod 6777 sh; mkdir s; chmod 3777 s; ./sh -p -c 'id -u' | grep -x 1000")],
    rightBecomes: "passed",
  },
  {
    name: "two hundred hard links to one large file",
    steps: [bash("head -c 40M /dev/urandom > big; for i in $(seq 200); do ln big big$i; done")],
    rightBecomes: "passed",
  },
  {
    name: "names with escapes, newlines, options and other encodings",
    steps: [
      bash(
        [
          String.raw`touch $'\e[2J\e]0;pwned\a' $'new\nline' $'::error::pwned\r' $'\xff\xfe' $'\u202etxt.exe' ' ' '*' '\'`,
          "touch -- -rf --checkpoint=1 '--checkpoint-action=exec=sh pwn' --to-command=sh '--use-compress-program=sh'",
          "echo 'touch /tmp/pwned' > pwn; mkdir $'\\e[31m'; mkfifo $'\\e[31m/pipe\\n'",
        ].join("; "),
      ),
    ],
    rightBecomes: "passed",
    short: true,
  },
  {
    name: "the workspace renamed and replaced by a link",
    steps: [
      bash(
        'cd /; python3 -c \'import os; os.rename("/workspace", "/tmp/w")\'; rmdir /workspace; ln -sfT /etc /workspace; ln -s /etc /workspace/.; ls -d /workspace/',
        {
          says: /^\/workspace\/\n/,
        },
      ),
    ],
    rightBecomes: "passed",
  },
  {
    name: "rm -rf of the workspace, then a link in its place",
    steps: [bash("cd /; rm -rf /workspace; ln -sfT /etc /workspace")],
    rightBecomes: "failed",
  },
  {
    name: "deleting everything",
    steps: [bash("rm -rf --no-preserve-root / 2> /dev/null"), bash("echo next", { says: /^next\n$/ })],
    rightBecomes: "failed",
  },
  {
    name: "chmod 0 of everything",
    steps: [bash("mkdir d; echo x > d/f; chmod -R 0 /workspace; chmod 0 /workspace /tmp/home")],
    rightBecomes: "passed",
    short: true,
  },
  {
    name: "writing to the skill and reading a grader",
    steps: [
      bash(
        "echo pwned > /skill/SKILL.md; rm -rf /skill/*; mount -o remount,rw /skill; chmod 777 /skill; cat /skill/SKILL.md",
        { says: /^# A skill\n/ },
      ),
      bash("find / -xdev '(' -name 'expected*.txt' -o -path '*/grader/*' ')' 2> /dev/null; ls -d /grader", {
        says: /^\[stderr\]/,
      }),
    ],
    rightBecomes: "passed",
  },
  {
    name: "three hundred folders deep, and names of 255 bytes to 4 KB of path",
    steps: [
      python(
        [
          "import os",
          "os.chdir('/workspace')",
          "def dig(name, depth):",
          "  here = os.open('.', os.O_RDONLY)",
          "  for _ in range(depth): os.mkdir(name); os.chdir(name)",
          "  open('end', 'w').write('x'); os.fchdir(here)",
          "dig('d', 300); dig('n' * 255, 15); dig('\\n\\x1b' + 'm' * 250, 40)",
        ].join("\n"),
      ),
    ],
    rightBecomes: "passed",
  },
  {
    name: "towers of folders with long names, far beyond any path, and files on both sides of the limit",
    steps: [
      python(
        [
          "import os",
          "os.chdir('/workspace')",
          "here = os.open('.', os.O_RDONLY)",
          "def tower(name, depth):",
          "  for _ in range(depth):",
          "    os.mkdir(name); os.chdir(name); open('end', 'w').write('x')",
          "  os.fchdir(here)",
          "tower('n' * 255, 1000); tower('\\xff' * 127, 99); tower('a' * 39, 100)",
          "for size in range(60, 255): open('/'.join(['n' * 255] * 15 + ['f' * size]), 'w').close()",
          "os.chmod('n' * 255, 0)",
        ].join("\n"),
        { says: /^$/, timeoutMs: 60_000 },
      ),
    ],
    rightBecomes: "passed",
  },
  {
    name: "sparse files of two terabytes",
    steps: [
      bash(
        "for i in 1 2 3; do truncate -s 2T huge$i; done; echo x >> huge1; printf y | dd of=huge2 seek=1T bs=1 conv=notrunc",
      ),
      { kind: "read", path: "/workspace/huge1", says: /^read 65536 of 2199023255554/ },
    ],
    rightBecomes: "passed",
  },
  {
    name: "an answer of two terabytes",
    steps: [instead("truncate -s 2T answer.txt")],
    rightBecomes: "failed",
    graderMayBreak: true,
  },
  {
    name: "times beyond reason and attributes",
    steps: [
      bash("touch -d @-99999999999 past; touch -d @99999999999 future; touch -d @1 answer.txt"),
      python("import os\nos.setxattr('/workspace/answer.txt', 'user.note', b'x' * 1000)"),
    ],
    rightBecomes: "passed",
  },
];

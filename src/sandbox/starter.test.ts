import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openChanged } from "../testing/changed-container.ts";
import { collect, tell, testLabels, type Told } from "../testing/sandbox-containers.ts";
import { server } from "../testing/twins.ts";
import { type DockerSandbox, dockerSandbox } from "./docker-sandbox.ts";
import type { Container } from "./port.ts";
import { defaultSettings } from "./settings.ts";

const imageMs = 1_800_000;

let sandbox: DockerSandbox;
let container: Container;
beforeAll(async () => {
  sandbox = await dockerSandbox(defaultSettings);
  container = await openAgent();
}, imageMs);
afterAll(() => sandbox.close());

function openAgent(): Promise<Container> {
  return sandbox.open({ role: "agent", labels: testLabels, skill: null });
}

/** A Python program in the container that knows the starter's pid as `starter`. */
function python(...lines: string[]): Promise<Told> {
  const program = [
    "import os, signal, subprocess",
    `starter = int(subprocess.check_output(["pgrep", "-x", "starter"]))`,
  ];
  return tell(container, 'python3 -c "$PROGRAM"', { env: { PROGRAM: [...program, ...lines].join("\n") } });
}

/** What a command finds out about itself that another process of its uid could have changed on its way. */
const inherited =
  "ulimit -a; ps -o ni=,cls= -p $$; taskset -p $$ | cut -d: -f2; cat /proc/$$/oom_score_adj; umask; pwd; " +
  "grep -E '^(Seccomp|NoNewPrivs|SigBlk|SigCgt|CapEff)' /proc/self/status; ls /proc/self/fd; " +
  // The last two of these are glibc's own: what it spawns ignores them until it is a program of glibc's again.
  "echo $((16#$(sed -n 's/^SigIgn:.//p' /proc/self/status) & 0x7fffffff))";

/** More than one message to the starter holds: PID 1 starts the command itself. */
const part = "x".repeat(100_000);
const tooLarge = { A: part, B: part, C: part };

describe("the starter of an agent's commands", () => {
  let fresh: Told;

  beforeEach(async () => {
    await tell(container, "true"); // whatever the test before did to the starter, there is one again after this
    fresh = await tell(container, inherited);
  });

  test("is there, under its name, and only for the agent", async () => {
    expect((await tell(container, "ps -o comm= -p $PPID")).out).toBe("starter\n");
    const grading = await sandbox.open({ role: "grader", labels: testLabels, skill: null });
    expect((await tell(grading, "pgrep -cx starter; ps -o pid= -p $PPID")).out.replace(/ /g, "")).toBe(
      "0\n1\n",
    );
    await grading.dispose();
  });

  test("what it starts is as what PID 1 starts: limits, priority, signals, filter, descriptors", async () => {
    const forked = await tell(container, `ps -o pid= -p $PPID; ${inherited}`, { env: tooLarge });
    expect(forked.out.trimStart()).toBe(`1\n${fresh.out}`);
    expect(fresh.out).toContain("\n500\n");
  });

  test("the outcome of a command that ends it, or stops it, comes at once", async () => {
    expect(await tell(container, "kill -9 $PPID; sleep 0.1; echo said; exit 4")).toMatchObject({
      exitCode: 4,
      out: "said\n",
    });
    await tell(container, "true");
    const stopped = await tell(container, "kill -STOP $PPID; sleep 0.1; echo said; exit 5");
    expect(stopped).toMatchObject({ exitCode: 5, out: "said\n", timedOut: false, leftProcesses: false });
    expect(stopped.seconds).toBeLessThan(5);
  });

  test("the end of a command is told though it ends the starter before that has said which process it is", async () => {
    const slowToSay =
      "let_go = starter.let_go; starter.let_go = lambda sinks: (let_go(sinks), time.sleep(0.3))";
    const change = server(`import starter, time; ${slowToSay}`);
    const slow = await openChanged(sandbox, { role: "agent", labels: testLabels }, change);
    try {
      for (const command of ["kill -9 $PPID; exit 4", "kill -9 $PPID; sleep 0.5; exit 4"]) {
        expect((await tell(slow, "ps -o comm= -p $PPID")).out).toBe("starter\n");
        expect(await tell(slow, command)).toMatchObject({ exitCode: 4, signal: null, timedOut: false });
      }
      expect(await tell(slow, "kill -9 $PPID; sleep 20", { timeoutMs: 700 })).toMatchObject({
        timedOut: true,
      });
      expect((await tell(slow, "pgrep -x sleep; echo next")).out).toBe("next\n");
    } finally {
      await slow.dispose();
    }
  });

  test.each(["KILL", "STOP", "TERM", "INT", "SEGV"])(
    "SIG%s between two commands harms neither",
    async (name) => {
      await tell(container, `(sleep 0.2; kill -${name} $PPID) > /dev/null 2>&1 &`);
      await tell(container, "sleep 0.4");
      const next = await tell(container, "echo next");
      expect(next).toMatchObject({ exitCode: 0, out: "next\n" });
      expect(next.seconds).toBeLessThan(5);
    },
  );

  test.each([
    ["descriptors", "resource.prlimit(starter, resource.RLIMIT_NOFILE, (3, 3))"],
    ["memory", "resource.prlimit(starter, resource.RLIMIT_AS, (1 << 20, 1 << 20))"],
    ["the size of files", "resource.prlimit(starter, resource.RLIMIT_FSIZE, (0, 0))"],
    ["time", "resource.prlimit(starter, resource.RLIMIT_CPU, (1, 1))"],
    ["the stack", "resource.prlimit(starter, resource.RLIMIT_STACK, (4096, 4096))"],
    ["its priority", "os.setpriority(os.PRIO_PROCESS, starter, 19)"],
    ["its scheduling", "os.sched_setscheduler(starter, os.SCHED_IDLE, os.sched_param(0))"],
    ["its processors", "os.sched_setaffinity(starter, {min(os.sched_getaffinity(0))})"],
  ])("what a command lays on it does not reach the next: %s", async (_what, lay) => {
    expect(await python("import resource", lay, "print('laid')")).toMatchObject({ out: "laid\n" });
    expect((await tell(container, inherited)).out).toBe(fresh.out);
  });

  test("can be neither read nor traced", async () => {
    const { out, err } = await python(
      "import ctypes",
      "libc = ctypes.CDLL(None, use_errno=True)",
      "for request in (16, 0x4206): print('ptrace', libc.ptrace(request, starter, 0, 0))",
      "for name in ('mem', 'environ', 'maps', 'fd/0', 'fd/3', 'oom_score_adj', 'cwd', 'exe'):",
      "  for flags in (os.O_RDONLY, os.O_WRONLY):",
      "    try: os.open('/proc/%d/%s' % (starter, name), flags); print('open', name, flags)",
      "    except OSError: pass",
      "fd = os.pidfd_open(starter)",
      "print('pidfd_getfd', libc.syscall(438, fd, 3, 0))",
    );
    expect(err).toBe("");
    expect(out).toBe("ptrace -1\nptrace -1\nopen oom_score_adj 0\npidfd_getfd -1\n");
  });

  test("a request too large for one message is carried out all the same", async () => {
    expect((await tell(container, "echo ${#A} ${#B} ${#C}", { env: tooLarge })).out).toBe(
      "100000 100000 100000\n",
    );
  });

  test("a timeout spares unmarked processes of earlier commands, and ends those of its own", async () => {
    await tell(container, "setsid -f env -i sleep 961 > /dev/null 2>&1");
    await tell(container, "sleep 0.1");
    const told = await tell(container, "setsid -f env -i sleep 962 > /dev/null 2>&1; sleep 963", {
      timeoutMs: 300,
    });
    expect(told).toMatchObject({ timedOut: true, signal: "SIGKILL" });
    expect(
      (await tell(container, "pgrep -af 'sleep 96[1-3]$' | cut -d' ' -f2-; pkill -f 'sleep 96'")).out,
    ).toBe("sleep 961\n");
  });

  test("leaves no zombies, and a snapshot ends it with everything else", async () => {
    const own = await openAgent();
    for (let n = 0; n < 20; n++) await tell(own, "(exit 3) & sleep 0.01");
    expect((await tell(own, "ps -eo stat= | grep -c Z; pgrep -cx starter")).out).toBe("0\n1\n");
    await collect(own.snapshot());
    expect((await tell(own, "pgrep -cx starter")).out).toBe("0\n");
    await own.dispose();
  });

  test.each(["KILL", "STOP"])("a daemon that sends it SIG%s whenever it sees it", async (name) => {
    const own = await openAgent();
    const daemon = [
      "import os, signal",
      "while True:",
      "  for pid in os.listdir('/proc'):",
      "    try:",
      `      if pid.isdigit() and open('/proc/%s/comm' % pid).read() == 'starter\\n': os.kill(int(pid), signal.SIG${name})`,
      "    except OSError: pass",
    ].join("\n");
    await tell(own, 'python3 -c "$DAEMON" > /dev/null 2>&1 &', { env: { DAEMON: daemon } });
    const codes = new Set<number | string | null>();
    for (let n = 0; n < 30; n++) {
      const told = await tell(own, "echo next; exit 6", { timeoutMs: 1000 });
      codes.add(told.exitCode ?? told.signal);
    }
    expect(codes).toContain(6);
    expect([...codes].filter((code) => code !== 6 && code !== "SIGKILL")).toEqual([]);
    expect((await collect(own.snapshot())).length).toBeGreaterThan(0);
    await own.dispose();
  });
});

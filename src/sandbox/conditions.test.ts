import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { tell, testLabels } from "../testing/sandbox-containers.ts";
import { type DockerSandbox, dockerSandbox } from "./docker-sandbox.ts";
import type { Container } from "./port.ts";
import { defaultSettings } from "./settings.ts";

let sandbox: DockerSandbox;
let grading: Container;
beforeAll(async () => {
  sandbox = await dockerSandbox(defaultSettings);
  grading = await sandbox.open({ role: "grader", labels: testLabels, skill: null });
}, 600_000);
afterAll(async () => {
  await grading.dispose();
  await sandbox.close();
});

const ask = "echo ${ZONE-none} ${LANG}";
const plain = "none C.UTF-8\n";

describe("the environment", () => {
  const conditions = { env: { ZONE: "far", LANG: "tr_TR.UTF-8", SKILLPROOF_CALL: "0" } };
  const changed = "far tr_TR.UTF-8\n";

  test("reaches the command and lies over what the request says", async () => {
    expect((await tell(grading, ask, { conditions, env: { ZONE: "near" } })).out).toBe(changed);
  });

  test("reaches what sp-run starts, also from a program that cleared its own", async () => {
    const command = `env -i /usr/local/bin/sp-run -- bash -c "$1" | cat`;
    expect((await tell(grading, command.replace('"$1"', `'${ask}'`), { conditions })).out).toBe(changed);
  });

  test("gives way to what the grader gives sp-run", async () => {
    const command = `sp-run --env ZONE=own -- bash -c '${ask}' | cat`;
    expect((await tell(grading, command, { conditions })).out).toBe("own tr_TR.UTF-8\n");
  });

  test("leaves the mark of the call and the grader's own variables", async () => {
    const told = await tell(grading, "echo $SKILLPROOF_CALL $PYTHONSAFEPATH $USER", { conditions });
    expect(told.out).toMatch(/^[1-9]\d* 1 grader\n$/);
  });

  test("is gone with the command", async () => {
    await tell(grading, "true", { conditions });
    expect((await tell(grading, `${ask}; sp-run -- bash -c '${ask}' | cat`)).out).toBe(plain + plain);
  });

  test("takes any text, as names and values with spaces and line ends", async () => {
    const odd = "a b\n'\"$HOME é";
    const command = `printf %s "$ODD"; sp-run -- bash -c 'printf %s "$ODD"' | cat`;
    expect((await tell(grading, command, { conditions: { env: { ODD: odd } } })).out).toBe(odd + odd);
  });
});

describe("cores", () => {
  const count = "nproc; python3 -c 'import os; print(os.cpu_count(), len(os.sched_getaffinity(0)))'";
  const both = `${count}; sp-run -- bash -c "${count}" | cat`;

  test("are as many as were asked for, for the command and for what sp-run starts", async () => {
    expect((await tell(grading, both, { conditions: { cores: 1 } })).out).toBe("1\n1 1\n".repeat(2));
  });

  test("are all there are without, and when more are asked for", async () => {
    const { out } = await tell(grading, both);
    const known = Number(out.split("\n")[0]);
    expect(out).toBe(`${known}\n${known} ${known}\n`.repeat(2));
    expect((await tell(grading, both, { conditions: { cores: known + 1 } })).out).toBe(out);
  });

  test("go together with libraries of one's own to be loaded first", async () => {
    const env = { LD_PRELOAD: "/usr/$LIB/faketime/libfaketime.so.1", FAKETIME: "+400d" };
    const told = await tell(grading, "nproc; date +%Y", { conditions: { cores: 1, env } });
    const year = new Date(Date.now() + 400 * 86_400_000).getUTCFullYear();
    expect(told.out).toBe(`1\n${year}\n`);
    expect(told.err).toBe("");
  });
});

describe("under libfaketime", () => {
  const env = {
    LD_PRELOAD: "/usr/local/lib/skillproof/preloaded.so:/usr/$LIB/faketime/libfaketime.so.1",
    FAKETIME: "+400d",
  };
  const timed = (act: string): string =>
    [
      "import asyncio, concurrent.futures, queue, selectors, signal, subprocess, threading, time",
      "def uptime(): return float(open('/proc/uptime').read().split()[0])",
      "def swallowed(call, *errors):",
      "    try: call()",
      "    except errors: pass",
      "lock = threading.Lock(); lock.acquire()",
      "began = uptime()",
      act,
      "took = uptime() - began",
      "print('waited' if 0.25 < took < 8 else took)",
      "import os, sys; sys.stdout.flush(); os._exit(0)",
    ].join("\n");

  test.each([
    ["time.sleep", "time.sleep(0.3)"],
    [
      "a subprocess with a timeout",
      "swallowed(lambda: subprocess.run(['sleep', '9'], timeout=0.3), subprocess.TimeoutExpired)",
    ],
    [
      "a captured subprocess with a timeout",
      "swallowed(lambda: subprocess.run(['sleep', '9'], timeout=0.3, capture_output=True), subprocess.TimeoutExpired)",
    ],
    ["an event", "threading.Event().wait(0.3)"],
    ["a lock", "lock.acquire(timeout=0.3)"],
    ["a queue", "swallowed(lambda: queue.Queue().get(timeout=0.3), queue.Empty)"],
    [
      "a thread that is joined",
      "t = threading.Thread(target=time.sleep, args=(9,), daemon=True); t.start(); t.join(0.3)",
    ],
    [
      "a future",
      "f = concurrent.futures.ThreadPoolExecutor(1).submit(time.sleep, 9)\nswallowed(lambda: f.result(0.3), concurrent.futures.TimeoutError)",
    ],
    ["asyncio", "asyncio.run(asyncio.sleep(0.3))"],
    [
      "an alarm",
      "signal.signal(14, lambda *_: None); signal.setitimer(signal.ITIMER_REAL, 0.3); signal.pause()",
    ],
  ])("%s ends in time", async (_what, act) => {
    const request = { conditions: { env }, env: { PROGRAM: timed(act) }, timeoutMs: 15_000 };
    const told = await tell(grading, 'python3 -c "$PROGRAM"', request);
    expect(told.out + told.err).toBe("waited\n");
    expect(told.timedOut).toBe(false);
  });

  test("so do a C++ condition variable and timed mutex, a shell's timeout, and Node's timers", async () => {
    const program = `#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
int main() {
  std::mutex m; std::condition_variable c; std::timed_mutex t; std::unique_lock<std::mutex> held(m);
  bool timely = c.wait_for(held, std::chrono::milliseconds(50)) == std::cv_status::timeout;
  t.lock();
  bool got = true;
  std::thread([&] { got = t.try_lock_for(std::chrono::milliseconds(50)); }).join();
  std::puts(timely && !got ? "waited" : "wrong");
}
`;
    const command = [
      'echo "$PROGRAM" > $TMPDIR/w.cpp && g++ -pthread -o $TMPDIR/w $TMPDIR/w.cpp && $TMPDIR/w',
      "timeout 0.1 sleep 9; echo $?",
      "node -e 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50); setTimeout(() => console.log(\"waited\"), 50)'",
    ].join("\n");
    const told = await tell(grading, command, { conditions: { env }, env: { PROGRAM: program } });
    expect(told.out + told.err).toBe("waited\n124\nwaited\n");
  });

  test("sp-run's own time limit holds, and candidate code has the changed clock too", async () => {
    const command = "sp-run --timeout 0.3 -- sleep 9 2>/dev/null; echo $?; sp-run -- date +%Y | cat";
    const year = new Date(Date.now() + 400 * 86_400_000).getUTCFullYear();
    expect((await tell(grading, command, { conditions: { env } })).out).toBe(`124\n${year}\n`);
  });
});

test("an agent's container refuses conditions, and works on", async () => {
  const container = await sandbox.open({ role: "agent", labels: testLabels, skill: null });
  try {
    for (const conditions of [{}, { env: { ZONE: "far" } }, { cores: 1 }]) {
      await expect(tell(container, ask, { conditions })).rejects.toThrow("only for a grading container");
    }
    expect((await tell(container, ask)).out).toBe(plain);
  } finally {
    await container.dispose();
  }
});

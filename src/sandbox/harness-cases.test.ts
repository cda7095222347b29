/**
 * Failures that other harnesses had in their sandbox, one test each, named after the case. Where one is shown
 * elsewhere, or cannot arise here:
 *
 * D01 a timeout leaves processes       commands.contract.ts "a timeout ends everything the command started …"
 * D02 a timeout kills the wrong one    the same: the server kills by the pids it sees itself
 * D04 too many calls at once           here
 * D05 the stream breaks                here
 * D07 the container dies               docker-sandbox.test.ts "a container that is killed in the middle …"
 * D08 out of memory is invisible       here
 * D10 started before it is up          here (D04: a slow engine)
 * D11 a second Ctrl-C                  src/cli/resume.test.ts
 * D13 containers leak                  here
 * D14 disk fills with images           no image is made per trial; containers and volumes: docker-sandbox.test.ts "after close …"
 * D16 one image built twice at once    image.long.test.ts, file-lock.test.ts
 * D17 a start asks a registry          here
 * D19 AutoRemove                       here (S13)
 * D20 ten seconds per removal          here
 * D22 huge output                      commands.contract.ts "output past the limit …", the attack pack "5 GB of output …"
 * D23 bytes that are not UTF-8         commands.contract.ts "streams are apart, bytes are kept …"; as text: src/agents/tool-output.test.ts
 * D25 D26 host paths and their owners  here (S13: no host path is mounted; D05: over a proxy, where none could be)
 * D28 a write of 30 MB                 commands.contract.ts "files: 30 MB there and back …"
 * D29 too long a command line          commands.contract.ts "a command that cannot be started is an answer"; files go by stdin
 * D31 another shell, another PATH      here
 * D32 the engine runs out of networks  here (D17: none is made)
 * D34 commands start in /              here
 * D35 a cgroup that says `max`         no limit is read from inside, only the counter, from v2's file and then v1's
 * D37 too old an engine                the client asks for no API version, so the engine answers with its own
 * S01 a crafted tar                    tar.test.ts, confinement.contract.ts "a hostile tar writes nothing outside …"
 * S02 a path that ends in `..`         here
 * S04 /workspace replaced by a link    the attack pack "the workspace renamed …", "rm -rf of the workspace …"
 * S05 a sparse file of terabytes       confinement.contract.ts "a snapshot kills what is left …", the attack pack
 * S08 host paths in answers            here
 * S13 privileges                       here
 * S14 tools that reach the host        here
 * S16 the harness seen from inside     here
 * S07 S10 S11 S17                      not of the sandbox: keys, reports, viewer, export
 */
import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { performTrial } from "../evaluate/perform-trial.ts";
import { planTrials } from "../evaluate/plan-trials.ts";
import { answerBenchmark, sampleInputs } from "../testing/benchmark.ts";
import { EngineProxy } from "../testing/engine-proxy.ts";
import { tell, testLabels } from "../testing/sandbox-containers.ts";
import { type DockerSandbox, dockerSandbox } from "./docker-sandbox.ts";
import { type Container, SandboxError } from "./port.ts";
import { defaultSettings } from "./settings.ts";
import { packTree } from "./tar.ts";

let sandbox: DockerSandbox;
let shared: Container;
let folder: string;

beforeAll(async () => {
  sandbox = await dockerSandbox(defaultSettings);
  shared = await sandbox.open({ role: "agent", labels: testLabels, skill: null });
  folder = await mkdtemp(join(tmpdir(), "skillproof-cases-"));
}, 1_800_000);
afterAll(async () => {
  await shared.dispose();
  await sandbox.close();
  await rm(folder, { recursive: true });
});

const openFor = (trial: string, from = sandbox): Promise<Container> =>
  from.open({ role: "agent", labels: { ...testLabels, trial }, skill: null });

async function containersOf(trial: string): Promise<readonly string[]> {
  const filters = { label: [`skillproof.trial=${trial}`] };
  return (await sandbox.docker.listContainers({ all: true, filters })).map(({ Id }) => Id);
}

async function through(
  name: string,
  delayMs: number,
  act: (own: DockerSandbox, proxy: EngineProxy) => Promise<void>,
): Promise<void> {
  const address = join(folder, name);
  const proxy = await EngineProxy.at(address, delayMs);
  try {
    const own = await dockerSandbox({ ...defaultSettings, socket: address });
    try {
      await act(own, proxy);
    } finally {
      await own.close();
    }
  } finally {
    await proxy.close();
  }
}

test("D04 D10: sixteen containers asked for at once over a slow engine are all up, and each answers for itself", async () => {
  await through("slow.sock", 40, async (own) => {
    const numbers = Array.from({ length: 16 }, (_none, at) => at);
    const told = await Promise.all(
      numbers.map(async (number) => {
        const container = await openFor(randomUUID(), own);
        const { out } = await tell(container, `ls -R /usr/share > list; echo ${number}`);
        await container.dispose();
        return out;
      }),
    );
    expect(told).toEqual(numbers.map((number) => `${number}\n`));
  });
}, 180_000);

test("D05: a stream that is cut is a SandboxError for the command under way and for every later one", async () => {
  await through("cut.sock", 0, async (own, proxy) => {
    const container = await openFor(randomUUID(), own);
    const running = tell(container, "echo begun; sleep 30; echo done");
    const failed = expect(running).rejects.toThrow(SandboxError);
    setTimeout(() => {
      proxy.cut();
    }, 300);
    await failed;
    await expect(tell(container, "echo next")).rejects.toThrow(SandboxError);
    await expect(container.readFile("/etc/passwd", 10)).rejects.toThrow(SandboxError);
  });
}, 60_000);

test("D08: an out-of-memory kill of a child is said, with the command's own exit code", async () => {
  const container = await openFor(randomUUID());
  const told = await tell(container, `(python3 -c "b'x' * (2 << 30)") > /dev/null 2>&1 || true; exit 3`);
  expect(told).toMatchObject({ exitCode: 3, outOfMemory: true, timedOut: false });
  await container.dispose();
});

test("D13: an agent that throws leaves no container", async () => {
  const [trial] = planTrials(sampleInputs(), "recipe");
  const own = await dockerSandbox(defaultSettings);
  const agent = {
    id: "broken",
    standIn: true,
    work: () => Promise.reject(new Error("a fault of ours")),
  };
  const tools = {
    sandbox: own,
    agent,
    pack: packTree,
    record: () => undefined,
    spool: () => Promise.reject(new Error("not reached")),
  };
  const campaign = randomUUID();
  const context = {
    campaign,
    limits: { turns: 1, outputTokens: 1, seconds: 1, commandSeconds: 1, maxTokensPerTurn: 1 },
    toolsHash: "t",
    voids: 0,
  };
  await expect(performTrial(trial!, answerBenchmark(), null, tools, context)).rejects.toThrow(
    "a fault of ours",
  );
  await own.close();
  const filters = { label: [`skillproof.campaign=${campaign}`] };
  expect(await sandbox.docker.listContainers({ all: true, filters })).toEqual([]);
});

test("D17 D32: a start asks for no image and makes no network", async () => {
  await through("log.sock", 0, async (own, proxy) => {
    await (await openFor(randomUUID(), own)).dispose();
    const kinds = proxy.asked.map((line) => line.replace(/\/v[\d.]+\//, "/").replace(/[?#].*$/, ""));
    expect(kinds).toContain("POST /containers/create");
    expect(kinds.filter((line) => /^POST \/(images|build|networks|distribution)/.test(line))).toEqual([]);
  });
});

test("D20: what ignores every signal is removed at once", async () => {
  const own = await dockerSandbox(defaultSettings);
  const trial = randomUUID();
  const container = await openFor(trial, own);
  await tell(
    container,
    "for i in 1 2 3; do setsid -f bash -c 'trap \"\" TERM INT HUP; sleep 600' > /dev/null 2>&1; done",
  );
  const begun = performance.now();
  await container.dispose();
  await own.close();
  expect(await containersOf(trial)).toEqual([]);
  // An engine that stops politely waits ten seconds.
  expect(performance.now() - begun).toBeLessThan(9000);
}, 60_000);

test("D31: no start file of a shell is read, and PATH is one for agent, grader and candidate", async () => {
  const plant =
    "for f in .bashrc .profile .bash_profile .bash_login; do echo 'PATH=/nowhere; echo planted' > ~/$f; done";
  await tell(shared, plant);
  const agent = await tell(shared, "echo $PATH; shopt -q login_shell || echo plain");
  const grader = await sandbox.open({ role: "grader", labels: testLabels, skill: null });
  const [path, kind] = agent.out.split("\n");
  expect(kind).toBe("plain");
  expect((await tell(grader, "echo $PATH; sp-run -- sh -c 'echo $PATH' | cat")).out).toBe(
    `${path}\n${path}\n`,
  );
  await grader.dispose();
});

test("D34: a command starts in /workspace", async () => {
  expect((await tell(shared, "pwd")).out).toBe("/workspace\n");
});

test.each([
  ["/workspace/..", "Is a directory"],
  ["/workspace/away/../etc/shadow", "Permission denied"],
  ["/workspace/away", "Is a directory"],
  ["/workspace/shadow", "Permission denied"],
  ["/workspace/../../../etc/shadow", "Permission denied"],
])("S02: %s is looked up inside, by the kernel", async (path, reason) => {
  await tell(shared, "ln -sfT / away; ln -sf ../../etc/shadow shadow");
  expect(await shared.readFile(path, 100)).toMatchObject({ kind: "refused", reason });
});

test("S08: no answer tells where the harness or its server lives", async () => {
  const answers = [
    await shared.readFile("/workspace/nul\0byte", 10),
    await shared.readFile("/root/x", 10),
    await shared.readFile("/workspace/" + "n".repeat(5000), 10),
    await shared.writeFile("/proc/1/mem", Buffer.from("x")),
    await shared.writeFile("/workspace", Buffer.from("x")),
    await tell(shared, "true", { cwd: "/nowhere" }),
    await tell(shared, `: ${"x".repeat(200_000)}`),
    await tell(shared, "env; kill -9 $$"),
  ].map((answer) => JSON.stringify({ ...answer, stdout: null, stderr: null, descriptor3: null }));
  for (const answer of answers) {
    expect(answer).not.toMatch(/Traceback|toolserver|\.py\b|node_modules/);
    expect(answer).not.toContain(process.cwd());
  }
});

test("S13 D19 D25: the engine gives a container nothing but its file systems", async () => {
  const trial = randomUUID();
  const container = await openFor(trial);
  const [id = ""] = await containersOf(trial);
  const { HostConfig: host, Mounts: mounts } = await sandbox.docker.getContainer(id).inspect();
  expect(host).toMatchObject({
    Privileged: false,
    AutoRemove: false,
    NetworkMode: "none",
    CapDrop: ["ALL"],
    ReadonlyRootfs: true,
  });
  expect(host.SecurityOpt).toEqual(["no-new-privileges"]);
  expect([host.PidMode, host.UTSMode, host.UsernsMode].map((mode) => mode ?? "")).toEqual(["", "", ""]);
  expect([host.Binds ?? [], host.Devices ?? [], host.CapAdd ?? []]).toEqual([[], [], []]);
  expect(mounts.filter(({ Type }) => Type === "bind")).toEqual([]);
  await container.dispose();
});

test("S14: a path of the host is no path in the container, for any tool", async () => {
  const secret = join(folder, "secret.txt");
  await writeFile(secret, "secret");
  expect(await shared.readFile(secret, 100)).toMatchObject({ kind: "refused" });
  expect((await tell(shared, `cat ${secret} ${import.meta.filename}; ls /var/run/docker.sock`)).out).toBe("");
  expect(await shared.writeFile(secret, Buffer.from("inside"))).toEqual({ kind: "written" });
  expect((await tell(shared, `cat ${secret}`)).out).toBe("inside");
});

test("S16: an agent can change nothing of the harness, and finds no grader, reference or other skill", async () => {
  const writable = "find / -xdev -writable ! -type l ! -path '/proc/*' ! -path '/dev/*' 2> /dev/null";
  expect((await tell(shared, writable)).out).toBe("/tmp\n/workspace\n");
  const seen =
    "find / -xdev '(' -name 'grader*' -o -name 'SKILL.md' -o -name 'reference*' ')' -path '*skillproof*' 2> /dev/null; ls -d /skill /grader";
  expect((await tell(shared, seen)).out).toBe("");
  expect(
    (await tell(shared, "find /usr/local/lib/skillproof ! -user root -o -perm /022 ! -type l")).out,
  ).toBe("");
});

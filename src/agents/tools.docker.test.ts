import { afterAll, beforeAll, expect, test } from "vitest";
import { type DockerSandbox, dockerSandbox } from "../sandbox/docker-sandbox.ts";
import type { Container } from "../sandbox/port.ts";
import { defaultSettings } from "../sandbox/settings.ts";
import { agentTools } from "./tools.ts";

let sandbox: DockerSandbox;
let container: Container;
beforeAll(async () => {
  sandbox = await dockerSandbox(defaultSettings);
  container = await sandbox.open({
    role: "agent",
    labels: { campaign: "test", trial: "tools" },
    skill: null,
  });
}, 600_000);
afterAll(async () => {
  await container.dispose();
  await sandbox.close();
});

async function said(name: string, args: object, timeoutMs = 20_000): Promise<string> {
  const call = { id: "a", name, arguments: JSON.stringify(args) };
  return (await agentTools.execute(call, { container, timeoutMs })).text;
}

const bash = (command: string, timeoutMs?: number): Promise<string> => said("bash", { command }, timeoutMs);

test.each([
  ["pwd", "/workspace\n[exit code 0]"],
  ["true", "(no output)\n[exit code 0]"],
  ["echo out; echo err >&2; exit 3", "out\n[stderr]\nerr\n[exit code 3]"],
  ["kill -SEGV $$", "(no output)\n[ended by signal SIGSEGV]"],
  ["cat", "(no output)\n[exit code 0]"],
  ["sleep 30 & echo started", "started\n[it left processes running in the background]\n[exit code 0]"],
])("bash: %s", async (command, expected) => {
  expect(await bash(command)).toBe(expected);
});

test("bash: a command over its time is stopped, and what it printed is kept", async () => {
  expect(await bash("echo before; sleep 30", 1000)).toBe(
    "before\n[stopped after 1 s: the time limit of a command]",
  );
});

test("bash: a flood of umlauts is cut between characters", async () => {
  const text = await bash(`python3 -c 'print("€" * 100000)'`);
  expect(text).toMatch(/^€+\n\[… \d+ bytes left out …\]\n€+\n\[exit code 0\]$/);
  expect(Buffer.byteLength(text)).toBeLessThan(16 * 1024 + 100);
});

test("a file is written with its folders, run, and read again", async () => {
  const content = "#!/bin/sh\necho grüße\n";
  expect(await said("write_file", { path: "bin/greet", content })).toBe(
    "Wrote 23 bytes to /workspace/bin/greet.",
  );
  expect(await bash("sh bin/greet")).toBe("grüße\n[exit code 0]");
  expect(await said("read_file", { path: "bin/greet" })).toBe(content);
});

test.each([
  { name: "read_file", args: { path: "none" }, says: /^Cannot read: / },
  { name: "read_file", args: { path: "/workspace" }, says: /^Cannot read: / },
  { name: "read_file", args: { path: "/bin/true" }, says: /^\(binary file: ELF program, \d+ bytes/ },
  { name: "write_file", args: { path: "/etc/passwd", content: "x" }, says: /^Cannot write: / },
])("$name $args.path is answered in words", async ({ name, args, says }) => {
  expect(await said(name, args)).toMatch(says);
});

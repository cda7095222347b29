import { expect, test } from "vitest";
import { taskTomlWith } from "../../testing/formats/harbor/task.ts";
import { parseTaskToml, readTaskToml, readVersions, type TaskToml } from "./read-task-toml.ts";

function read(text: string): TaskToml {
  const table = parseTaskToml(new TextEncoder().encode(text));
  if (typeof table === "string") throw new Error(table);
  return readTaskToml(table);
}
const lost = (text: string): readonly string[] =>
  read(text).losses.map(({ part, words }) => `${part}: ${words}`);

test("every field of a usual file is used or named as a loss, with what it said", () => {
  const { title, reasons, workdir } = read(taskTomlWith({}));
  expect({ title, reasons, workdir }).toEqual({ title: "Count crates by depot", reasons: [], workdir: null });
  expect(lost(taskTomlWith({}))).toEqual([
    "task.toml [task] authors: a list of 1: not kept",
    "task.toml [task] keywords: a list of 1: not kept",
    'task.toml [metadata] difficulty: "easy": not kept',
    "task.toml [agent] timeout_sec: 300: agents are limited by the campaign (evaluation.limits)",
    "task.toml [verifier] timeout_sec: 60: graders are limited by the campaign (gate.graderSeconds)",
    "task.toml [environment] build_timeout_sec: 600: nothing is built",
    "task.toml [environment] cpus: 1: containers are limited by the campaign (sandbox)",
    "task.toml [environment] memory_mb: 2048: containers are limited by the campaign (sandbox)",
  ]);
});

test.each([...readVersions])("schema %s is read, by the old name too", (version) => {
  expect(read(`schema_version = "${version}"`).reasons).toEqual([]);
  expect(read(`version = "${version}"`).reasons).toEqual([]);
});

test.each<[string, Readonly<Record<string, string>>, string]>([
  ["an unknown field at the top", { "": "colour = 1" }, "task.toml colour: 1: no such field is known here"],
  ["an unknown field of a table", { agent: "mood = 'x'" }, 'task.toml [agent] mood: "x": no such field'],
  ["an unknown table", { weather: "sun = true" }, "task.toml weather: {sun}: no such field"],
  [
    "artifacts",
    { "": "artifacts = ['/x']" },
    "task.toml artifacts: a list of 1: the whole workspace is kept",
  ],
  ["a user", { agent: "user = 'root'" }, "none of them root"],
  [
    "an image beside the Dockerfile",
    { environment: "docker_image = 'x'" },
    "replaced by the sandbox's image",
  ],
  ["variables", { environment: "env = { A = '1' }" }, "{A}: not set"],
  ["a hostile key", { agent: '"\\u001b[2J" = 1' }, '[agent] "\\u001b[2J": 1: no such field'],
  ["a date", { metadata: "made = 2031-05-01" }, "[metadata] made: 2031-05-01"],
])("%s is a loss", (_what, lines, words) => {
  expect(lost(taskTomlWith(lines)).join("\n")).toContain(words);
});

test("a file without a version or a network mode says what is assumed", () => {
  expect(lost("")).toEqual([
    "task.toml schema_version: missing, so it is read as 1.3",
    "task.toml [environment] network_mode: omitted, which means a public network: here agents and graders have none",
  ]);
});

test.each<[string, string, string]>([
  ["a newer schema", 'schema_version = "1.5"', 'is "1.5"; "1.0", "1.1", "1.2", "1.3", "1.4" are read'],
  ["a version as a number", "version = 1.0", "is 1;"],
  [
    "a public network",
    "[environment]\nnetwork_mode = 'public'",
    '[environment] network_mode: is "public"; agents and graders here have no network',
  ],
  ["an agent's network", "[agent]\nnetwork_mode = 'allowlist'", "[agent] network_mode: is"],
  [
    "a verifier's network",
    "[verifier]\nallowed_hosts = ['a']",
    "[verifier] allowed_hosts: names a list of 1",
  ],
  ["the internet", "[environment]\nallow_internet = true", "allow_internet: is true"],
  ["Windows", "[environment]\nos = 'windows'", 'os: is "windows"; containers here are Linux'],
  ["GPUs", "[environment]\ngpus = 1", "gpus: is 1"],
  ["kinds of GPU", "[environment]\ngpu_types = ['h100']", "gpu_types: names GPUs"],
  ["a TPU", "[environment]\ntpu = { type = 'x' }", "tpu: names a TPU"],
  ["servers", "[[environment.mcp_servers]]\nname = 'x'", "mcp_servers: names MCP servers"],
  ["a health check", "[environment.healthcheck]\ncommand = 'x'", "healthcheck: waits for a service"],
  ["steps", "[[steps]]\nname = 'a'", "task.toml steps: has steps"],
  ["a separate verifier", "[verifier]\nenvironment_mode = 'separate'", 'environment_mode: is "separate"'],
  ["a verifier's environment", "[verifier.environment]\ncpus = 1", "[verifier] environment: describes"],
  ["a key of the host", "[verifier]\nenv = { KEY = '${KEY}' }", "takes KEY from the host"],
  ["numbers as variables", "[verifier]\nenv = { A = 1 }", "must be a table of texts"],
  ["a relative folder", "[environment]\nworkdir = 'app'", "must be an absolute path"],
  ["a table that is none", "environment = 3", "task.toml environment: must be a table; it is 3"],
  ["a name that is no text", "[task]\nname = 3", "[task] name: must be a text"],
])("%s is refused", (_what, text, words) => {
  expect(read(text).reasons.join("\n")).toContain(words);
});

test("empty lists and what holds anyhow are neither lost nor refused", () => {
  const environment =
    "os = 'linux'\ngpus = 0\ngpu_types = []\nmcp_servers = []\nallowed_hosts = []\nallow_internet = false\nworkdir = '/app/'";
  const { losses, reasons, workdir } = read(
    `version = "1.0"\n[environment]\n${environment}\n[verifier]\nenvironment_mode = "shared"\nenv = { A = "1" }\n`,
  );
  expect({ losses, reasons, workdir }).toEqual({ losses: [], reasons: [], workdir: "/app" });
});

test.each<[string, string | Uint8Array | undefined, string]>([
  ["missing", undefined, "task.toml: missing"],
  ["binary", new Uint8Array([0x61, 0, 0xff]), "task.toml: not UTF-8 text"],
  ["broken", "a = 1\nb = \n", "task.toml, line 2: not valid TOML"],
  ["nested deeply in its keys", `a${".a".repeat(100_000)} = [`, "not valid TOML"],
  ["nested deeply", `a = ${"[".repeat(100_000)}`, "not valid TOML"],
  ["with an unsafe key", "[__proto__]\nx = 1\n", "not valid TOML"],
])("a file that is %s", (_what, content, words) => {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  expect(parseTaskToml(bytes)).toContain(words);
});

test("a file of ten thousand fields names the first ones, counts the rest, and hides no reason behind them", () => {
  const count = 10_000;
  const many = Array.from({ length: count }, (_, at) => `k${at} = 1`).join("\n");
  const { losses, reasons } = read(
    `schema_version = "1.3"\n${many}\n[environment]\nnetwork_mode = "public"\n`,
  );
  const named = losses.filter(({ part }) => /^task\.toml k/.test(part)).length;
  expect(named).toBeLessThan(300);
  expect(losses.map(({ words }) => words)).toContain(`${count - named} more fields are not kept`);
  expect(reasons).toEqual([expect.stringContaining("[environment] network_mode")]);
});

test.each<[string, string, string | null]>([
  ["a short description", "name = 'a/b'\ndescription = 'Short'", "Short"],
  ["its first line", "name = 'a/b'\ndescription = '''\nOne\nTwo'''", "One"],
  ["a name without one", "name = 'a/b'", "a/b"],
  ["a name where it is too long", `name = 'a/b'\ndescription = '${"x".repeat(500)}'`, "a/b"],
  ["nothing", "keywords = []", null],
])("the title is %s", (_what, lines, title) => {
  expect(read(`[task]\n${lines}\n`).title).toBe(title);
});

import { mkdir, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { capturedIo } from "../testing/captured-io.ts";
import { startFake } from "../testing/fake-openrouter.mjs";
import { sampleCampaign } from "../testing/sample-campaign.ts";
import { main } from "./main.ts";

let folder: string;
beforeEach(async () => {
  folder = await sampleCampaign({ models: { baseUrl: "http://127.0.0.1:9/v1" } });
});
afterEach(() => rm(folder, { recursive: true }));

async function refusal(args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const before = (await readdir(folder, { recursive: true })).sort();
  const io = capturedIo(folder, { env });
  expect(await main(args, io), io.stderr()).toBe(2);
  expect((await readdir(folder, { recursive: true })).sort(), "something was written").toEqual(before);
  expect(io.stdout()).toBe("");
  return io.stderr();
}

test("a folder without SKILL.md", async () => {
  await mkdir(join(folder, "skills/empty"));
  expect(await refusal(["build", "skills/empty"])).toMatch(/empty.*SKILL\.md/);
});

test("a folder that is not there", async () => {
  expect(await refusal(["build", "skills/nowhere"])).toContain(
    "skills/nowhere: not a folder that can be read",
  );
});

test("unparsable frontmatter under --strict, with its line", async () => {
  await writeFile(join(folder, "skills/sample/SKILL.md"), "---\nname: [\n---\n\n# A\n\ntext\n");
  const words = await refusal(["build", "skills/sample", "--strict", "--until", "chunk"]);
  expect(words).toMatch(/SKILL\.md/);
  expect(words).toMatch(/line 1|:1/);
});

test("a campaign's file with unknown and ill-typed keys: all at once", async () => {
  await writeFile(join(folder, "skillproof.config.yaml"), "name: x\nsede: 1\nevaluation: {trials: many}\n");
  const words = await refusal(["eval"]);
  expect(words).toContain("2 problem(s)");
  expect(words).toContain("sede: unknown key; did you mean seed?");
  expect(words).toContain("evaluation.trials");
});

test("no campaign's file", async () => {
  expect(await refusal(["eval", "--config", "nowhere.yaml"])).toMatch(
    /nowhere\.yaml: cannot be read.*--config/,
  );
});

test("a missing key names the variable", async () => {
  await writeFile(join(folder, "skillproof.config.yaml"), "name: x\nskills: [skills/sample]\n");
  const words = await refusal(["eval", "--models", "a/b"]);
  expect(words).toContain("OPENROUTER_API_KEY is not set");
});

test("an engine that does not answer", async () => {
  const server = await startFake();
  try {
    await writeFile(
      join(folder, "skillproof.config.yaml"),
      `name: x\nskills: [skills/sample]\nmodels: {baseUrl: "${server.baseURL}"}\nsandbox: {socket: ${folder}/no.sock}\n`,
    );
    expect(await refusal(["eval", "--models", "acme/coder"])).toMatch(/no\.sock/);
  } finally {
    await server.close();
  }
});

test("an unknown model, with the one that was meant", async () => {
  const server = await startFake();
  try {
    await writeFile(
      join(folder, "skillproof.config.yaml"),
      `name: x\nskills: [skills/sample]\nmodels: {baseUrl: "${server.baseURL}"}\n`,
    );
    const words = await refusal(["eval", "--models", "acme/codr,acme/coder"]);
    expect(words).toContain('unknown model "acme/codr": did you mean acme/coder');
  } finally {
    await server.close();
  }
});

test("a stand-in that the policy does not have", async () => {
  await writeFile(
    join(folder, "policy.yaml"),
    "format: skillproof/stand-in-policy@1\nmodels:\n  stand-in/a: {tasks: []}\n",
  );
  await writeFile(
    join(folder, "skillproof.config.yaml"),
    "name: x\nskills: [skills/sample]\nmodels: {standIn: policy.yaml}\n",
  );
  expect(await refusal(["eval", "--models", "stand-in/b"])).toMatch(/stand-in\/b.*stand-in\/a/s);
});

test("a benchmark whose files changed since its gate", async () => {
  await writeFile(join(folder, "benchmarks/sample/answer/task.md"), "Another task.\n");
  const words = await refusal(["eval", "--models", "a/b"]);
  expect(words).toMatch(/sample\/answer: its files changed since the gate.*skillproof validate/);
});

type Files = Readonly<Record<string, string | { readonly linkTo: string }>>;

test.each<[string, Files, RegExp]>([
  ["a link", { "fixtures/up": { linkTo: "../../../etc/passwd" } }, /fixtures\/up.*link/],
  ["a reserved name", { "fixtures/AGENTS.md": "x" }, /fixtures\/AGENTS\.md.*reserved/],
  ["a reserved folder", { "fixtures/.claude/settings.json": "{}" }, /\.claude.*reserved/],
  [
    "a file over the limit",
    { "fixtures/big.bin": "x".repeat(2 ** 20 + 1) },
    /fixtures\/big\.bin.*(MiB|bytes)/,
  ],
  ["no task", { "task.md": "" }, /task\.md: empty/],
])("a draft with %s", async (_words, files, expected) => {
  for (const [path, content] of Object.entries(files)) {
    const full = join(folder, "benchmarks/sample/answer", path);
    await mkdir(join(full, ".."), { recursive: true });
    if (typeof content === "string") await writeFile(full, content);
    else await symlink(content.linkTo, full);
  }
  // Refused rather than misused: the bundle is at fault, not the command.
  const io = capturedIo(folder);
  expect(await main(["validate", "benchmarks/sample/answer"], io)).toBe(1);
  expect(io.stdout()).toMatch(expected);
});

test.each([
  [["eval", "--trials", "none"], /--trials none/],
  [["eval", "--trials", "100000000000"], /--trials 100000000000: say a whole number from 1 to 1000/],
  [["eval", "--models", "a/b,c/d,a/b"], /--models a\/b,c\/d,a\/b: a\/b stands there twice/],
  [["eval", "--only", "nothing", "--models", "a/b"], /nothing: no such benchmark; /],
  [["eval"], /evaluation\.models: none named/],
  [["report", "nowhere"], /nowhere: no campaign there/],
  [["build", "skills/sample", "--until", "lunch"], /--until lunch/],
  [["evil"], /unknown command 'evil'.*eval/s],
])("%j", async (args, expected) => {
  expect(await refusal(args)).toMatch(expected);
});

test("help names the exit codes and ends with 0", async () => {
  const io = capturedIo(folder);
  expect(await main(["--help"], io)).toBe(0);
  expect(io.stdout()).toContain("Exit codes:");
});

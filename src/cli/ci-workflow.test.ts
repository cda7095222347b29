import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { load } from "js-yaml";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { capturedIo } from "../testing/captured-io.ts";
import { main } from "./main.ts";

const file = new URL("../../docs/ci/skillproof.yml", import.meta.url);
const permissionsSchema = z.record(z.string(), z.enum(["read", "write"]));
const stepSchema = z.object({
  name: z.string().optional(),
  uses: z.string().optional(),
  run: z.string().optional(),
  env: z.record(z.string(), z.string()).optional(),
  with: z.record(z.string(), z.unknown()).optional(),
});
const workflowSchema = z.object({
  on: z.record(z.string(), z.unknown()),
  permissions: permissionsSchema,
  jobs: z.record(
    z.string(),
    z.object({
      if: z.string(),
      permissions: permissionsSchema,
      "timeout-minutes": z.number(),
      steps: z.array(stepSchema),
    }),
  ),
});

let text: string;
let workflow: z.infer<typeof workflowSchema>;
let steps: z.infer<typeof stepSchema>[];
let folder: string;

beforeAll(async () => {
  text = await readFile(file, "utf8");
  workflow = workflowSchema.parse(load(text));
  steps = Object.values(workflow.jobs).flatMap((job) => job.steps);
});
beforeEach(async () => {
  if (folder !== "") await rm(folder, { recursive: true });
  folder = await mkdtemp(join(tmpdir(), "ci-workflow-"));
});
folder = "";
afterAll(() => rm(folder, { recursive: true }));

function scripts(): readonly string[] {
  return steps.flatMap(({ run }) => run ?? []);
}

/** The words after `skillproof` of every command, without redirections and what follows them. */
function commands(): readonly (readonly string[])[] {
  return scripts().flatMap((script) =>
    [...script.matchAll(/^\s*npx --no-install skillproof (.*)$/gm)].map(([, rest = ""]) =>
      (rest.split(/ (?:>|\|\|?|&&) ?/)[0] ?? "")
        .split(/\s+/)
        .map((word) => word.replace(/^"\$(\w+)"$/, "$1")),
    ),
  );
}

test("the workflow calls eval, compare and image, and everything of it goes through npx --no-install", () => {
  expect(commands().map(([name]) => name)).toEqual(["image", "eval", "compare"]);
  const mentions = scripts().flatMap((script) => script.match(/\bskillproof (?:[a-z]+)\b/g) ?? []);
  expect(mentions).toHaveLength(commands().length);
});

test("the program takes every command of it: what it complains of is the empty folder", async () => {
  for (const words of commands()) {
    const io = capturedIo(folder);
    expect(await main(words, io)).toBe(2);
    expect(io.stderr()).toMatch(/^error: .*(skillproof\.config\.yaml|no campaign there)/);
    expect(io.stderr()).not.toMatch(/unknown|too many arguments|missing required/);
  }
});

test("an option that the program does not have would be found", async () => {
  const io = capturedIo(folder);
  expect(await main(["eval", "--yes", "--fail-if", "hurts"], io)).toBe(2);
  expect(io.stderr()).toMatch(/unknown option/);
});

test("rights are named per job and are no more than each needs; forks get nothing", () => {
  expect(workflow.permissions).toEqual({});
  expect(Object.fromEntries(Object.entries(workflow.jobs).map(([id, job]) => [id, job.permissions]))).toEqual(
    {
      evaluate: { contents: "read", actions: "read" },
      comment: { "pull-requests": "write" },
    },
  );
  expect(Object.keys(workflow.on).sort()).toEqual(["pull_request", "push", "workflow_dispatch"]);
  expect(text).not.toContain("pull_request_target");
  expect(workflow.jobs["evaluate"]?.if).toContain("head.repo.full_name == github.repository");
  expect(workflow.jobs["comment"]?.steps.map(({ uses }) => uses)).not.toContainEqual(
    expect.stringContaining("checkout"),
  );
});

test("no expression stands in a script, secrets only in the environment, actions by major version", () => {
  for (const script of scripts()) expect(script).not.toContain("${{");
  const secrets = text.split("\n").filter((line) => line.includes("secrets."));
  expect(secrets.map((line) => line.trim())).toEqual([
    "OPENROUTER_API_KEY: ${{ secrets.OPENROUTER_API_KEY }}",
  ]);
  expect(
    steps.filter(({ env }) => env?.["OPENROUTER_API_KEY"] !== undefined).map(({ name }) => name),
  ).toEqual(["Evaluate"]);
  for (const { uses } of steps) if (uses !== undefined) expect(uses).toMatch(/^actions\/[a-z-]+@v\d+$/);
});

/** Executes the script of a step as the host of the workflow does, with stand-ins for gh and npx. */
async function execute(name: string, stubs: Readonly<Record<string, string>>, env: Record<string, string>) {
  const script = steps.find((step) => step.name === name)?.run ?? "exit 99";
  for (const [program, body] of Object.entries(stubs)) {
    await writeFile(join(folder, program), `#!/usr/bin/env bash\necho "${program} $*" >> calls\n${body}\n`);
    await chmod(join(folder, program), 0o755);
  }
  const files = { GITHUB_OUTPUT: join(folder, "output"), GITHUB_STEP_SUMMARY: join(folder, "summary") };
  await Promise.all([...Object.values(files), join(folder, "calls")].map((path) => writeFile(path, "")));
  const PATH = `${folder}:${process.env["PATH"] ?? ""}`;
  const options = { cwd: folder, env: { PATH, ...files, ...env } };
  const code = await promisify(execFile)("bash", ["-e", "-c", script], options).then(
    () => 0,
    (error: unknown) => z.object({ code: z.number() }).parse(error).code,
  );
  const read = (path: string): Promise<string> => readFile(join(folder, path), "utf8");
  return { code, output: await read("output"), summary: await read("summary"), calls: await read("calls") };
}

async function place(path: string, content: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), content);
}

test("the campaign is found by its plan, whatever else lies in out/", async () => {
  await place("out/cache/x.json", "{}");
  await place("out/mine-1a/plan.json", "{}");
  await place("out/mine-1a/report/report.md", "# mine\n");
  const { code, output, summary } = await execute("Find the campaign", {}, {});
  expect({ code, output, summary }).toEqual({ code: 0, output: "folder=out/mine-1a\n", summary: "# mine\n" });
  await rm(join(folder, "out"), { recursive: true });
  expect(await execute("Find the campaign", {}, {})).toMatchObject({ code: 0, output: "" });
});

const found = `if [ "$2" = list ]; then echo 11; echo 12; exit; fi
if [ "$3" = 11 ]; then exit 1; fi
mkdir -p base/mine-0f && echo '{}' > base/mine-0f/plan.json`;
const env = { BASE_BRANCH: "main; touch hacked", HEAD_CAMPAIGN: "out/mine-1a" };

test.each<[string, string, string, Awaited<ReturnType<typeof execute>>["code"], string]>([
  ["a regression", found, "echo '<!-- skillproof-compare:mine -->'; exit 1", 1, "compared=true\n"],
  ["no regression", found, "echo '<!-- skillproof-compare:mine -->'", 0, "compared=true\n"],
  ["nothing that can be compared", found, "exit 2", 2, ""],
  ["no report of the base branch", 'if [ "$2" != list ]; then exit 1; fi; echo 11', "exit 9", 0, ""],
  ["nothing was ever pushed", "true", "exit 9", 0, ""],
  ["no list of what was pushed", "exit 4", "exit 9", 4, ""],
])("compare: %s", async (_name, gh, npx, code, output) => {
  const ended = await execute("Compare with the base branch", { gh, npx }, env);
  expect({ code: ended.code, output: ended.output }).toEqual({ code, output });
  expect(ended.calls).toContain("--branch main; touch hacked --event push");
  await expect(readFile(join(folder, "hacked"))).rejects.toThrow("ENOENT");
  if (gh === found)
    expect(ended.calls).toContain("skillproof compare base/mine-0f out/mine-1a --fail-on regression");
});

test.each<[string, string, string, number, string | null]>([
  ["a first comment", "<!-- skillproof-compare:mine -->", "", 0, "--method POST repos/o/r/issues/7/comments"],
  [
    "a later one",
    "<!-- skillproof-compare:mine -->",
    "31\n32",
    0,
    "--method PATCH repos/o/r/issues/comments/31",
  ],
  ["a text of somebody else", "# hello", "31", 1, null],
])("comment: %s", async (_name, first, ids, code, call) => {
  await place("comparison/comparison.md", `${first}\n\n# Mine\n`);
  const gh = `if [ "$2" = --paginate ]; then printf '${ids}'; fi`;
  const ended = await execute("Write the comment, or replace it", { gh }, { GH_REPO: "o/r", NUMBER: "7" });
  expect(ended.code).toBe(code);
  const written = ended.calls.split("\n").filter((line) => line.includes("--method"));
  expect(written).toEqual(call === null ? [] : [`gh api --silent ${call} -F body=@body.md`]);
});

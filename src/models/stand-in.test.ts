import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { UserError } from "../errors.ts";
import { chatModelContract, contractTask, writeFileSpec } from "./chat-model.contract.ts";
import type { ChatMessage, ChatModel, ChatTurn } from "./port.ts";
import { standInJudge, standInModel } from "./stand-in.ts";
import { loadStandInPolicy, type StandInPolicy } from "./stand-in-policy.ts";

const policyText = `
format: skillproof/stand-in-policy@1
models:
  stand-in/thorough:
    tasks:
      - task: Export the ledger of March.
        look: [references/ledger.md, references/dates.md]
        facts: ["Fields are parted by a pipe.", "Weeks begin on Wednesday."]
        knowing:
          files_from: solved
          write: [{ path: notes.txt, content: "by convention" }]
          commands: ["rm old.csv"]
          say: Exported by the convention.
        otherwise: { write: [{ path: out.csv, content: "a,b" }], say: "Exported as CSV." }
      - task: ${contractTask.task}
        facts: [nobody says this]
        knowing: { say: never }
        otherwise: { write: [{ path: out.txt, content: right }], say: Done. }
  stand-in/idle:
    tasks:
      - { task: Export the ledger of March., facts: [unspoken], knowing: { say: a }, otherwise: { say: "Nothing to do." } }
judges:
  - { question: "${contractTask.judge}", yes_if: ["${contractTask.yesIf}", "/artefact:\\\\s+RIGHT/i"] }
`;

let folder: string;
let policy: StandInPolicy;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "stand-in-"));
  await mkdir(join(folder, "solved", "bin"), { recursive: true });
  await writeFile(join(folder, "solved", "out.csv"), "a|b\n");
  await writeFile(join(folder, "solved", "bin", "it's.sh"), "#!/bin/sh\n");
  await chmod(join(folder, "solved", "bin", "it's.sh"), 0o755);
  await writeFile(join(folder, "solved", "logo.bin"), Buffer.from([0xff, 0x00, 0x80]));
  await writeFile(join(folder, "policy.yaml"), policyText);
  policy = await loadStandInPolicy(join(folder, "policy.yaml"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const task: ChatMessage = { role: "user", content: "# Job\n\nExport the ledger\nof March." };
const withSkill: readonly ChatMessage[] = [
  { role: "system", content: "Skill. Weeks begin on\n  Wednesday. See references/ledger.md." },
  task,
];

/** Plays a conversation to its end; `files` answers read_file by path. */
async function play(
  model: ChatModel,
  opening: readonly ChatMessage[],
  files: Readonly<Record<string, string>> = {},
): Promise<{ turns: readonly ChatTurn[]; calls: readonly string[]; said: string | null }> {
  const messages = [...opening];
  const turns: ChatTurn[] = [];
  for (;;) {
    const answer = await model.complete({ messages, tools: [writeFileSpec], maxTokens: 100 });
    if (answer.kind === "failure") throw new Error(answer.message);
    turns.push(answer);
    const { toolCalls, content } = answer.message;
    const calls = turns.flatMap((turn) =>
      turn.message.toolCalls.map(({ name, arguments: args }) => `${name} ${args}`),
    );
    if (toolCalls.length === 0) return { turns, calls, said: content };
    messages.push(answer.message);
    for (const call of toolCalls) {
      const { path = "" } = JSON.parse(call.arguments) as { path?: string };
      const text =
        call.name === "read_file" ? (files[path] ?? "no such file") : "Fields are parted by a pipe.";
      messages.push({ role: "tool", toolCallId: call.id, content: text });
    }
  }
}

const ledger = { "/skill/references/ledger.md": "Fields are parted by a pipe. See references/dates.md." };

describe("a stand-in", () => {
  test("looks where the skill points, follows from there, and does what it now knows", async () => {
    const { calls, said } = await play(standInModel("stand-in/thorough", policy), withSkill, ledger);
    expect(calls).toEqual([
      'read_file {"path":"/skill/references/ledger.md"}',
      'read_file {"path":"/skill/references/dates.md"}',
      `write_file {"path":"bin/it's.sh","content":"#!/bin/sh\\n"}`,
      `bash ${JSON.stringify({ command: `mkdir -p -- "$(dirname -- 'logo.bin')" && base64 -d > 'logo.bin' <<'EOF'\n/wCA\nEOF` })}`,
      'write_file {"path":"out.csv","content":"a|b\\n"}',
      'write_file {"path":"notes.txt","content":"by convention"}',
      `bash ${JSON.stringify({ command: String.raw`chmod +x -- 'bin/it'\''s.sh'` })}`,
      'bash {"command":"rm old.csv"}',
    ]);
    expect(said).toBe("Exported by the convention.");
  });

  test("without the skill it looks at nothing and does what it would do anyway", async () => {
    const { calls, said } = await play(standInModel("stand-in/thorough", policy), [task], ledger);
    expect(calls).toEqual(['write_file {"path":"out.csv","content":"a,b"}']);
    expect(said).toBe("Exported as CSV.");
  });

  test("one fact missing is not knowing, and what its own commands print teaches it nothing", async () => {
    const { said } = await play(standInModel("stand-in/thorough", policy), withSkill);
    expect(said).toBe("Exported as CSV.");
  });

  test("what it said itself is no fact", async () => {
    const own: ChatMessage = { role: "assistant", content: "Weeks begin on Wednesday.", toolCalls: [] };
    const opening = [{ role: "system", content: "Fields are parted by a pipe." } as const, task, own];
    expect((await play(standInModel("stand-in/thorough", policy), opening)).said).toBe("Exported as CSV.");
  });

  test("with nothing to do it speaks at once", async () => {
    const { turns, said } = await play(standInModel("stand-in/idle", policy), [task]);
    expect(said).toBe("Nothing to do.");
    expect(turns).toHaveLength(1);
  });

  test("a task without a policy is said and ended", async () => {
    const other: ChatMessage = { role: "user", content: "Bake a cake." };
    const { said } = await play(standInModel("stand-in/thorough", policy), [other]);
    expect(said).toBe("I have no policy for this task.");
  });

  test("the same conversation gives the same turn, with tokens counted and no cost", async () => {
    const model = standInModel("stand-in/thorough", policy);
    const request = { messages: withSkill, tools: [writeFileSpec], maxTokens: 100 };
    const one = await model.complete(request);
    expect(await model.complete(request)).toEqual(one);
    expect(one).toMatchObject({ usage: { cachedInputTokens: 0, costUsd: 0 }, servedBy: "stand-in" });
  });

  test("it is marked as a stand-in", () => {
    expect(standInModel("stand-in/idle", policy).standIn).toBe(true);
    expect(standInJudge("anything", policy).standIn).toBe(true);
  });

  test("an unknown id names the known ones", () => {
    expect(() => standInModel("stand-in/clever", policy)).toThrow(UserError);
    expect(() => standInModel("stand-in/clever", policy)).toThrow("stand-in/thorough, stand-in/idle");
  });
});

test("a judge without a rule for the question says NO", async () => {
  const request = { messages: [{ role: "user", content: "Is it nice?" } as const], tools: [], maxTokens: 10 };
  expect(await standInJudge("j", policy).complete(request)).toMatchObject({ message: { content: "NO" } });
});

chatModelContract("standInModel", () =>
  Promise.resolve({
    agent: standInModel("stand-in/thorough", policy),
    judge: standInJudge("stand-in/judge", policy),
    close: () => Promise.resolve(),
  }),
);

describe("a policy that cannot be used", () => {
  const head = "format: skillproof/stand-in-policy@1\n";
  const entry = (more: string): string =>
    `${head}models: { m: { tasks: [{ task: t, facts: [f], knowing: { say: s${more} }, otherwise: { say: s } }] } }\n`;
  test.each([
    { name: "bad YAML", text: `${head}models: {`, says: /policy-bad\.yaml: .*line/s },
    { name: "another format", text: "format: x@1\nmodels: {}\n", says: /format: .*stand-in-policy@1/ },
    {
      name: "an unknown key, with its place",
      text: entry(", sya: x"),
      says: /models\.m\.tasks\.0\.knowing: .*sya/,
    },
    {
      name: "a folder that is not there",
      text: entry(", files_from: nowhere"),
      says: /files_from "nowhere" cannot be read/,
    },
    {
      name: "a broken expression",
      text: `${head}models: {}\njudges: [{ question: q, yes_if: ["/(/"] }]\n`,
      says: /yes_if "\/\(\/"/,
    },
    {
      name: "all faults at once",
      text: `${head}models: { m: { tasks: [{ task: t }] } }\nextra: 1\n`,
      says: /facts[^]*knowing[^]*otherwise[^]*extra/,
    },
  ])("$name", async ({ text, says }) => {
    const path = join(folder, "policy-bad.yaml");
    await writeFile(path, text);
    const answer = loadStandInPolicy(path);
    await expect(answer).rejects.toThrow(UserError);
    await expect(answer).rejects.toThrow(says);
  });

  test("a file that is not there", async () => {
    await expect(loadStandInPolicy(join(folder, "none.yaml"))).rejects.toThrow(/none\.yaml cannot be read/);
  });
});

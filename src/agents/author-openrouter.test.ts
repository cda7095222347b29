import { afterAll, beforeAll, expect, test } from "vitest";
import { type FileTree, isExecutable, textOf } from "../artefacts/tree.ts";
import { authorContract, contractDraft, contractRequest } from "../author/author.contract.ts";
import type { Author, AuthorAnswer, AuthorRequest } from "../author/port.ts";
import { InfrastructureError } from "../errors.ts";
import type { ChatModel } from "../models/port.ts";
import { standInModel } from "../models/stand-in.ts";
import type { StandInBehaviour, StandInPolicy } from "../models/stand-in-policy.ts";
import { type DockerSandbox, dockerSandbox } from "../sandbox/docker-sandbox.ts";
import { type Sandbox, SandboxError } from "../sandbox/port.ts";
import { defaultSettings } from "../sandbox/settings.ts";
import { packTree, readTarTree } from "../sandbox/tar.ts";
import { treeOf } from "../testing/benchmark.ts";
import { scriptedModel, type ScriptedStep } from "../testing/scripted-model.ts";
import { openRouterAuthor } from "./author-openrouter.ts";

let sandbox: DockerSandbox;
beforeAll(async () => {
  sandbox = await dockerSandbox(defaultSettings);
}, 600_000);
afterAll(() => sandbox.close());

const limits = { turns: 5, outputTokens: 10_000, seconds: 120, commandSeconds: 20, maxTokensPerTurn: 4096 };

function authorWith(model: ChatModel, place: Sandbox = sandbox): Author {
  return openRouterAuthor({
    model: { id: model.id, open: () => Promise.resolve(model) },
    sandbox: place,
    pack: packTree,
    readTree: readTarTree,
    limits,
    campaign: "test",
    seed: 7,
  });
}

/** Writes the sound draft once it has been told of a fault, the broken one before. */
const policy: StandInPolicy = {
  path: "policy",
  judges: [],
  models: new Map([
    [
      "stand-in/author",
      [
        {
          task: contractDraft.sentence,
          look: [],
          facts: ["Attempt 2"],
          knowing: delivering(contractDraft.bundle.tree),
          otherwise: delivering(contractDraft.broken.tree),
        },
      ],
    ],
  ]),
};

function delivering(tree: FileTree): StandInBehaviour {
  const writes = tree.flatMap((entry) =>
    entry.kind === "file"
      ? [{ path: `draft/${entry.path}`, bytes: entry.bytes, executable: isExecutable(entry.mode) }]
      : [],
  );
  return { writes, commands: [], say: "Done." };
}

authorContract("openrouter", () => {
  const author = authorWith(standInModel("stand-in/author", policy));
  const draft: Author["draft"] = (request, signal) =>
    author.draft({ ...request, prompt: `${request.prompt}\nAttempt ${request.attempt}\n` }, signal);
  return Promise.resolve({ author: { ...author, draft }, close: () => Promise.resolve() });
});

const bash = (command: string): ScriptedStep => ({ calls: [{ name: "bash", arguments: { command } }] });
const done: ScriptedStep = { say: "Done." };

function draft(
  steps: readonly [ScriptedStep, ...ScriptedStep[]],
  over: Partial<AuthorRequest> = {},
): Promise<AuthorAnswer> {
  return authorWith(scriptedModel(steps)).draft(contractRequest({ previous: [], ...over }));
}

test("it sees its assets and its last draft, and no network", async () => {
  const command =
    "mkdir -p draft/fixtures && cat assets/scripts/make.py draft/old.txt > draft/fixtures/seen.txt && ls /sys/class/net >> draft/fixtures/seen.txt";
  const answer = await draft([bash(command), done], {
    assets: treeOf({ "scripts/make.py!": "make\n" }),
    previous: treeOf({ "old.txt": "old\n" }),
  });
  expect(answer.kind === "draft" && textOf(answer.tree, "fixtures/seen.txt")).toBe("make\nold\nlo\n");
  expect(answer.kind === "draft" && answer.tree.map((entry) => entry.path)).toEqual([
    "fixtures/seen.txt",
    "old.txt",
  ]);
  expect(answer.log).toContain("> bash");
});

test("a draft left at a limit is a draft", async () => {
  const answer = await draft([bash("mkdir -p draft && echo x > draft/task.md")]);
  expect(answer.kind).toBe("draft");
  expect(answer.log).toContain("turn_limit");
});

test.each<[string, readonly [ScriptedStep, ...ScriptedStep[]], string]>([
  ["nothing written", [done], "the author stopped by itself and left no file below /workspace/draft"],
  ["work elsewhere", [bash("echo x > task.md"), done], "left no file below /workspace/draft"],
  ["a limit, nothing written", [bash("true")], "the author was stopped (turn limit) and left no file"],
  ["a blocked request", [{ failure: "blocked" }], "was blocked by the provider's filter (scripted blocked)"],
  ["a pipe", [bash("mkdir draft; mkfifo draft/pipe"), done], "pipe: not a file, folder or link"],
  [
    "a setuid file",
    [bash("mkdir draft; touch draft/su; chmod 4755 draft/su"), done],
    "su: has a setuid or setgid bit",
  ],
])("%s gives nothing", async (_what, steps, reason) => {
  const answer = await draft(steps);
  expect(answer.kind).toBe("nothing");
  expect(answer.kind === "nothing" && answer.reason).toContain(reason);
});

test("a link is handed over, for the parser of drafts to refuse", async () => {
  const answer = await draft([bash("mkdir draft; ln -s /etc/passwd draft/l"), done]);
  expect(answer.kind === "draft" && answer.tree).toEqual([
    { kind: "link", path: "l", target: "/etc/passwd" },
  ]);
});

test.each(["infrastructure", "stop_model", "stop_all"] as const)(
  "%s is no attempt, and leaves no container",
  async (failure) => {
    await expect(draft([bash("true"), { failure }])).rejects.toThrow(InfrastructureError);
  },
);

test("a lost container is no attempt either", async () => {
  const lost = new SandboxError("the container is gone");
  const author = authorWith(scriptedModel([done]), {
    image: sandbox.image,
    open: () => Promise.reject(lost),
  });
  const failure = author.draft(contractRequest());
  await expect(failure).rejects.toThrow(InfrastructureError);
  await expect(failure).rejects.toMatchObject({ cause: lost });
});

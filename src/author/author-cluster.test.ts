import { expect, test } from "vitest";
import type { Bundle } from "../artefacts/bundle.ts";
import type { GateRecord } from "../artefacts/gate.ts";
import { type FileTree, overlay } from "../artefacts/tree.ts";
import { InfrastructureError } from "../errors.ts";
import { answerBundle, passedGate, treeOf } from "../testing/benchmark.ts";
import { fakeAuthor } from "../testing/fake-author.ts";
import { authorCluster, faultsOf } from "./author-cluster.ts";
import type { ClusterRequest } from "./cluster-request.ts";
import { failedMarkdown } from "./failed.ts";
import type { AuthorAnswer } from "./port.ts";

const request: ClusterRequest = {
  id: "sample/answers",
  titles: ["Answers", "Questions"],
  sections: [
    { file: "SKILL.md", path: ["Sample", "Answers"], text: "Answer with the word right.", tokens: 6 },
  ],
  assets: treeOf({ "scripts/make.py!": "make\n" }),
};
const sound = answerBundle("answers").tree;
const draftOf = (tree: FileTree, log = "worked"): AuthorAnswer => ({ kind: "draft", tree, log });
const nothing: AuthorAnswer = {
  kind: "nothing",
  reason: "the program ended with exit code 3",
  log: "no `key` set",
};
const malformed = draftOf(sound.filter((entry) => entry.path !== "task.md"));
const linked = draftOf(overlay(sound, [{ kind: "link", path: "fixtures/l", target: "/etc/passwd" }]));
const options = { toolList: "- python3 3.11", maxAttempts: 3 };

function refusedGate(bundle: Bundle, words: string): GateRecord {
  const record = passedGate(bundle);
  return {
    ...record,
    passed: false,
    checks: [...record.checks, { check: "empty-fails", passed: false, words, warnings: [], evidence: null }],
  };
}

test("a draft that passes at once is kept", async () => {
  const author = fakeAuthor([draftOf(sound)]);
  const authored = await authorCluster(
    request,
    author,
    (bundle) => Promise.resolve(passedGate(bundle)),
    options,
  );
  expect(authored).toMatchObject({
    kind: "kept",
    bundle: { id: "answers" },
    gate: { passed: true },
    attempts: [{ kind: "passed", attempt: 1 }],
  });
  expect(author.requests).toHaveLength(1);
  expect(author.requests[0]).toMatchObject({
    id: "sample/answers",
    titles: request.titles,
    attempt: 1,
    assets: request.assets,
    previous: [],
  });
  expect(author.requests[0]?.prompt).toContain("Answer with the word right.");
  expect(author.requests[0]?.prompt).not.toContain("What was wrong");
});

test("what went wrong goes back with the last draft, until the gate passes it", async () => {
  const author = fakeAuthor([malformed, nothing, draftOf(sound)]);
  const gated: number[] = [];
  const gate = (bundle: Bundle, attempt: number): Promise<GateRecord> => {
    gated.push(attempt);
    return Promise.resolve(passedGate(bundle));
  };
  const authored = await authorCluster(request, author, gate, options);
  expect(authored.kind).toBe("kept");
  expect(authored.attempts.map((attempt) => attempt.kind)).toEqual(["malformed", "nothing", "passed"]);
  expect(gated).toEqual([3]);
  const [, second, third] = author.requests;
  expect(second?.prompt).toContain("task.md: missing. It states the task to the agent.");
  expect(third?.prompt).toContain("No draft was delivered: the program ended with exit code 3");
  expect(third?.prompt).not.toContain("task.md: missing");
  // A lost attempt does not lose the draft before it.
  expect(third?.previous.map((entry) => entry.path)).toEqual(second?.previous.map((entry) => entry.path));
  expect(second?.previous.map((entry) => entry.path)).toContain("grader/grade");
});

test("the gate's words go back", async () => {
  const author = fakeAuthor([draftOf(sound)]);
  const gate = (bundle: Bundle, attempt: number): Promise<GateRecord> =>
    Promise.resolve(
      attempt === 2 ? passedGate(bundle) : refusedGate(bundle, "The empty workspace passes\nexit code 0"),
    );
  const authored = await authorCluster(request, author, gate, options);
  expect(authored.kind).toBe("kept");
  expect(author.requests[1]?.prompt).toContain("Check empty-fails: The empty workspace passes\nexit code 0");
});

test("links of a refused draft are not laid out for the next attempt", async () => {
  const author = fakeAuthor([linked, draftOf(sound)]);
  await authorCluster(request, author, (bundle) => Promise.resolve(passedGate(bundle)), options);
  expect(author.requests[1]?.previous.filter((entry) => entry.kind === "link")).toEqual([]);
});

test("after the last attempt it is given up, and FAILED.md tells everything", async () => {
  const author = fakeAuthor([nothing, malformed, draftOf(sound, "```\n# not a heading\n\u001b[2J")]);
  const gate = (bundle: Bundle): Promise<GateRecord> =>
    Promise.resolve(refusedGate(bundle, "The empty workspace passes"));
  const authored = await authorCluster(request, author, gate, options);
  expect(authored.kind).toBe("given-up");
  expect(author.requests).toHaveLength(3);
  expect(failedMarkdown(request, author.backend, authored.attempts)).toBe(`# No benchmark: sample/answers

Given up after 3 attempts by the author \`fake\`. The sections were:

\`\`\`text
Answers
Questions
\`\`\`

## Attempt 1: nothing delivered

\`\`\`text
No draft was delivered: the program ended with exit code 3
\`\`\`

The end of the author's log:

\`\`\`text
no \`key\` set
\`\`\`

## Attempt 2: 1 fault in the draft's form

\`\`\`text
task.md: missing. It states the task to the agent.
\`\`\`

The end of the author's log:

\`\`\`text
worked
\`\`\`

## Attempt 3: refused by empty-fails

\`\`\`text
Check empty-fails: The empty workspace passes
\`\`\`

The end of the author's log:

\`\`\`\`text
\`\`\`
# not a heading
\ufffd[2J
\`\`\`\`
`);
});

test("a broken world is no attempt", async () => {
  const broken = new InfrastructureError("the provider is gone");
  const author = fakeAuthor([broken]);
  await expect(
    authorCluster(request, author, (bundle) => Promise.resolve(passedGate(bundle)), options),
  ).rejects.toBe(broken);
  await expect(
    authorCluster(request, fakeAuthor([draftOf(sound)]), () => Promise.reject(broken), options),
  ).rejects.toBe(broken);
});

test("an interrupt stops between attempts", async () => {
  const stop = new AbortController();
  const author = fakeAuthor([nothing]);
  const onAttempt = (attempt: number): void => {
    if (attempt === 1) stop.abort(new Error("interrupted by the user"));
  };
  const authored = authorCluster(request, author, (bundle) => Promise.resolve(passedGate(bundle)), {
    ...options,
    onAttempt,
    signal: stop.signal,
  });
  await expect(authored).rejects.toThrow("interrupted by the user");
  expect(author.requests).toHaveLength(1);
});

test("an attempt that passed has no faults", () => {
  expect(faultsOf({ kind: "passed", attempt: 1, gate: passedGate(answerBundle()), log: "" })).toEqual([]);
});

import { expect, test } from "vitest";
import { type Activation, activationSchema } from "../artefacts/activation.ts";
import { type TranscriptLine, transcriptLineSchema } from "../artefacts/transcript.ts";
import { treeOf } from "../testing/benchmark.ts";
import { activationOf } from "./activation.ts";
import type { PlacedSkill } from "./treatments/deliver.ts";

const common = "A line that stands in more than one of the files.";
const tideLine = "High tide comes twenty-four minutes later each day.";
const windLine = "The west wind brings rain to the harbour by noon.";
const inside = "    A reference that nobody else has, with an indent.";

function placed(name: string, files: Readonly<Record<string, string>>, root = `/skill/${name}`): PlacedSkill {
  return { root, skill: { name, description: null, file: "SKILL.md", files: treeOf(files) } };
}

const tide = placed("tide", {
  "SKILL.md": `# Tide\n\n${tideLine}\n${common}\n`,
  "references/a.md": `${inside}\n${common}\n`,
  "run.sh!": "#!/bin/sh\nexit 0\n",
});
const wind = placed("wind", { "SKILL.md": `# Wind\r\n\r\n${windLine}\r\n` });

type Call = readonly [name: string, args: object | string, answer: string];

/** A transcript with these calls, one list for each turn of the model. */
function transcript(...turns: readonly (readonly Call[])[]): readonly TranscriptLine[] {
  const lines = turns.flatMap((calls, turn) => [
    {
      kind: "assistant",
      text: null,
      toolCalls: calls.map(([name, args], index) => ({
        id: `call_${index}`,
        name,
        arguments: typeof args === "string" ? args : JSON.stringify(args),
      })),
      finish: "tool_calls",
    },
    { kind: "note", text: `after turn ${turn + 1}` },
    ...calls.map(([name, , text], index) => ({
      kind: "tool",
      toolCallId: `call_${index}`,
      name,
      text,
      seconds: 0,
    })),
  ]);
  const task = [
    { kind: "system", text: tideLine },
    { kind: "user", text: "task" },
  ];
  return [...task, ...lines].map((line) => transcriptLineSchema.parse(line));
}

const read = (path: string, answer = "text"): Call => ["read_file", { path }, answer];
const bash = (command: string, answer = ""): Call => ["bash", { command }, answer];

/** `<path>@<turn> <how>` of a skill's openings. */
function opened(activation: Activation | undefined): string[] {
  return (activation?.opened ?? []).map(({ path, turn, how }) => `${path}@${turn} ${how}`);
}

test.each<[why: string, turns: (readonly Call[])[], opened: string[]]>([
  ["nothing", [[]], []],
  ["read_file", [[], [read("/skill/tide/SKILL.md")]], ["SKILL.md@2 named"]],
  ["read_file by a relative path", [[read("../skill/tide/./SKILL.md")]], ["SKILL.md@1 named"]],
  ["a file that is not there", [[read("/skill/tide/SKIL.md", "Cannot read: no such file")]], []],
  ["a file that could not be read", [[read("/skill/tide/SKILL.md", "Cannot read: it is away")]], []],
  ["a file of the same name elsewhere", [[read("SKILL.md"), read("/workspace/tide/SKILL.md")]], []],
  ["bash", [[bash("cat /skill/tide/SKILL.md", tideLine)]], ["SKILL.md@1 named"]],
  ["a script", [[bash("/skill/tide/run.sh")]], ["run.sh@1 named"]],
  ["listing alone", [[bash("ls -R /skill; find /skill -name '*.md'", "/skill/tide/SKILL.md")]], []],
  [
    "what a loop shows",
    [[bash("cd /skill && find . -type f | xargs cat", `${tideLine}\n${common}\n`)]],
    ["SKILL.md@1 shown"],
  ],
  [
    "a search that shows a line",
    [[bash("grep -rn tide /skill", `/skill/tide/SKILL.md:3:${tideLine}`)]],
    ["SKILL.md@1 shown"],
  ],
  ["numbered lines", [[bash("cat -n x", `     3\t${tideLine}`)]], ["SKILL.md@1 shown"]],
  ["an indented line", [[bash("cat copy.md", `${inside}\n`)]], ["references/a.md@1 shown"]],
  ["a line of several files", [[bash("cat copy.md", common)]], []],
  ["a line within another", [[bash("cat copy.md", `${tideLine} And more.`)]], []],
  [
    "several, once each",
    [[read("/skill/tide/references/a.md"), bash("cat /skill/tide/*.md")], [read("/skill/tide/SKILL.md")]],
    ["references/a.md@1 named", "SKILL.md@1 named"],
  ],
  ["arguments that are no JSON", [[["read_file", '{"path":"/skill/tide/SKILL.md', "Invalid call"]]], []],
  ["arguments that do not fit", [[["read_file", { file: "/skill/tide/SKILL.md" }, "Invalid call"]]], []],
  [
    "writing",
    [[["write_file", { path: "/skill/tide/SKILL.md", content: "x" }, "Cannot write: read-only"]]],
    [],
  ],
])("%s", (_, turns, expected) => {
  const [activation] = activationOf(transcript(...turns), [tide, wind]);
  expect(opened(activation)).toEqual(expected);
  expect(activationSchema.parse(activation)).toEqual(activation);
});

test("a call without an answer opens nothing, and an answer belongs to the latest call of its id", () => {
  const cut = transcript([read("/skill/tide/SKILL.md")]).filter(({ kind }) => kind !== "tool");
  expect(activationOf(cut, [tide])[0]?.turn).toBeNull();
  const twice = transcript([read("/workspace/a")], [read("/skill/tide/SKILL.md")]);
  expect(activationOf(twice, [tide])[0]).toMatchObject({ turn: 2, instructionsTurn: 2 });
});

test("skills are told apart, and files before SKILL.md count as an opening of their own", () => {
  const turns = transcript(
    [read("/skill/tide/references/a.md")],
    [bash("cat x", windLine)],
    [read("/skill/tide/SKILL.md")],
  );
  const found = activationOf(turns, [tide, wind]);
  expect(found.map(({ skill, turn, instructionsTurn }) => ({ skill, turn, instructionsTurn }))).toEqual([
    { skill: "tide", turn: 1, instructionsTurn: 3 },
    { skill: "wind", turn: 2, instructionsTurn: 2 },
  ]);
});

test("an injected skill that has /skill for itself", () => {
  const alone = placed("tide", { "SKILL.md": "# T\n", "a.md": "x" }, "/skill");
  expect(opened(activationOf(transcript([bash("cat /skill/a.md")]), [alone])[0])).toEqual(["a.md@1 named"]);
});

test("an answer of huge lines takes no time to speak of", () => {
  const huge = ["/skill/".repeat(200_000), "1".repeat(1_000_000), " ".repeat(1_000_000)].join("\n");
  expect(activationOf(transcript([bash("cat x", huge)]), [tide])[0]?.turn).toBeNull();
});

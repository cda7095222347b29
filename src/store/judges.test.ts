import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type JudgeTrials, judgeTrialsFormat } from "../artefacts/judges.ts";
import { UserError } from "../errors.ts";
import { answerOf } from "../testing/gradings.ts";
import { openAnswers, readAllJudgeTrials, readJudgeTrials, writeJudgeTrials } from "./judges.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "judges-"));
});
afterAll(() => rm(folder, { recursive: true }));

const trialsOf = (skill: string, benchmark: string): JudgeTrials => ({
  format: judgeTrialsFormat,
  skill,
  benchmark,
  bundleHash: "hash",
  judges: ["a/1"],
  unusable: null,
  trials: [{ judge: "a/1", outcome: "missed", words: "why", good: [], bad: [] }],
  answers: [answerOf("q", null)],
  standInJudges: false,
});

test("trials of judges come back as they were written, one by one and all", async () => {
  expect(await readAllJudgeTrials(folder)).toEqual([]);
  const [one, two] = [trialsOf("post", "letter"), trialsOf("post", "note")];
  expect(await readJudgeTrials(folder, one)).toBeNull();
  await writeJudgeTrials(folder, two);
  await writeJudgeTrials(folder, one);
  expect(await readJudgeTrials(folder, one)).toEqual(one);
  // What a kill in mid-write leaves there.
  await writeFile(join(folder, "judges", "post", "letter.json.1.x.tmp"), "{");
  expect(await readAllJudgeTrials(folder)).toEqual([one, two]);
});

test("a record of another format is refused with its path", async () => {
  const broken = join(folder, "broken");
  await mkdir(join(broken, "judges", "post"), { recursive: true });
  await writeFile(join(broken, "judges", "post", "letter.json"), '{"format":"skillproof/judges@0"}');
  await expect(readAllJudgeTrials(broken)).rejects.toThrow(/letter\.json.*format/s);
});

test("an answer is on disk as soon as it is set, the last of a key counts, and a torn line is dropped", async () => {
  const file = join(folder, "campaign", "answers.jsonl");
  const answers = await openAnswers(file);
  const [open, decided, other] = [
    { ...answerOf("q", null), key: "k" },
    { ...answerOf("q", true), key: "k" },
    answerOf("r", false),
  ];
  answers.set(open.key, open);
  answers.set(other.key, other);
  answers.set(decided.key, decided);
  await appendFile(file, '{"question":{"id":"to');
  const again = await openAnswers(file);
  expect([...again.values()]).toEqual([decided, other]);
  const third = answerOf("s", true);
  again.set(third.key, third);
  expect([...(await openAnswers(file)).keys()]).toEqual([decided.key, other.key, third.key]);
  expect((await readFile(file, "utf8")).split("\n")).toHaveLength(5);
});

test("a line that is no answer is named", async () => {
  const file = join(folder, "bad.jsonl");
  await writeFile(file, `${JSON.stringify(answerOf("q", true))}\n{}\n`);
  const opened = openAnswers(file);
  await expect(opened).rejects.toThrow(UserError);
  await expect(opened).rejects.toThrow("bad.jsonl:2: not an answer of a judge");
});

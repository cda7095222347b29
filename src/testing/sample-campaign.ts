import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dump } from "js-yaml";
import type { RawConfig } from "../config.ts";
import { writeBenchmark } from "../store/benchmarks.ts";
import { writeTree } from "../store/tree.ts";
import { answerBundle, passedGate, treeOf } from "./benchmark.ts";

/** Stands in the sample skill and nowhere else. */
export const marker = "MARKER-7";

export const sampleSkill = `---
name: sample
description: How answers are written here.
---

# Sample

## Answers

${marker}: the answer is always the word right, alone on its line. See scripts/answer.sh.
`;

/** A campaign on disk: one skill, one benchmark ("write right into answer.txt") and a YAML. Returns its folder. */
export async function sampleCampaign(over: Partial<RawConfig> = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "sample-campaign-"));
  const script = "#!/usr/bin/env bash\necho right\n";
  await writeTree(
    join(folder, "skills/sample"),
    treeOf({ "SKILL.md": sampleSkill, "scripts/answer.sh!": script }),
  );
  const bundle = answerBundle();
  await writeBenchmark(join(folder, "benchmarks/sample/answer"), bundle, passedGate(bundle));
  const config: RawConfig = { name: "sample", skills: ["skills/sample"], ...over };
  await writeFile(join(folder, "skillproof.config.yaml"), dump(config));
  return folder;
}

/** A fake server's rules for a model that writes the right answer only when it was told it. */
export function obedientModel(): { rules: { if?: Record<string, unknown>; do: Record<string, unknown> }[] } {
  const write = (content: string): Record<string, unknown> => ({
    agent: [[{ name: "write_file", args: { path: "answer.txt", content } }], "Done."],
  });
  return { rules: [{ if: { system_has: marker }, do: write("right\n") }, { do: write("left\n") }] };
}

import type { Unit } from "../artefacts/chunks.ts";

/** A unit of SKILL.md with plausible members; say what matters to the test. */
export function unitWith(id: number, members: Partial<Unit> = {}): Unit {
  const title = members.title ?? `Section ${id}`;
  return {
    id: `SKILL.md#${id}`,
    chunks: [`SKILL.md#${id}`],
    title,
    path: [title],
    file: "SKILL.md",
    embeddedText: `${title}\nText of section ${id}.`,
    tokens: 200,
    boilerplate: false,
    ...members,
  };
}

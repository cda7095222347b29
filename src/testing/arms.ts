import type { PlannedArm } from "../artefacts/plan.ts";
import type { Deliverable } from "../evaluate/treatments/deliverable.ts";
import { treeOf } from "./benchmark.ts";

/** The two arms that every campaign begins with. */
export const bothArms = ["without_skill", "with_skill"] as const;

export function plannedArm(kind: (typeof bothArms)[number]): PlannedArm {
  return { id: kind, treatment: { kind }, delivered: kind === "with_skill" ? "d" : null };
}

/** A skill of these files, one of which is SKILL.md. A name that ends in `!` is a program's. */
export function deliverableWith(name: string, files: Readonly<Record<string, string>>): Deliverable {
  return { name, description: `About ${name}.`, file: "SKILL.md", files: treeOf(files) };
}

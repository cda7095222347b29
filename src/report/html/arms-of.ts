import type { Report } from "../../artefacts/report.ts";

const first = ["without_skill", "with_skill"];

/** Every arm of the campaign: the control first, whatever order the blocks had. */
export function armsOf({ cells }: Pick<Report, "cells">): readonly string[] {
  const found = new Set(cells.flatMap(({ arms }) => Object.keys(arms)));
  return [
    ...first.filter((arm) => found.has(arm)),
    ...[...found].filter((arm) => !first.includes(arm)).toSorted(),
  ];
}

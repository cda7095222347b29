import type { ActivationRow, Report } from "../artefacts/report.ts";
import { groupBy } from "./group-by.ts";
import type { Tally } from "../artefacts/tally.ts";
import { points, rate } from "./headline.ts";
import type { TrialOnDisk } from "./outcome.ts";
import { difference, tallyOf } from "./uplift.ts";

/** Per skill, model and arm that delivers something: how many agents opened a file of it, and how they did. */
export function activationOf(entries: readonly TrialOnDisk[]): readonly ActivationRow[] {
  const delivered = entries.filter(({ trial }) => typeof trial?.opened === "boolean");
  return groupBy(delivered, ({ planned: { skill, model, arm } }) => JSON.stringify([skill, model, arm])).map(
    (group) => {
      const { skill, model, arm } = group[0].planned;
      const [opened, others] = [true, false].map((wanted) =>
        group.filter(({ trial }) => trial?.opened === wanted),
      );
      return {
        ...{ skill, model, arm },
        trials: group.length,
        opened: tallyOf(opened ?? []),
        notOpened: tallyOf(others ?? []),
      };
    },
  );
}

type Table = (header: readonly string[], rows: readonly (readonly string[])[]) => string;

/** The effect of all trials and of those that opened the skill, of pooled trials: description and no test. */
export function activationSection(
  { activation, cells, settings }: Pick<Report, "activation" | "cells" | "settings">,
  table: Table,
): string {
  if (activation.length === 0) return "";
  const rows = activation.map(({ skill, model, arm, trials, opened, notOpened }) => {
    const own = cells.filter((cell) => cell.skill === skill && cell.model === model);
    const control = summed(own.flatMap(({ arms }) => arms.without_skill ?? []));
    return [
      ...[skill, model, arm, `${opened.planned} of ${trials}`, rate(opened), rate(notOpened)],
      ...[rate(control), effect(summed([opened, notOpened]), control), effect(opened, control)],
    ];
  });
  const passed = ["passed where opened", "passed where not", "without_skill passed"];
  const header = ["skill", "model", "arm", "opened a file of it", ...passed, "effect, all", "effect, opened"];
  const delivered =
    settings.delivery === "inject"
      ? "Delivered by injection the instructions stand in the prompt, and only further files can be opened. "
      : "";
  const words = `${delivered}Agents choose whether to open, so trials that opened and others differ in more than that. Effects are those of pooled trials, against without_skill.`;
  return `## Activation\n\n${table(header, rows)}\n\n${words}`;
}

function summed(tallies: readonly Tally[]): Tally {
  const sum = (key: keyof Tally): number => tallies.reduce((total, tally) => total + tally[key], 0);
  return { passed: sum("passed"), graded: sum("graded"), planned: sum("planned") };
}

function effect(treated: Tally, control: Tally): string {
  const uplift = difference(treated, control);
  return uplift === null ? "unavailable" : points(uplift);
}

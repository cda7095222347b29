import type { ActivationRow, Report } from "../artefacts/report.ts";
import { groupBy } from "./group-by.ts";
import { rate } from "./headline.ts";
import type { TrialOnDisk } from "./outcome.ts";
import { tallyOf } from "./uplift.ts";

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

/** The effect over all trials stands above; this splits it, which is description and no test. */
export function activationSection({ activation }: Pick<Report, "activation">, table: Table): string {
  if (activation.length === 0) return "";
  const rows = activation.map(({ skill, model, arm, trials, opened, notOpened }) => [
    skill,
    model,
    arm,
    `${opened.planned} of ${trials}`,
    rate(opened),
    rate(notOpened),
  ]);
  const header = ["skill", "model", "arm", "opened a file of it", "passed where opened", "passed where not"];
  const words =
    "Delivered by injection the instructions stand in the prompt, and only further files can be opened. Agents choose whether to open, so the two columns differ in more than that.";
  return `## Activation\n\n${table(header, rows)}\n\n${words}`;
}

import type { Damage, Regression } from "../../artefacts/honesty.ts";
import { html, type Markup } from "../html/markup.ts";
import { foreign } from "./foreign.ts";
import { times } from "./trial-words.ts";

const regressions: Readonly<Record<Regression, string>> = {
  passed: "The existing tests pass.",
  failed: "The existing tests fail.",
  timeout: "The existing tests ran out of time.",
  lost: "The existing tests were tried, and the container was lost.",
};

/** What the agent did besides its task, as it was measured when it was graded. Absent where it was not. */
export function damageSection(damage: Damage | undefined): Markup {
  if (damage === undefined)
    return html`<p class="muted">What was changed besides the task's outputs was not measured.</p>`;
  const { outside, regression } = damage;
  const partial = outside.partial ? " The snapshot left something out: removed files are not seen." : "";
  return html`
    <p>
      ${`${times(outside.count, "path")} outside of the task's outputs changed; ${times(outside.byProducts, "by-product")} (caches and the like) counted apart.${partial}`}
      ${` ${regression === null ? "There are no existing tests to be broken." : regressions[regression]}`}
    </p>
    ${
      outside.first.length === 0
        ? null
        : html`<ul>
              ${outside.first.map(({ change, path }) => html`<li>${change}: ${foreign(path)}</li>`)}
            </ul>
            <p class="muted small">${`${outside.first.length} of ${times(outside.count, "path")} named.`}</p>`
    }
  `;
}

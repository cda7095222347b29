import type { PlannedTrial } from "../../artefacts/trial.ts";
import { foreign, visibleLine } from "./foreign.ts";
import type { Standing } from "./trial-words.ts";
import { trialHref } from "../html/links.ts";
import { html, type Markup } from "../html/markup.ts";
import { page } from "../html/page.ts";
import { dataTable } from "../html/table.ts";

/** Trials of one skill, benchmark, model and arm. */
export type CellName = Pick<PlannedTrial, "skill" | "benchmark" | "model" | "arm">;

/** Address of a cell's page, from the campaign's. */
export function cellHref({ skill, benchmark, model, arm }: CellName): string {
  return ["cells", skill, benchmark, encodeURIComponent(model), arm].map(encodeURIComponent).join("/");
}

/** The name of a cell as its parts stand in an address; no two cells have the same. */
export function cellKey({ skill, benchmark, model, arm }: CellName): string {
  return [skill, benchmark, encodeURIComponent(model), arm].join("/");
}

export type CellsView = {
  readonly campaign: string;
  readonly cells: readonly { readonly cell: CellName; readonly planned: number }[];
};

/** Every cell with a link to the list of its trials: for campaigns whose trials do not fit on one page. */
export function cellsPage({ campaign, cells }: CellsView): string {
  const planned = cells.reduce((sum, cell) => sum + cell.planned, 0);
  const body = html`
    <p class="kicker">${foreign(campaign)}</p>
    <h1>Trials by cell</h1>
    <p>
      ${`${planned} trials are planned in ${cells.length} cells. `}
      <a href="../index.html">The report</a> has what they come to.
    </p>
    ${dataTable({
      label: "Cells",
      columns: [
        { words: "skill", kind: "name" },
        { words: "benchmark", kind: "name" },
        { words: "model", kind: "name" },
        { words: "arm", kind: "name" },
        { words: "trials", kind: "num" },
      ],
      rows: cells.map(({ cell, planned: count }) => [
        foreign(cell.skill),
        foreign(cell.benchmark),
        foreign(cell.model),
        html`<a href=${`../${cellHref(cell)}`}>${foreign(cell.arm)}</a>`,
        String(count),
      ]),
    })}
  `;
  return page({ title: "Trials by cell", body, depth: 1 });
}

export type CellView = {
  readonly campaign: string;
  readonly cell: CellName;
  readonly trials: readonly {
    readonly planned: PlannedTrial;
    readonly standing: Standing;
    readonly words: string;
  }[];
  /** Of the cell, whether shown or not; the first of those shown stands at `from` (0-based). */
  readonly planned: number;
  readonly from: number;
};

/** Folders between the campaign's address and a cell's page: cells, skill, benchmark, model. */
const cellDepth = 4;
const up = "../".repeat(cellDepth);

/** The trials of one cell, a part of them at a time. */
export function cellPage(view: CellView): string {
  const { campaign, cell, trials, planned } = view;
  const count = (standing: Standing): number => trials.filter((one) => one.standing === standing).length;
  const body = html`
    <p class="kicker">${foreign(campaign)}</p>
    <h1>${foreign(cell.benchmark)}, ${foreign(cell.arm)}</h1>
    <p>
      ${"Skill "}${foreign(cell.skill)}, model ${foreign(cell.model)}.
      ${` ${trials.length} of ${planned} trials on this page: ${count("passed")} passed, ${count("failed")} failed, ${count("ungraded")} ungraded.`}
    </p>
    ${parts(view)}
    ${dataTable({
      label: "Trials of this cell",
      columns: [{ words: "trial", kind: "num" }, { words: "verdict" }, { words: "why", kind: "name" }],
      rows: trials.map(({ planned: one, standing, words }) => [
        html`<a href=${`${up}${trialHref(one)}`}>${`Trial ${one.n}`}</a>`,
        html`<span class=${`tag ${standing}`}>${standing}</span>`,
        foreign(visibleLine(words, 300)),
      ]),
    })}
    ${parts(view)}
    <p><a href=${`${up}cells/`}>All cells</a></p>
  `;
  return page({
    title: visibleLine(`Trials of ${cell.benchmark}, ${cell.arm}`),
    body,
    depth: cellDepth,
  });
}

/** Trials that one page of a cell lists. */
export const trialsPerPage = 500;

function parts({ planned, from }: CellView): Markup | null {
  if (planned <= trialsPerPage) return null;
  const begins = Array.from({ length: Math.ceil(planned / trialsPerPage) }, (_, at) => at * trialsPerPage);
  return html`
    <p>
      ${begins.map((begin) => {
        const words = `${begin + 1} to ${Math.min(planned, begin + trialsPerPage)}`;
        return begin === from
          ? html`<strong>${words}</strong> `
          : html`<a href=${`?from=${begin}`}>${words}</a> `;
      })}
    </p>
  `;
}

/** The campaigns of a folder, by name; `atWork` where a process works on one. */
export function campaignsPage(
  campaigns: readonly { readonly name: string; readonly atWork: boolean }[],
): string {
  const body = html`
    <h1>Campaigns</h1>
    ${
      campaigns.length === 0
        ? html`<p>There is no campaign here yet. Make one: <code>skillproof eval</code></p>`
        : html`<ul>
            ${campaigns.map(
              ({ name, atWork }) =>
                html`<li>
                  <a href=${`c/${encodeURIComponent(name)}/`}>${foreign(name)}</a
                  >${atWork ? " (at work)" : ""}
                </li>`,
            )}
          </ul>`
    }
  `;
  return page({ title: "Campaigns", body, depth: 0 });
}

/** Where one begins with a campaign that is too large for one page. */
export function largeCampaignPage(campaign: string, planned: number): string {
  const body = html`
    <p class="kicker">${foreign(campaign)}</p>
    <h1>A campaign of ${planned} trials</h1>
    <ul>
      <li><a href="index.html">The report</a>: what they come to</li>
      <li><a href="cells/">Trials by cell</a>: every trial with its page, made when it is asked for</li>
    </ul>
  `;
  return page({ title: visibleLine(campaign), body, depth: 0 });
}

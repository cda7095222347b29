import { trialHref } from "../html/links.ts";
import { html, type Markup } from "../html/markup.ts";
import { page } from "../html/page.ts";
import { facts, type TableCell } from "../html/table.ts";
import type { PlannedTrial } from "../../artefacts/trial.ts";
import { changesSection } from "./changes-section.ts";
import { damageSection } from "./damage-section.ts";
import { foreign, foreignBlock, visibleLine } from "./foreign.ts";
import { transcriptSection } from "./transcript-section.ts";
import type { TrialLinks, TrialView } from "./trial-view.ts";
import { standingOf, stopWords, times, usageRows } from "./trial-words.ts";
import { verdictSection } from "./verdict-section.ts";

/** Folders between report/ and a trial's page: trials, skill, benchmark, model, arm. */
export const trialPageDepth = 5;

const up = "../".repeat(trialPageDepth);

/** Of a page that lies in report/ of its campaign's folder. */
export const linksOnDisk: TrialLinks = { report: up, files: `${up}../` };

/** Of a page that `view` serves, where the files as they are have an address of their own. */
export const linksServed: TrialLinks = { report: up, files: `${up}raw/` };

/** The page of one trial, whole. Whatever agents and models said stands in it as text. */
export function trialPage(view: TrialView, links: TrialLinks = linksOnDisk): string {
  const { planned } = view;
  const { standing } = standingOf(view);
  return page({
    title: visibleLine(`${standing}: ${nameOf(planned)}`),
    body: bodyOf(view, links),
    depth: trialPageDepth,
    contents: [
      { id: "verdict", words: "Verdict" },
      { id: "task", words: "Task" },
      { id: "transcript", words: "Transcript" },
      { id: "workspace", words: "Workspace" },
    ],
  });
}

/** `skill/benchmark/model/arm/n`, as people name a trial. */
function nameOf({ skill, benchmark, model, arm, n }: PlannedTrial): string {
  return [skill, benchmark, model, arm, n].join("/");
}

function bodyOf(view: TrialView, links: TrialLinks): Markup {
  const { planned, title, trial, task } = view;
  const { standing, words } = standingOf(view);
  return html`
    ${styleOfTrials()}
    <p class="kicker">${foreign(view.campaign)}</p>
    <h1>${foreign(planned.benchmark)}, ${foreign(planned.arm)}, ${`trial ${planned.n}`}</h1>
    <p class="lead">
      <span class=${`tag ${standing}`}>${standing}</span> ${foreign(visibleLine(words, 600))}
    </p>
    ${
      trial?.standIn === true
        ? html`<p class="notice">
            The agent's model is a stand-in, not a model: this trial tells nothing about skills.
          </p>`
        : null
    }
    ${neighbourLinks(view, links)}
    ${facts([
      ["Task", foreign(title)],
      ["Skill", foreign(planned.skill)],
      ["Model", foreign(planned.model)],
      ["Arm", foreign(planned.arm)],
      ["How it ended", stopWords(view)],
      ["Attempts lost", `${view.voids} to infrastructure`],
      ...(trial === null ? [] : usageRows(trial.usage)),
      ["Served by", trial === null ? "unavailable" : servedWords(trial.served)],
      ["Isolation of its arm", isolationCell(view, links)],
    ])}
    ${fileLinks(view, links)}
    <h2 id="verdict">Verdict</h2>
    ${verdictSection(view)}
    <h2 id="task">Task</h2>
    ${
      task === null
        ? html`<p>Not on disk yet: it stands in the transcript, which has not begun.</p>`
        : foreignBlock(task, "transcript.jsonl")
    }
    <h2 id="transcript">Transcript</h2>
    ${transcriptSection(view.transcript)}
    <h2 id="workspace">What it left in the workspace</h2>
    ${view.verdict === null ? null : damageSection(view.verdict.damage)} ${changesSection(view.workspace)}
  `;
}

function servedWords({
  models,
  providers,
}: {
  readonly models: readonly string[];
  readonly providers: readonly string[];
}): TableCell {
  const words = [...models, ...providers].join(", ");
  return words === "" ? "unavailable" : foreign(words);
}

function isolationCell({ canaries, planned }: TrialView, links: TrialLinks): TableCell {
  const { passed, sent } = canaries;
  const words =
    sent === 0 ? "no probe container was sent" : `${passed} of ${times(sent, "probe container")} passed`;
  return html`<a href=${`${links.report}index.html#isolation`}>${words}</a> (arm ${foreign(planned.arm)})`;
}

function neighbourLinks({ planned, neighbours }: TrialView, links: TrialLinks): Markup {
  const { previous, next, twins } = neighbours;
  const to = (other: PlannedTrial, words: string): Markup =>
    html`<a href=${`${links.report}${trialHref(other)}`}>${words}</a>`;
  const found = [
    ...twins.map((twin) => to(twin, `The same block in arm ${visibleLine(twin.arm, 80)}`)),
    ...(previous === null ? [] : [to(previous, `Trial ${previous.n} of this cell`)]),
    ...(next === null ? [] : [to(next, `Trial ${next.n} of this cell`)]),
  ];
  if (found.length === 0) return html`<p class="muted">The only trial of its block and of its cell.</p>`;
  return html`
    <nav aria-label=${`Other trials, seen from trial ${planned.n}`}>
      <ul class="beside">
        ${found.map((link) => html`<li>${link}</li>`)}
      </ul>
    </nav>
  `;
}

function fileLinks({ planned, files }: TrialView, links: TrialLinks): Markup {
  if (files.length === 0) return html`<p class="muted">There are no files of it yet.</p>`;
  const folder = `${links.files}${trialHref(planned).replace(/\.html$/, "")}`;
  return html`
    <p class="small">
      ${"As they are on disk: "}
      ${files.flatMap((name, at) => [
        at === 0 ? "" : ", ",
        html`<a href=${`${folder}/${encodeURIComponent(name)}`}>${name}</a>`,
      ])}
    </p>
  `;
}

/** Has no character that would have to be escaped. */
const style = `
.turns { list-style: none; margin: 0; padding: 0; }
.turns li { border-left: 0.2rem solid var(--rule); padding-left: 1rem; margin: 1.2rem 0; }
.turns h3, .call h4 { margin: 0.4rem 0 0.2rem; }
.call { margin: 0.6rem 0 0.6rem 1rem; }
pre.foreign { unicode-bidi: isolate; }
.foreign { overflow-wrap: anywhere; }
td .foreign, th .foreign { overflow-wrap: break-word; }
.beside { list-style: none; display: flex; flex-wrap: wrap; gap: 0.2rem 1.4rem; padding: 0; margin: 0.5rem 0; }
.diff ins, .diff del { text-decoration: none; display: inline; }
.diff ins { background: var(--wash-up); }
.diff del { background: var(--wash-down); }
.diff .at { color: var(--muted); }
.change h3 { font-family: inherit; font-size: 1rem; }
`;

function styleOfTrials(): Markup {
  return html`<style>
    ${style}
  </style>`;
}

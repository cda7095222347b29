import type { Claim } from "../../artefacts/honesty.ts";
import type { Answer, Ballot, Verdict } from "../../artefacts/verdict.ts";
import { html, type Markup } from "../html/markup.ts";
import { dataTable, facts } from "../html/table.ts";
import { cutText } from "./cut-text.ts";
import { foreign, foreignBlock } from "./foreign.ts";
import type { TrialView } from "./trial-view.ts";
import { seconds, times } from "./trial-words.ts";

/** What the grader and the judges said. */
export function verdictSection({ verdict, graderLog, claim }: TrialView): Markup {
  return html`
    ${verdict === null ? html`<p>There is no verdict yet.</p>` : graderMarkup(verdict)}
    ${
      graderLog === null
        ? null
        : html`<details>
            <summary>What the grader wrote</summary>
            ${foreignBlock(graderLog, "grader.log")}
          </details>`
    }
    ${
      verdict?.standInJudges === true
        ? html`<p class="notice">Judged by a stand-in, not by models.</p>`
        : null
    }
    ${(verdict?.answers ?? []).map(answerMarkup)} ${claim === null ? null : claimMarkup(claim)}
  `;
}

/** A grader's word that its own checks passed and judges decide the rest. */
const asksJudges = 3;

function graderMarkup({ assertions, grader }: Verdict): Markup {
  const { exitCode, signal, timedOut, seconds: took } = grader;
  const end = timedOut
    ? "stopped by its time limit"
    : signal !== null
      ? `ended by signal ${signal}`
      : exitCode === null
        ? "its exit code is unavailable"
        : exitCode === asksJudges
          ? `exit code ${exitCode}, which leaves the verdict to the judges`
          : `exit code ${exitCode}`;
  return html`
    <p>${`The grader: ${end}, after ${seconds(took)} s.`}</p>
    ${
      assertions.length === 0
        ? html`<p>It made no assertion.</p>`
        : dataTable({
            label: "Assertions of the grader",
            columns: [{ words: "assertion", kind: "name" }, { words: "outcome" }],
            rows: assertions.map(({ assertion, passed }) => [
              foreign(assertion),
              html`<span class=${`tag ${passed ? "passed" : "failed"}`}
                >${passed ? "passed" : "failed"}</span
              >`,
            ]),
          })
    }
  `;
}

function answerMarkup({ question, ballots, answer }: Answer): Markup {
  const words = answer === null ? "no two judges agree: undecided" : answer ? "yes" : "no";
  const asExpected =
    answer === null ? "" : answer === question.expect ? ", as expected" : ", not as expected";
  return html`
    <section>
      <h3>Question: ${foreign(question.question)}</h3>
      ${facts([
        ["Expected", question.expect ? "yes" : "no"],
        ["Answer", `${words}${asExpected}`],
        [
          "About",
          html`<span
            >${question.artefacts.flatMap((path, at) => [at === 0 ? "" : ", ", foreign(path)])}</span
          >`,
        ],
      ])}
      ${ballotTable(
        `Ballots on ${question.id}`,
        ballots.map((ballot) => ballotRow(ballot)),
      )}
    </section>
  `;
}

type BallotRow = readonly [string, string, string | null, string | null];

function ballotRow({
  judge,
  answer,
  reason,
  reply,
}: Pick<Ballot, "judge" | "answer" | "reason" | "reply">): BallotRow {
  return [judge, answer, reason, reply];
}

function ballotTable(label: string, rows: readonly BallotRow[]): Markup {
  if (rows.length === 0) return html`<p>No judge was asked.</p>`;
  return html`
    ${dataTable({
      label,
      columns: [
        { words: "judge", kind: "name" },
        { words: "ballot" },
        { words: "remark" },
        { words: "reply" },
      ],
      rows: rows.map(([judge, answer, reason, reply]) => [
        foreign(judge),
        answer,
        reason === null ? "none" : foreign(reason),
        reply === null ? "none kept" : html`<div>${foreignBlock(cutText(reply, 4000), "verdict.json")}</div>`,
      ]),
    })}
    <p class="muted small">${`${times(rows.length, "ballot")}. An absent one counts for neither side.`}</p>
  `;
}

function claimMarkup({ answer, ballots, standInJudges }: Claim): Markup {
  const words = answer === null ? "undecided: no two judges agree" : answer;
  return html`
    <section>
      <h3>Does the agent's last message claim success?</h3>
      <p>
        ${`The panel says: ${words}.${standInJudges ? " Read by a stand-in, not by models." : ""} It does not change the verdict.`}
      </p>
      ${ballotTable(
        "Ballots on the claim",
        ballots.map(({ judge, answer: vote, reason, reply }) => [judge, vote, reason, reply] as const),
      )}
    </section>
  `;
}

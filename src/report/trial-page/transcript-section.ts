import { unreachable } from "../../errors.ts";
import { html, type Markup } from "../html/markup.ts";
import { type CutText, sizeWords } from "./cut-text.ts";
import { foreign, foreignBlock, visibleLine } from "./foreign.ts";
import { seconds, times } from "./trial-words.ts";
import type { Answer, Call, Turn, Turns } from "./turns.ts";

const whole = "transcript.jsonl";
/** Longer texts are folded. */
const foldBytes = 1500;

export function transcriptSection({ turns, linesLeftOut }: Turns): Markup {
  if (turns.length === 0 && linesLeftOut === 0) return html`<p>Nothing was said yet.</p>`;
  const task = turns.find(({ kind }) => kind === "user");
  return html`
    <ol class="turns">
      ${turns.map((turn) => html`<li>${turn === task ? html`<p>The task, as above.</p>` : turnMarkup(turn)}</li>`)}
    </ol>
    ${
      linesLeftOut === 0
        ? null
        : html`<p class="notice">
            ${`The last ${times(linesLeftOut, "line")} of the transcript left out: the page would become too large. All are in ${whole}.`}
          </p>`
    }
  `;
}

function turnMarkup(turn: Turn): Markup {
  switch (turn.kind) {
    case "system":
      return folded("System prompt", turn.text, 0);
    case "user":
      return html`<h3>Said to the agent</h3>
        ${folded("Text", turn.text)}`;
    case "note":
      return html`<h3>Note of the harness</h3>
        ${foreignBlock(turn.text, whole)}`;
    case "assistant":
      return html`
        <h3>Agent</h3>
        ${turn.text === null ? null : folded("Message", turn.text)} ${turn.calls.map(callMarkup)}
        ${
          turn.finish === "stop" || turn.finish === "tool_calls"
            ? null
            : html`<p class="muted small">
                The model's turn ended with: ${foreign(visibleLine(turn.finish, 60))}
              </p>`
        }
      `;
    case "answer":
      return html`<h3>Answer of ${foreign(visibleLine(turn.name, 60))}, to no call that was read</h3>
        ${answerMarkup(turn.answer)}`;
    case "unreadable":
      return html`<p class="notice">${turn.words}</p>`;
    default:
      return unreachable(turn);
  }
}

function callMarkup({ name, input, content, answer }: Call): Markup {
  return html`
    <div class="call">
      <h4>Call of ${foreign(visibleLine(name, 60))}</h4>
      ${foreignBlock(input, whole)} ${content === null ? null : folded("Content to be written", content)}
      ${answer === null ? html`<p class="muted small">No answer was recorded.</p>` : answerMarkup(answer)}
    </div>
  `;
}

function answerMarkup({ text, seconds: took, end }: Answer): Markup {
  const words = end === null ? "Answer" : `Answer: ${visibleLine(end, 120)}`;
  return folded(`${words}, after ${seconds(took)} s`, text);
}

/** Short texts stand open, long ones behind words that say how long they are. */
function folded(words: string, text: CutText, openBytes = foldBytes): Markup {
  if (text.wholeBytes <= openBytes)
    return html`<p class="muted small">${words}</p>
      ${foreignBlock(text, whole)}`;
  return html`
    <details>
      <summary>${`${words} (${sizeWords(text.wholeBytes)})`}</summary>
      ${foreignBlock(text, whole)}
    </details>
  `;
}

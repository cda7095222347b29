import { unreachable } from "../../errors.ts";
import { dataTable } from "../html/table.ts";
import { html, type Markup } from "../html/markup.ts";
import { sizeWords } from "./cut-text.ts";
import { foreign, visible } from "./foreign.ts";
import type { TextDiff } from "./text-diff.ts";
import type { WorkspaceView } from "./trial-view.ts";
import { times } from "./trial-words.ts";
import type { Change, FileFacts, WorkspaceChanges } from "./workspace-changes.ts";

const leftOutWords = "Larger workspaces are read from workspace.tar.gz.";

export function changesSection({ words, changes, isRecorded }: WorkspaceView): Markup {
  return html`
    ${
      isRecorded === false
        ? html`<p class="notice">
            The workspace that lies there is not the one that trial.json names. What follows is no evidence.
          </p>`
        : null
    }
    ${words === null ? null : html`<p>${words}</p>`} ${changes === null ? null : changesMarkup(changes)}
  `;
}

function changesMarkup(found: WorkspaceChanges): Markup {
  const unnamed =
    found.unnamed === 0
      ? null
      : html`<p>${`${times(found.unnamed, "member")} of the archive left out: the names are no text.`}</p>`;
  if (found.kind === "listed") {
    const { files, filesLeftOut } = found;
    return html`
      <p>${`${files.length} of ${times(files.length + filesLeftOut, "file")} shown.`}</p>
      ${
        files.length === 0
          ? null
          : dataTable({
              label: "Files of the workspace",
              columns: [{ words: "file", kind: "name" }, { words: "what it is" }],
              rows: files.map(({ path, facts }) => [foreign(path), factsWords(facts)]),
            })
      }
      ${filesLeftOut === 0 ? null : html`<p>${leftOutWords}</p>`} ${unnamed}
    `;
  }
  const { changes, changesLeftOut, unchanged } = found;
  const all = changes.length + changesLeftOut;
  const count = (sort: Change["sort"]): number => changes.filter((change) => change.sort === sort).length;
  const shown = changesLeftOut === 0 ? "" : ` The first ${changes.length} are shown. ${leftOutWords}`;
  return html`
    <p>
      ${`${times(all, "file")} of ${all + unchanged} not as the fixtures were: ${count("added")} added, ${count("changed")} changed, ${count("removed")} removed${changesLeftOut === 0 ? "" : " among those shown"}.${shown}`}
    </p>
    ${changes.map(changeMarkup)} ${unnamed}
  `;
}

function changeMarkup({ path, sort, before, after, diff }: Change): Markup {
  return html`
    <section class="change">
      <h3><span class="tag open">${sort}</span> ${foreign(path)}</h3>
      <p class="muted small">${changeWords(before, after)}</p>
      ${diff === null ? undiffed(before, after) : diffMarkup(diff)}
    </section>
  `;
}

/** Where the contents differ and no line of them is shown, it is said why. */
function undiffed(before: FileFacts | null, after: FileFacts | null): Markup | null {
  const [old, now] = [before, after].map((facts) => (facts?.kind === "file" ? facts : null));
  const isSame = old !== null && now !== null && old?.sha256 === now?.sha256 && now?.sha256 !== null;
  const isEmpty = (old?.bytes ?? 0) === 0 && (now?.bytes ?? 0) === 0;
  if (isSame || isEmpty) return null;
  return html`<p class="muted small">No text, or too much of it for this page: by size and hash only.</p>`;
}

function changeWords(before: FileFacts | null, after: FileFacts | null): Markup {
  if (before === null) return html`<span>${after === null ? "" : factsWords(after)}</span>`;
  if (after === null) return html`<span>was ${factsWords(before)}</span>`;
  if (before.kind === "file" && after.kind === "file" && before.executable !== after.executable) {
    const mode = after.executable ? "became executable" : "is no longer executable";
    const same = before.sha256 !== null && before.sha256 === after.sha256;
    return html`<span>${mode}${same ? ", the same content" : ""}; ${factsWords(after)}</span>`;
  }
  return html`<span>was ${factsWords(before)}; is ${factsWords(after)}</span>`;
}

function factsWords(facts: FileFacts): Markup {
  switch (facts.kind) {
    case "file": {
      const { bytes, sha256, executable, hardLinkTo } = facts;
      const hash = sha256 === null ? "too large to be hashed" : `SHA-256 ${sha256.slice(0, 12)}`;
      const words = `${sizeWords(bytes)}, ${hash}${executable ? ", executable" : ""}`;
      if (hardLinkTo === null) return html`<span>${words}</span>`;
      return html`<span>${words}, hard link to ${foreign(hardLinkTo)}</span>`;
    }
    case "link":
      return html`<span>symbolic link to ${foreign(facts.target)}</span>`;
    case "other":
      return html`<span>${facts.words}</span>`;
    default:
      return unreachable(facts);
  }
}

/** Every line begins with its mark, so that nothing hangs on colour. */
function diffMarkup({ hunks, linesLeftOut }: TextDiff): Markup {
  return html`
    <pre class="foreign diff" dir="ltr">
${hunks.flatMap(({ header, lines }) => [
        html`<span class="at">${header}</span>`,
        "\n",
        ...lines.flatMap((line) => [lineMarkup(line), "\n"]),
      ])}</pre>
    ${
      linesLeftOut === 0
        ? null
        : html`<p class="muted small">
            ${`${times(linesLeftOut, "further line")} of the diff left out; whole in workspace.tar.gz`}
          </p>`
    }
  `;
}

function lineMarkup(line: string): Markup {
  if (line.startsWith("+")) return html`<ins>${visible(line)}</ins>`;
  if (line.startsWith("-")) return html`<del>${visible(line)}</del>`;
  return html`<span>${visible(line)}</span>`;
}

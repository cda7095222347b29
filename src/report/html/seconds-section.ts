import type { Timings } from "../../artefacts/timings.ts";
import { type Anchors, linked } from "./anchors.ts";
import { grouped, meanWords } from "./figures.ts";
import { foreign } from "./foreign.ts";
import { html, type Markup } from "./markup.ts";
import { longTable, type TableCell } from "./table.ts";

/** How long trials of this execution took; null while none has finished. */
export function secondsSection({ seconds }: Timings, anchors: Anchors): Markup | null {
  if (seconds.length === 0) return null;
  const write = (value: number): string => `${grouped(value, 1)} s`;
  const rows = seconds.map(({ skill, model, arm, agentSeconds, waitingSeconds }): TableCell[] => [
    linked(foreign(skill), anchors.skill(skill)),
    foreign(model),
    arm,
    meanWords(agentSeconds, write),
    meanWords(waitingSeconds, write),
  ]);
  const columns = [
    { words: "skill", kind: "name" },
    { words: "model", kind: "name" },
    { words: "arm" },
    { words: "agent at work (trials)", kind: "num" },
    { words: "waiting (trials)", kind: "num" },
  ] as const;
  return html`
    <section aria-labelledby="seconds">
      <h2 id="seconds">Times of this execution</h2>
      <p>
        Means per trial. Load and servers differ from one execution to another, so only the difference of arms
        within one tells something. Waiting (queues, repeated requests) is no part of the agent's time.
      </p>
      ${longTable({ label: "Seconds per trial of each skill, model and arm", columns, rows })}
    </section>
  `;
}

import type { LaneReading } from "../../events.ts";
import { printable } from "../progress.ts";
import { exactly } from "./durations.ts";
import type { Reading } from "./port.ts";
import { cell, type Glyphs, type Span, widthOf } from "./spans.ts";

const mostRows = 3;
const widestName = 36;

/** One row per way to a model: how many requests at once, who waits, what is the matter. */
export function modelRows(lanes: readonly LaneReading[], glyphs: Glyphs): readonly (readonly Span[])[] {
  const shown = lanes.length > mostRows ? lanes.slice(0, mostRows - 1) : lanes;
  const names = shown.map(({ lane }) => printable(lane));
  const width = Math.min(widestName, Math.max(0, ...names.map(widthOf)));
  const rows = shown.map((lane, at): readonly Span[] => [
    { text: `${cell(names[at] ?? "", width, glyphs.cut)}  `, tone: "plain" },
    ...standing(lane),
  ]);
  const hidden = lanes.slice(shown.length);
  if (hidden.length === 0) return rows;
  const unwell = hidden.filter(({ health }) => health !== "well").length;
  const words = `and ${hidden.length} more: ${sum(hidden, "underWay")} of ${sum(hidden, "window")} requests`;
  const trouble: readonly Span[] =
    unwell === 0 ? [] : [{ text: `, ${unwell} of ${hidden.length} paused or stopped`, tone: "warn" }];
  return [...rows, [{ text: words, tone: "quiet" }, ...trouble]];
}

function standing({ underWay, window, closedMs, health }: LaneReading): readonly Span[] {
  const requests = `${String(underWay).padStart(String(window).length)} of ${window} requests`;
  switch (health) {
    case "stopped":
      return [{ text: "stopped: nothing more is sent", tone: "bad" }];
    case "paused":
      return [{ text: `paused: one request in ${exactly(closedMs)}`, tone: "warn" }];
    case "well":
      return [
        { text: requests, tone: "plain" },
        ...(closedMs === 0
          ? []
          : [{ text: `, waits ${exactly(closedMs)} for server`, tone: "warn" } as const]),
      ];
  }
}

/** Who waits for what. */
export function waitingRow({ containersAwaited, lanes }: Reading): readonly Span[] {
  const waits = [
    ...(containersAwaited === 0 ? [] : [`${containersAwaited} for a container`]),
    ...lanes.flatMap(({ lane, waiting }) => (waiting === 0 ? [] : [`${waiting} for ${printable(lane)}`])),
  ];
  return [{ text: waits.length === 0 ? "nothing" : waits.join(", "), tone: "quiet" }];
}

function sum(lanes: readonly LaneReading[], field: "underWay" | "window"): number {
  return lanes.reduce((total, lane) => total + lane[field], 0);
}

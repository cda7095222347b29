import type { Leak } from "../../artefacts/gate.ts";
import type { Check, CheckTools, Finding } from "../check.ts";
import { findLeaks, type Leaks } from "../leaks/find-leaks.ts";

const mostRecorded = 50;
const mostSaid = 10;

/** Nobody is given what the benchmark asks for: neither by task.md, nor by the fixtures. What the skill tells is told. */
export const leaks: Check = {
  name: "leaks",
  prove: (bundle, tools) => {
    const found = findLeaks(bundle, tools.context);
    return Promise.resolve(tools.settings.leaks === "reject" ? strict(found, tools) : lenient(found, tools));
  },
};

function lenient(found: Leaks, tools: CheckTools): Finding {
  return passed(found, found.leaks, tools);
}

/** An answer that the skill tells refuses a bundle only when there is little left to do but copy it. */
function strict(found: Leaks, tools: CheckTools): Finding {
  const refused = found.leaks.filter(({ kind, from }) => kind !== "told" || found.toldWholes.includes(from));
  if (refused.length === 0 && found.toldWholes.length === 0) return passed(found, found.leaks, tools);
  const whole = found.toldWholes.map(
    (place) =>
      `${place}: half of its lines or more stand in the skill as they are, so that following the skill is copying. Ask for something the skill gives the rules for, but not the text.`,
  );
  return {
    passed: false,
    words: [...said(refused), ...whole].join("\n"),
    warnings: [...notCompared(tools)],
    ...recorded(found, tools),
  };
}

function passed(found: Leaks, told: readonly Leak[], tools: CheckTools): Finding {
  const words =
    found.leaks.length === 0
      ? "Task, fixtures, reference, grader and skill have no passage in common that gives anything away."
      : `${found.leaks.length} passage(s) give something away; they are warnings here.`;
  return { passed: true, words, warnings: [...said(told), ...notCompared(tools)], ...recorded(found, tools) };
}

function recorded(
  { leaks: all, toldWholes }: Leaks,
  { context }: CheckTools,
): Pick<Finding, "evidence" | "facts"> {
  const count = (kind: Leak["kind"]): number => all.filter((leak) => leak.kind === kind).length;
  const counts = {
    how: count("how"),
    answer: count("answer"),
    reference: count("reference"),
    told: count("told"),
  };
  const compared = { sections: context.sections?.length ?? null, skillFiles: context.skill?.length ?? null };
  return {
    evidence: { ...counts, toldWholes: [...toldWholes], compared },
    facts: { leaks: kept(all) },
  };
}

/** The first ones, but at least one of each kind: reports go by kinds. */
function kept(all: readonly Leak[]): Leak[] {
  const firsts = new Set(all.filter((leak, at) => all.findIndex(({ kind }) => kind === leak.kind) === at));
  const room = mostRecorded - firsts.size;
  const others = new Set(all.filter((leak) => !firsts.has(leak)).slice(0, room));
  return all.filter((leak) => firsts.has(leak) || others.has(leak));
}

function said(all: readonly Leak[]): readonly string[] {
  const lines = all.slice(0, mostSaid).map(wordsOf);
  const more = all.length - lines.length;
  return more === 0 ? lines : [...lines, `${more} more of the kind.`];
}

function wordsOf({ kind, from, to, passage }: Leak): string {
  const quoted = `“${passage}”`;
  switch (kind) {
    case "how":
      return `${from} says what only the skill should: ${quoted} stands in ${to} too. Name the rule as the agent's own material would ("follow our … convention") instead of repeating it.`;
    case "answer":
      return `${to} holds what ${from} expects: ${quoted}. Take it out, or let the grader expect something that nobody can look up. If it is an input that the answer rightly repeats, name the file in task.md.`;
    case "reference":
      return `${to} holds a part of ${from}: ${quoted}. Take it out of the fixtures, or ask for what they do not hold yet. If it is an input that the solution rightly repeats, name the file in task.md.`;
    case "told":
      return `${to} has ${quoted} of ${from} word for word: where that decides, following the skill is copying. Choose inputs whose answer is no example of the skill.`;
  }
}

function notCompared({ context }: CheckTools): readonly string[] {
  if (context.sections !== null && context.skill !== null) return [];
  const what = context.skill === null ? "the skill: its text is" : "the sections it was made from: they are";
  return [`Not compared with ${what} not at hand. Validate the benchmark beside its skill to have it done.`];
}

import type { Bundle } from "../artefacts/bundle.ts";
import type { GateRecord } from "../artefacts/gate.ts";
import type { FileTree } from "../artefacts/tree.ts";
import { unreachable } from "../errors.ts";
import type { ClusterRequest } from "./cluster-request.ts";
import { parseDraft } from "./draft.ts";
import type { Author, AuthorAnswer } from "./port.ts";
import { authorPrompt, type PromptOptions } from "./prompt.ts";

/** One try at authoring and what came of it. `log` is the end of what the author said and did. */
export type Attempt =
  | { readonly kind: "nothing"; readonly attempt: number; readonly reason: string; readonly log: string }
  | {
      readonly kind: "malformed";
      readonly attempt: number;
      readonly faults: readonly string[];
      readonly log: string;
    }
  | {
      readonly kind: "refused" | "passed";
      readonly attempt: number;
      readonly gate: GateRecord;
      readonly log: string;
    };

export type Authored =
  | {
      readonly kind: "kept";
      readonly bundle: Bundle;
      readonly gate: GateRecord;
      readonly attempts: readonly Attempt[];
    }
  | { readonly kind: "given-up"; readonly attempts: readonly Attempt[] };

export type AuthorOptions = Pick<PromptOptions, "toolList"> & {
  readonly maxAttempts: number;
  /** Default 24,000; of the sections in the prompt. */
  readonly maxSectionTokens?: number;
  /** Called before each attempt. */
  readonly onAttempt?: (attempt: number) => void;
  readonly signal?: AbortSignal;
};

const defaultMaxSectionTokens = 24_000;

/**
 * Has a bundle written for one cluster: draft, form, gate; what went wrong goes back to the author, until the gate
 * passes it or the attempts are used up. An `InfrastructureError` of the author or the gate passes through and
 * uses up no attempt.
 */
export async function authorCluster(
  request: ClusterRequest,
  author: Author,
  gate: (bundle: Bundle, attempt: number) => Promise<GateRecord>,
  options: AuthorOptions,
): Promise<Authored> {
  const attempts: Attempt[] = [];
  let previous: FileTree = [];
  for (let attempt = 1; attempt <= options.maxAttempts; attempt++) {
    options.signal?.throwIfAborted();
    options.onAttempt?.(attempt);
    const answer = await author.draft(
      {
        id: request.id,
        titles: request.titles,
        attempt,
        prompt: promptFor(request, attempts.at(-1), options),
        assets: request.assets,
        previous,
      },
      options.signal,
    );
    const tried = await tryDraft(bundleId(request), answer, attempt, gate);
    attempts.push(tried.attempt);
    if (tried.bundle !== null && tried.attempt.kind === "passed") {
      return { kind: "kept", bundle: tried.bundle, gate: tried.attempt.gate, attempts };
    }
    // Links are refused anyway, and a back end that lays the draft out again must not write through one.
    if (answer.kind === "draft") previous = answer.tree.filter((entry) => entry.kind === "file");
  }
  return { kind: "given-up", attempts };
}

/** What was wrong with an attempt, in words for its author; empty when it passed. */
export function faultsOf(attempt: Attempt): readonly string[] {
  switch (attempt.kind) {
    case "nothing":
      return [`No draft was delivered: ${attempt.reason}`];
    case "malformed":
      return attempt.faults;
    case "refused":
      return attempt.gate.checks
        .filter((check) => !check.passed)
        .map(({ check, words }) => `Check ${check}: ${words}`);
    case "passed":
      return [];
    default:
      return unreachable(attempt);
  }
}

function promptFor(request: ClusterRequest, last: Attempt | undefined, options: AuthorOptions): string {
  return authorPrompt(request, last === undefined ? [] : faultsOf(last), {
    toolList: options.toolList,
    maxSectionTokens: options.maxSectionTokens ?? defaultMaxSectionTokens,
  });
}

async function tryDraft(
  id: string,
  answer: AuthorAnswer,
  attempt: number,
  gate: (bundle: Bundle, attempt: number) => Promise<GateRecord>,
): Promise<{ readonly attempt: Attempt; readonly bundle: Bundle | null }> {
  const { log } = answer;
  if (answer.kind === "nothing")
    return { attempt: { kind: "nothing", attempt, reason: answer.reason, log }, bundle: null };
  const parsed = parseDraft(id, answer.tree);
  if (parsed.kind === "faults")
    return { attempt: { kind: "malformed", attempt, faults: parsed.faults, log }, bundle: null };
  const record = await gate(parsed.bundle, attempt);
  const kind = record.passed ? "passed" : "refused";
  return { attempt: { kind, attempt, gate: record, log }, bundle: parsed.bundle };
}

/** The cluster's id, the last part of `<skill>/<cluster id>`. */
function bundleId({ id }: ClusterRequest): string {
  return id.split("/").at(-1) ?? id;
}

import { unreachable } from "../errors.ts";
import { type Attempt, faultsOf } from "./author-cluster.ts";
import type { ClusterRequest } from "./cluster-request.ts";
import { fenced } from "./fenced.ts";

const logCharacters = 4000;

/** FAILED.md: why no benchmark was made of a cluster. Every attempt, every reason, and the end of each log. */
export function failedMarkdown(
  request: Pick<ClusterRequest, "id" | "titles">,
  backend: string,
  attempts: readonly Attempt[],
): string {
  const count = attempts.length === 1 ? "1 attempt" : `${attempts.length} attempts`;
  const parts = [
    `# No benchmark: ${request.id}`,
    `Given up after ${count} by the author \`${backend}\`. The sections were:\n\n${fenced(request.titles.join("\n"), "text")}`,
    ...attempts.map(attemptMarkdown),
  ];
  return `${parts.join("\n\n")}\n`;
}

function attemptMarkdown(attempt: Attempt): string {
  const parts = [
    `## Attempt ${attempt.attempt}: ${headline(attempt)}`,
    ...faultsOf(attempt).map((fault) => fenced(fault, "text")),
  ];
  const log = attempt.log.trim();
  if (log !== "") parts.push(`The end of the author's log:\n\n${fenced(log.slice(-logCharacters), "text")}`);
  return parts.join("\n\n");
}

function headline(attempt: Attempt): string {
  switch (attempt.kind) {
    case "nothing":
      return "nothing delivered";
    case "malformed":
      return attempt.faults.length === 1
        ? "1 fault in the draft's form"
        : `${attempt.faults.length} faults in the draft's form`;
    case "refused":
      return `refused by ${attempt.gate.checks
        .filter((check) => !check.passed)
        .map(({ check }) => check)
        .join(", ")}`;
    case "passed":
      return "passed";
    default:
      return unreachable(attempt);
  }
}

import { type FileTree, hashTree, textOf } from "../../artefacts/tree.ts";
import type { ImportTools, Loss } from "../losses.ts";
import { printed } from "../printed.ts";
import { rewriteTree } from "./rewrite-paths.ts";
import { strictText } from "./strict-text.ts";

/** What `solution/solve.sh` makes of the fixtures. */
export type Solved =
  | {
      readonly kind: "solved";
      readonly reference: FileTree;
      readonly removes: readonly string[];
      readonly losses: readonly Loss[];
    }
  | { readonly kind: "refused"; readonly reason: string };

const solutionFolder = "/tmp/solution";
/** Left in the workspace by the script around solve.sh: its exit code, and the end of what it printed. */
const endMark = ".skillproof-solve-ended";
const lastBytes = 400;

/** Carries the solution out on the fixtures, in a container where only /workspace and /tmp can be written. */
export async function solve(
  solution: FileTree,
  {
    fixtures,
    workdir,
    env,
  }: {
    readonly fixtures: FileTree;
    readonly workdir: string;
    readonly env: Readonly<Record<string, string>>;
  },
  tools: ImportTools,
): Promise<Solved> {
  const moved = rewriteTree(solution, { "/solution": solutionFolder, [workdir]: "/workspace" }, "solution");
  const { files, lines } = laidOut(moved.tree);
  const script = [
    ...lines,
    ...Object.entries(env).map(([name, value]) => `export ${quoted(`${name}=${value}`)}`),
    "cd /workspace",
    `${solutionFolder}/solve.sh > /tmp/solve.log 2>&1 < /dev/null`,
    `{ echo $?; tail -c ${lastBytes} /tmp/solve.log; } > /workspace/${endMark}`,
  ].join("\n");
  const left = await tools.perform({ workspace: fixtures, files, script });
  const said = textOf(left, endMark);
  if (said === undefined)
    return { kind: "refused", reason: "solution/solve.sh: did not end in the time that a script gets." };
  const [code = "", ...words] = said.split("\n");
  const output = words.join("\n").trim();
  const last = output === "" ? "it printed nothing" : `the last it printed: ${printed(output)}`;
  const changed = differenceOf(
    fixtures,
    left.filter(({ path }) => path !== endMark),
  );
  const losses =
    code === "0"
      ? [...moved.losses]
      : [
          ...moved.losses,
          { part: "solution/solve.sh", words: `ended with exit code ${printed(code)}; ${last}` },
        ];
  const link = changed.reference.find(({ kind }) => kind === "link");
  if (link !== undefined)
    return {
      kind: "refused",
      reason: `solution/solve.sh: makes the symbolic link ${printed(link.path)}, and a bundle holds files only. Make it write a file.`,
    };
  if (changed.reference.length + changed.removes.length === 0) {
    const reason = `solution/solve.sh: ended with exit code ${printed(code)} and changed nothing in ${printed(workdir)}; ${last}. A bundle's reference is what it changes there.`;
    return { kind: "refused", reason };
  }
  if (changed.caches > 0)
    losses.push({
      part: "solution/solve.sh",
      words: `${changed.caches} files of Python's caches that it left are not in the reference`,
    });
  return { kind: "solved", reference: changed.reference, removes: changed.removes, losses };
}

/** Texts as they are, everything else in base64 for the script to decode; executable files are made so. */
function laidOut(solution: FileTree): {
  readonly files: Record<string, string>;
  readonly lines: readonly string[];
} {
  const files: Record<string, string> = {};
  const lines: string[] = [];
  for (const entry of solution) {
    if (entry.kind !== "file") continue;
    const path = `${solutionFolder}/${entry.path}`;
    const text = strictText(entry.bytes);
    if (text === null) {
      files[`${path}.base64`] = Buffer.from(entry.bytes).toString("base64");
      lines.push(`base64 -d ${quoted(`${path}.base64`)} > ${quoted(path)}`);
    } else files[path] = text;
    if ((entry.mode & 0o100) !== 0 || entry.path === "solve.sh") lines.push(`chmod +x ${quoted(path)}`);
  }
  return { files, lines };
}

function differenceOf(
  before: FileTree,
  after: FileTree,
): { readonly reference: FileTree; readonly removes: readonly string[]; readonly caches: number } {
  const known = new Map(before.map((entry) => [entry.path, hashTree([entry])]));
  const changed = after.filter((entry) => known.get(entry.path) !== hashTree([entry]));
  const reference = changed.filter(({ path }) => !/(^|\/)__pycache__\//.test(path));
  const kept = new Set(after.map(({ path }) => path));
  const removes = before.map(({ path }) => path).filter((path) => !kept.has(path));
  return { reference, removes, caches: changed.length - reference.length };
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

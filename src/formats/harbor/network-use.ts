import type { FileTree } from "../../artefacts/tree.ts";
import { commandsOf } from "./shell-commands.ts";
import { strictText } from "./strict-text.ts";
import { printed } from "../printed.ts";

const installing = /^(install|i|ci|add|download|update|upgrade|sync|get|tool|run|create|up|pip)$/;
const installers = new Set(
  [
    "pip",
    "pip3",
    "npm",
    "pnpm",
    "yarn",
    "uv",
    "gem",
    "cargo",
    "go",
    "conda",
    "mamba",
    "poetry",
    "bundle",
  ].concat(["apt", "apt-get", "aptitude", "apk", "dnf", "yum", "brew"]),
);
/** Verbs that need no network for tools that also build and start things. */
const offline: Readonly<Record<string, RegExp>> = Object.fromEntries(
  ["go", "cargo", "npm", "yarn", "pnpm", "poetry", "conda", "mamba"].map((program) => [program, /^run$/]),
);
const fetchers = new Set(["curl", "wget"]);
const runners = new Set(["uvx", "npx", "pipx"]);
const here = /^(https?:\/\/)?(localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0)([:/?]|$)/;

/** Why a command needs a network, or null. `words` begins with the program's name. */
export function needsNetwork(words: readonly string[]): string | null {
  const [program = "", ...rest] = words;
  const operands = rest.filter((word) => !word.startsWith("-"));
  const [verb = ""] = operands;
  if (runners.has(program)) return `${program} fetches a package`;
  if (fetchers.has(program)) return fetches(rest) ? `${program} fetches from another machine` : null;
  if (/^python[\d.]*$/.test(program) && rest[0] === "-m" && /^pip$/.test(rest[1] ?? ""))
    return needsNetwork(rest.slice(1));
  if (program === "git") {
    const remote = /^(clone|fetch|pull|submodule)$/.test(verb) && operands.some(isRemote);
    return remote ? `git ${verb} fetches from another machine` : null;
  }
  if (!installers.has(program) || !installing.test(verb) || offline[program]?.test(verb) === true)
    return null;
  return `${program} ${verb} fetches packages`;
}

/** A call whose addresses are all of this machine is none; one whose address is a variable may be. */
function fetches(rest: readonly string[]): boolean {
  const addresses = rest.filter((word) =>
    /^https?:\/\/|^[\w.-]+\.[a-z]{2,}(\/|$)|^localhost|^127\./.test(word),
  );
  return addresses.some((address) => !here.test(address));
}

function isRemote(operand: string): boolean {
  return /^(https?|git|ssh):\/\/|^[\w.-]+@[\w.-]+:/.test(operand);
}

/** Every line of the shell scripts of `tree` that needs a network, as a sentence each. `folder` is where they lie. */
export function networkReasons(tree: FileTree, folder: string): readonly string[] {
  return tree.flatMap((entry) => {
    const text = entry.kind === "file" ? strictText(entry.bytes) : null;
    if (text === null || !isShell(entry.path, text)) return [];
    return commandsOf(text).flatMap(({ line, words }) => {
      const why = needsNetwork(words);
      if (why === null) return [];
      const place = `${folder}/${printed(entry.path)}, line ${line}`;
      return [
        `${place}: \`${printed(words.join(" "))}\`: ${why}, and there is no network while an agent works or a grader grades. Name Debian packages under sandbox.packages and put files into the task's folder instead.`,
      ];
    });
  });
}

function isShell(path: string, text: string): boolean {
  return /\.(sh|bash)$/.test(path) || /^#!.*\b(ba|da|z)?sh\b/.test(text.split("\n", 1)[0] ?? "");
}

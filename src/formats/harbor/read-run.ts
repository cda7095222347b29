import { needsNetwork } from "./network-use.ts";
import { commandsOf } from "./shell-commands.ts";
import { printed } from "../printed.ts";

/** What a RUN of a Dockerfile comes to. */
export type Run = {
  readonly losses: readonly string[];
  /** Folders that it makes. */
  readonly folders: readonly string[];
  /** Why it cannot be carried out here; without a full stop. */
  readonly reasons: readonly string[];
};

const withoutEffect = new Set(["set", "true", ":", "echo", "export", "printf"]);

/** Only Debian packages and folders are taken over; everything else would need the image that the Dockerfile makes. */
export function readRun(rest: string): Run {
  const [losses, folders, reasons]: [string[], string[], string[]] = [[], [], []];
  if (rest.startsWith("[") || rest.startsWith("--") || rest.includes("<<"))
    return { losses, folders, reasons: [`RUN ${printed(rest)}: only a plain shell line is read`] };
  for (const { words } of commandsOf(rest)) {
    const [program = "", ...operands] = words;
    if (withoutEffect.has(program) || isTidying(words)) continue;
    if (program === "apt-get" || program === "apt") {
      const packages = packagesOf(operands);
      if (packages.length > 0)
        losses.push(
          `needs the Debian packages ${packages.join(" ")}: put those the image lacks under sandbox.packages`,
        );
    } else if (program === "mkdir") {
      folders.push(...operands.filter((word) => !word.startsWith("-")));
      losses.push("empty folders are not kept");
    } else {
      const why = needsNetwork(words);
      const line = printed(words.join(" "));
      reasons.push(
        why === null
          ? `\`${line}\` is not carried out. Put what it makes into the folder and COPY it`
          : `\`${line}\`: ${why}; images here hold Debian packages only. Use those, or put the files into the folder`,
      );
    }
  }
  return { losses, folders, reasons };
}

function isTidying([program = "", ...operands]: readonly string[]): boolean {
  if (program !== "rm") return false;
  return operands.every(
    (word) => word.startsWith("-") || /^\/(var\/(lib\/apt|cache|log)|tmp|root\/\.cache)\b/.test(word),
  );
}

function packagesOf(operands: readonly string[]): readonly string[] {
  const at = operands.findIndex((word) => !word.startsWith("-"));
  if (operands[at] !== "install") return [];
  return operands.slice(at + 1).filter((word) => /^[a-z0-9][a-z0-9.+-]*(=\S+)?$/.test(word));
}

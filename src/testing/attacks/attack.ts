/** A bash command of the agent's, or a call of its file tools. `says` must match what the call answers. */
export type AttackStep =
  | { readonly kind: "bash"; readonly command: string; readonly timeoutMs?: number; readonly says?: RegExp }
  | { readonly kind: "read"; readonly path: string; readonly says: RegExp }
  | { readonly kind: "write"; readonly path: string; readonly says: RegExp };

/** What a hostile agent does. The pack is data; `carry-out.ts` carries it out. */
export type Attack = {
  readonly name: string;
  /** In each command $CANARY is the path of a file on the harness's host. */
  readonly steps: readonly AttackStep[];
  /** What a workspace that held the right answer is worth afterwards; one that held a wrong answer always fails. */
  readonly rightBecomes: "passed" | "failed";
  /** The grader must not even once find the right answer in answer.txt. */
  readonly answerIsGone?: boolean;
  /** True where the grader's own command meets something endless and can only run into its limits. */
  readonly graderMayBreak?: boolean;
  /** Part of the selection for every `npm test`. */
  readonly short?: boolean;
};

export function bash(
  command: string,
  options: { readonly timeoutMs?: number; readonly says?: RegExp } = {},
): AttackStep {
  return { kind: "bash", command, ...options };
}

/** A Python program as a bash command. It must not hold a line `PROGRAM`. */
export function python(
  program: string,
  options: { readonly timeoutMs?: number; readonly says?: RegExp; readonly background?: boolean } = {},
): AttackStep {
  const { background = false, ...rest } = options;
  const file = "/tmp/attack-$RANDOM$RANDOM.py";
  const start = background ? 'setsid -f python3 "$f" > /dev/null 2>&1' : 'python3 "$f"';
  return bash(`f=${file}; cat > "$f" <<'PROGRAM'\n${program}\nPROGRAM\n${start}`, rest);
}

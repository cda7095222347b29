/** Something an agent might do instead of the task. */
export type Cheat = {
  readonly name: string;
  /** What it tries, in a sentence. */
  readonly words: string;
  /** For bash, in /workspace, with the fixtures there (`gate/cheats/README.md`). */
  readonly script: string;
};

import { execa } from "execa";
import { setTimeout as delay } from "node:timers/promises";

const lookEveryMs = 50;

/** A command in a real terminal, in a tmux of its own. */
export type Tmux = {
  /** What can be read on the screen, or with `all` in the scroll-back too. */
  readonly read: (what?: "screen" | "all") => Promise<string>;
  /** Reads until `found` holds. Throws with what was last read when it does not within `withinMs`. */
  readonly until: (found: (text: string) => boolean, words: string, withinMs?: number) => Promise<string>;
  /** A variable of the format language of tmux. */
  readonly tell: (name: string) => Promise<string>;
  readonly type: (...keys: readonly string[]) => Promise<void>;
  readonly resize: (columns: number) => Promise<void>;
  readonly end: () => Promise<void>;
};

/** `command` is given to a shell; when it has ended, `ENDED <code>` stands under what it wrote. */
export async function inTmux(
  command: string,
  { columns, cwd, env }: { readonly columns: number; readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<Tmux> {
  const socket = `skillproof-${process.pid}-${columns}-${Math.trunc(performance.now())}`;
  const tmux = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await execa("tmux", ["-L", socket, "-f", "/dev/null", ...args], {
      cwd,
      env,
      extendEnv: false,
    }).catch((error: unknown) => {
      throw new Error(`tmux ${args[0] ?? ""} failed. It is needed for this test: apt-get install tmux`, {
        cause: error,
      });
    });
    return stdout;
  };
  const size = ["-x", String(columns), "-y", "24"];
  await tmux("new-session", "-d", ...size, `${command}; printf '\\nENDED %s\\n' $?; exec cat`);
  const read = (what: "screen" | "all" = "screen"): Promise<string> =>
    tmux("capture-pane", "-p", ...(what === "all" ? ["-S", "-"] : []));
  return {
    read,
    async until(found, words, withinMs = 120_000) {
      for (const end = performance.now() + withinMs; ;) {
        const text = await read("all");
        if (found(text)) return text;
        if (performance.now() > end) throw new Error(`${words}: not seen. There is:\n${text}`);
        await delay(lookEveryMs);
      }
    },
    tell: (name) => tmux("display-message", "-p", `#{${name}}`),
    type: async (...keys) => {
      await tmux("send-keys", ...keys);
    },
    resize: async (to) => {
      await tmux("resize-window", "-x", String(to), "-y", "24");
    },
    end: async () => {
      await tmux("kill-server");
    },
  };
}

import { EventEmitter, once } from "node:events";
import { request } from "node:http";
import { main } from "../cli/main.ts";
import { capturedIo } from "./captured-io.ts";

/** An answer as it came. */
export type Got = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
};
export type Asked = {
  readonly method?: string;
  readonly host?: string;
  /** As it is to stand in the request's line, with nothing put right. */
  readonly path: string;
};
export type Viewing = {
  readonly url: string;
  readonly get: (asked: Asked | string) => Promise<Got>;
  readonly end: () => Promise<number>;
};

/** `skillproof view …` in a folder, until `end`. */
export async function viewIn(cwd: string, ...args: readonly string[]): Promise<Viewing> {
  const stop = new AbortController();
  const captured = capturedIo(cwd, { drain: stop.signal });
  const io: typeof captured = {
    ...captured,
    out: (text) => {
      captured.out(text);
      listening.emit("out");
    },
  };
  const listening = new EventEmitter();
  const printed = once(listening, "out");
  const ended = main(["view", ...args], io);
  const refused = await Promise.race([ended, printed.then(() => null)]);
  if (refused !== null) throw new Error(`exit code ${refused}: ${io.stderr()}`);
  const url = io.stdout().trim();
  return {
    url,
    get: (asked) => send(url, typeof asked === "string" ? { path: asked } : asked),
    end: () => {
      stop.abort();
      return ended;
    },
  };
}

/** Without anything that puts an address or a header right. */
function send(url: string, { method = "GET", host, path }: Asked): Promise<Got> {
  const { port, host: own } = new URL(url);
  return new Promise((resolve, reject) => {
    const asked = request(
      { host: "127.0.0.1", port, method, path, headers: { host: host ?? own }, agent: false },
      (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.on("end", () => {
          const body = Buffer.concat(parts).toString("utf8");
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
        });
      },
    );
    asked.on("error", reject);
    asked.end();
  });
}

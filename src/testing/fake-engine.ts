import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type FakeEngine = {
  /** Path of its socket. */
  readonly socket: string;
  /** What it answers, by path without version and query; a path that is not there is a 404. */
  answers: Readonly<Record<string, unknown>>;
  close(): Promise<void>;
};

/** Listens on a unix socket and tells about itself what it was given; it has no containers. */
export async function startFakeEngine(answers: FakeEngine["answers"]): Promise<FakeEngine> {
  const folder = await mkdtemp(join(tmpdir(), "engine-"));
  const socket = join(folder, "docker.sock");
  const server = createServer((request, response) => {
    const path = decodeURIComponent((request.url ?? "").replace(/\?.*$/, "").replace(/^\/v\d+\.\d+/, ""));
    const answer = engine.answers[path];
    response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(answer ?? { message: `no ${path} here` }));
  });
  const engine: FakeEngine = {
    socket,
    answers,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true });
    },
  };
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  return engine;
}

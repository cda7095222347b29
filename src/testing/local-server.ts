import { createServer, type IncomingMessage } from "node:http";

export type LocalRequest = { readonly method: string; readonly path: string; readonly body: unknown };
export type LocalAnswer =
  { readonly status?: number; readonly json: unknown } | { readonly status: number; readonly text: string };

export type LocalServer = {
  readonly port: number;
  /** Without a path. */
  readonly url: string;
  readonly requests: readonly LocalRequest[];
  close(): Promise<void>;
};

/** A server on loopback that behaves as `answer` says: for those that are not OpenRouter. */
export async function startLocalServer(answer: (request: LocalRequest) => LocalAnswer): Promise<LocalServer> {
  const requests: LocalRequest[] = [];
  const server = createServer((incoming, response) => {
    void readBody(incoming).then((text) => {
      const body: unknown = text === "" ? null : JSON.parse(text);
      const request = { method: incoming.method ?? "", path: incoming.url ?? "", body };
      requests.push(request);
      const reply = answer(request);
      const type = "json" in reply ? "application/json" : "text/plain";
      response.writeHead(reply.status ?? 200, { "content-type": type });
      response.end("json" in reply ? JSON.stringify(reply.json) : reply.text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const bound = server.address();
  const port = typeof bound === "object" && bound !== null ? bound.port : 0;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

/** A list of models as local servers give it. */
export function modelList(...cards: readonly Readonly<Record<string, unknown>>[]): LocalAnswer {
  return { json: { object: "list", data: cards.map((card) => ({ object: "model", created: 0, ...card })) } };
}

/** A page that is not there, in Ollama's and llama.cpp's way. */
export const notFound: LocalAnswer = { status: 404, text: "404 page not found" };

async function readBody(incoming: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}

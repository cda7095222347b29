import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import Docker from "dockerode";
import { afterEach, expect, test } from "vitest";
import { InfrastructureError } from "../errors.ts";
import { importBase } from "./bootstrap.ts";
import { SandboxError } from "./port.ts";

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function engineThat(answers: RequestListener): Promise<Docker> {
  const listening = createServer(answers);
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
  const { port } = listening.address() as AddressInfo;
  return new Docker({ host: "127.0.0.1", port, protocol: "http" });
}

test.each<[string, RequestListener]>([
  ["never answers", () => undefined],
  ["begins to answer and never ends", (_request, response) => response.writeHead(200).write("{}\n")],
])("an engine that %s to an import is given up", async (_how, answers) => {
  const tar = Readable.from([Buffer.alloc(1024)]);
  const importing = importBase(await engineThat(answers), tar, "base:test", { limitMs: 200 });
  await expect(importing).rejects.toThrow(SandboxError);
  await expect(importing).rejects.toThrow("importing the base image: no answer in 0.2 s");
  expect(tar.destroyed).toBe(true);
});

test("an import stops with its signal", async () => {
  const controller = new AbortController();
  const docker = await engineThat(() => {
    controller.abort(new Error("Ctrl-C"));
  });
  const options = { limitMs: 60_000, signal: controller.signal };
  await expect(importBase(docker, Readable.from(["x"]), "base:test", options)).rejects.toThrow("Ctrl-C");
});

test("what the engine says against an import is in the error, and a good one names image and version", async () => {
  const asked: string[] = [];
  const docker = await engineThat((request, response) => {
    asked.push(request.url ?? "");
    request.resume().on("end", () => {
      response.end(asked.length === 1 ? '{"error":"no space left"}\n' : '{"status":"sha256:1"}\n');
    });
  });
  const once = () => importBase(docker, Readable.from(["x"]), "base:test", { limitMs: 60_000 });
  await expect(once()).rejects.toThrow(
    new InfrastructureError("the base image could not be imported: no space left"),
  );
  await once();
  expect(new URL(asked[1] ?? "", "http://engine").searchParams.get("repo")).toBe("base");
  expect(new URL(asked[1] ?? "", "http://engine").searchParams.get("tag")).toBe("test");
});

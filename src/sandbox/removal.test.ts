import { createServer, type Server } from "node:http";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Docker from "dockerode";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openPatiently } from "./patient-sandbox.ts";
import { SandboxError } from "./port.ts";
import { removeContainer } from "./removal.ts";
import { fakeContainer } from "../testing/fake-container.ts";

type Answer = { readonly status: number; readonly body?: unknown; readonly after?: Promise<void> };

let folder: string;
let server: Server;
let docker: Docker;
let requests: string[];
let answers: Record<string, Answer>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "engine-"));
  requests = [];
  answers = {};
  server = createServer((request, response) => {
    const line = `${request.method ?? ""} ${request.url ?? ""}`;
    requests.push(line);
    const [, answer] = Object.entries(answers).find(([begin]) => line.startsWith(begin)) ?? [];
    void (answer?.after ?? Promise.resolve()).then(() => {
      response.writeHead(answer?.status ?? 500, { "content-type": "application/json" });
      response.end(JSON.stringify(answer?.body ?? { message: "said by the engine" }));
    });
  });
  const socketPath = join(folder, "docker.sock");
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  docker = new Docker({ socketPath });
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
});

test.each([204, 404])("a removal answered with %i is done", async (status) => {
  answers = { "DELETE /containers/c": { status } };
  await removeContainer(docker, "c");
  expect(requests).toEqual(["DELETE /containers/c?force=true&v=true"]);
});

test.each([200, 404])("a removal under way is waited for until the engine says %i", async (status) => {
  let release: () => void = () => undefined;
  const after = new Promise<void>((resolve) => (release = resolve));
  answers = {
    "DELETE /containers/c": {
      status: 409,
      body: { message: "removal of container c is already in progress" },
    },
    "POST /containers/c/wait": { status, body: { StatusCode: 0 }, after },
  };
  let gone = false;
  const removing = removeContainer(docker, "c").then(() => (gone = true));
  await expect.poll(() => requests.at(-1)).toContain("POST /containers/c/wait?condition=removed");
  expect(gone).toBe(false);
  release();
  await removing;
});

test("what the engine could not remove is said in its words", async () => {
  answers = { "DELETE /containers/c": { status: 500, body: { message: "device or resource busy" } } };
  await expect(removeContainer(docker, "c")).rejects.toThrow("device or resource busy");
});

function failing(...causes: readonly unknown[]): {
  open: () => ReturnType<typeof tryOpen>;
  tries: () => number;
} {
  let tries = 0;
  const tryOpen = async () => {
    const cause = causes[tries++];
    await Promise.resolve();
    if (cause !== undefined) throw new SandboxError("no container could be started", { cause });
    return fakeContainer();
  };
  return { open: tryOpen, tries: () => tries };
}

const request = { role: "agent", labels: { campaign: "c", trial: "t" }, skill: null } as const;
const refused = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
const withStatus = (statusCode: number): Error => Object.assign(new Error("said"), { statusCode });

test("opening waits for an engine that is away and comes back", async () => {
  const noSocket = Object.assign(new Error("connect ENOENT"), { code: "ENOENT", syscall: "connect" });
  const { open, tries } = failing(refused, noSocket);
  await openPatiently({ open })(request);
  expect(tries()).toBe(3);
});

test("opening gives up on an engine that stays away, in time, and when it is told to stop", async () => {
  const away = failing(...Array.from({ length: 100 }, () => refused));
  const begun = performance.now();
  await expect(openPatiently(away, 600)(request)).rejects.toThrow(SandboxError);
  expect(performance.now() - begun).toBeLessThan(5000);
  expect(away.tries()).toBe(2);

  const controller = new AbortController();
  const reason = new Error("stop");
  const opening = openPatiently(away)(request, controller.signal);
  controller.abort(reason);
  await expect(opening).rejects.toBe(reason);
});

test.each([404, 409])(
  "a container that is removed under its start (%i) is opened once more, not for ever",
  async (status) => {
    const once = failing(withStatus(status));
    await openPatiently(once)(request);
    expect(once.tries()).toBe(2);
    const always = failing(...Array.from({ length: 9 }, () => withStatus(status)));
    await expect(openPatiently(always)(request)).rejects.toThrow(SandboxError);
    expect(always.tries()).toBe(2);
  },
);

test("an engine that refuses is not asked again", async () => {
  const { open, tries } = failing(withStatus(500));
  await expect(openPatiently({ open })(request)).rejects.toThrow(SandboxError);
  expect(tries()).toBe(1);
});

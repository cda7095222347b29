import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Docker from "dockerode";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { deadlineLabel } from "./container-spec.ts";
import { type DockerSandbox, dockerSandbox } from "./docker-sandbox.ts";
import { encodeOwner, ownerLabel, thisOwner } from "./owner.ts";
import { defaultSettings } from "./settings.ts";
import { type Leftover, sweepDeadOwners, withSizes } from "./sweep.ts";

const hourMs = 3600_000;

describe("containers past their deadline", () => {
  let sandbox: DockerSandbox;
  beforeAll(async () => {
    sandbox = await dockerSandbox(defaultSettings);
  });
  afterAll(() => sandbox.close());

  async function make(owner: string, sinceDeadlineMs: number | null): Promise<string> {
    const deadline = sinceDeadlineMs === null ? null : new Date(Date.now() - sinceDeadlineMs).toISOString();
    const { id } = await sandbox.docker.createContainer({
      name: `skillproof-test-deadline-${randomUUID()}`,
      Image: sandbox.image.id,
      Labels: { [ownerLabel]: owner, ...(deadline === null ? {} : { [deadlineLabel]: deadline }) },
    });
    return id;
  }

  test("are swept wherever their owner lives, once no two clocks can differ by so much", async () => {
    const elsewhere = "another-host/1/1@boot";
    const over = await make(elsewhere, 2 * hourMs);
    const ours = await make(encodeOwner(thisOwner()), 2 * hourMs);
    const staying = [
      await make(elsewhere, 0.5 * hourMs),
      await make(elsewhere, -1 * hourMs),
      await make(elsewhere, null),
    ];
    // Another process may sweep at the same time, so what is left counts, not who removed it.
    await sweepDeadOwners(sandbox.docker);
    const left = (await sandbox.docker.listContainers({ all: true })).map(({ Id }) => Id);
    expect([over, ours].filter((id) => left.includes(id))).toEqual([]);
    expect(staying.filter((id) => left.includes(id))).toEqual(staying);
    for (const id of staying) await sandbox.docker.getContainer(id).remove({ force: true });
  });
});

describe("sizes of leftovers", () => {
  let folder: string;
  let server: Server;
  let docker: Docker;
  let asked: string[];
  let usage: unknown;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "engine-"));
    asked = [];
    server = createServer((request, response) => {
      asked.push(`${request.method ?? ""} ${request.url ?? ""}`);
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(usage));
    });
    const socketPath = join(folder, "docker.sock");
    await new Promise<void>((resolve) => server.listen(socketPath, resolve));
    docker = new Docker({ socketPath });
  });
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true });
  });

  const leftover = (kind: Leftover["kind"], id: string): Leftover => ({ kind, id, name: id, bytes: null });

  async function sizeOf(kind: Leftover["kind"], id: string): Promise<number | null | undefined> {
    const [sized] = await withSizes(docker, [leftover(kind, id)]);
    expect({ ...sized, bytes: null }).toEqual(leftover(kind, id));
    return sized?.bytes;
  }

  test("are what the engine says of a writable layer and a volume, and null where it does not know", async () => {
    usage = {
      Containers: [{ Id: "written", SizeRw: 12 }, { Id: "untouched" }],
      Volumes: [
        { Name: "full", UsageData: { Size: 34, RefCount: 0 } },
        { Name: "unmeasured", UsageData: { Size: -1, RefCount: -1 } },
        { Name: "plain", UsageData: null },
      ],
    };
    expect(await sizeOf("container", "written")).toBe(12);
    // The engine leaves a size of zero out.
    expect(await sizeOf("container", "untouched")).toBe(0);
    expect(await sizeOf("container", "gone meanwhile")).toBeNull();
    expect(await sizeOf("volume", "full")).toBe(34);
    expect(await sizeOf("volume", "unmeasured")).toBeNull();
    expect(await sizeOf("volume", "plain")).toBeNull();
  });

  test("are unknown on an engine that lists nothing, and not asked for when there is no leftover", async () => {
    usage = { Containers: null, Volumes: null };
    expect(await withSizes(docker, [])).toEqual([]);
    expect(asked).toEqual([]);
    expect(await sizeOf("volume", "full")).toBeNull();
    expect(asked).toEqual(["GET /system/df"]);
  });
});

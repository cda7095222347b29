import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Docker from "dockerode";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { UserError } from "../errors.ts";
import { type PrivateEngine, privateEngine } from "../testing/private-engine.ts";
import { collect, streamOf, tell, testLabels } from "../testing/sandbox-containers.ts";
import { treeOf } from "../testing/sandbox-tars.ts";
import { dockerEndpoints, type EndpointSettings } from "./docker-endpoints.ts";
import { type DockerSandbox, dockerSandbox } from "./docker-sandbox.ts";
import { type Container, SandboxError } from "./port.ts";
import { defaultSettings, type TlsFiles } from "./settings.ts";

const makeCertificates = `
  set -e; cd /tmp
  new='-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes'
  openssl req -x509 $new -days 2 -subj /CN=test-ca -keyout ca-key.pem -out ca.pem
  sign() {
    openssl req $new -subj /CN=$1 -keyout $1-key.pem -out $1.csr
    echo "$2" > $1.ext
    openssl x509 -req -in $1.csr -CA $3.pem -CAkey $3-key.pem -CAcreateserial -days 2 -extfile $1.ext -out $1.pem
  }
  sign server 'subjectAltName=IP:127.0.0.1' ca
  sign client 'extendedKeyUsage=clientAuth' ca
`;
const pemFiles = ["ca", "server", "server-key", "client", "client-key"];

let common: DockerSandbox;
let engine: PrivateEngine;
let folder: string;
let tls: TlsFiles;
const pem = (name: string): string => join(folder, `${name}.pem`);

beforeAll(async () => {
  common = await dockerSandbox(defaultSettings);
  folder = await mkdtemp(join(tmpdir(), "skillproof-endpoints-"));
  const maker = await common.open({ role: "agent", labels: testLabels, skill: null });
  const made = await tell(maker, makeCertificates);
  if (made.exitCode !== 0) throw new Error(made.err);
  for (const name of pemFiles) {
    const read = await maker.readFile(`/tmp/${name}.pem`, 10_000);
    if (read.kind === "refused") throw new Error(read.reason);
    await writeFile(pem(name), read.bytes);
  }
  await maker.dispose();
  tls = { ca: pem("ca"), cert: pem("client"), key: pem("client-key") };
  engine = await privateEngine({ ca: pem("ca"), cert: pem("server"), key: pem("server-key") });
}, 1_800_000);

afterAll(async () => {
  await engine.close();
  await common.close();
  await rm(folder, { recursive: true });
});

function endpoint(socket: string, change: { tls?: TlsFiles; concurrency?: number } = {}): EndpointSettings {
  const { concurrency = 2 } = change;
  return { settings: { ...defaultSettings, socket, tls: change.tls ?? null }, concurrency };
}

const here = () => endpoint("/var/run/docker.sock");
const overTls = () => endpoint(engine.tcp ?? "", { tls });

async function countOf(docker: Docker, trial: string): Promise<number> {
  const filters = { label: [`skillproof.trial=${trial}`] };
  return (await docker.listContainers({ all: true, filters })).length;
}

/** What a trial does: skill, fixtures, commands, snapshot, and a grading container that may be elsewhere. */
async function wholeTrial(container: Container, open: () => Promise<Container>): Promise<string> {
  await tell(container, "cat /skill/SKILL.md > copied; head -c 3M /dev/urandom > big; sha256sum big > sum");
  const tar = await collect(container.snapshot());
  const grader = await open();
  try {
    await grader.unpack(streamOf(tar), "/workspace");
    return (await tell(grader, "cat copied; sha256sum -c sum")).out;
  } finally {
    await grader.dispose();
  }
}

describe.each([
  ["tcp with TLS", overTls],
  ["a unix socket", () => endpoint(engine.socket)],
])("a second engine over %s", (_how, second) => {
  test("gets the first one's image, takes its share of containers, and whole trials work on both", async () => {
    const log: string[] = [];
    const sandbox = await dockerEndpoints([here(), second()], { log: (line) => log.push(line) });
    const trial = randomUUID();
    const labels = { ...testLabels, trial };
    const skill = treeOf({ "SKILL.md": "do it well\n" });
    const open = () => sandbox.open({ role: "agent", labels, skill });
    const containers = [await open(), await open()];
    const there = new Docker({ socketPath: engine.socket });
    expect([await countOf(common.docker, trial), await countOf(there, trial)]).toEqual([1, 1]);
    const grading = () => sandbox.open({ role: "grader", labels, skill: null });
    for (const container of containers) {
      expect(await wholeTrial(container, grading)).toBe("do it well\nbig: OK\n");
    }
    expect(sandbox.image).toEqual(common.image);
    await sandbox.close();
    expect([await countOf(common.docker, trial), await countOf(there, trial)]).toEqual([0, 0]);
    expect((await there.listVolumes()).Volumes).toEqual([]);
  });
});

test("engines that do not answer, or not to us, are all named before any image is made", async () => {
  const strangers = { ca: pem("ca"), cert: pem("server"), key: join(folder, "none.pem") };
  const attempt = dockerEndpoints(
    [
      here(),
      endpoint("/nowhere/docker.sock"),
      endpoint(engine.tcp ?? "", { tls: strangers }),
      endpoint(engine.tcp ?? ""),
    ],
    { log: () => undefined },
  );
  await expect(attempt).rejects.toThrow(UserError);
  await expect(attempt).rejects.toThrow(
    /^3 of 4 engines cannot be used:\n.*endpoints\.1 \(\/nowhere\/docker\.sock\): .*ENOENT.*\n.*endpoints\.2 .*tls\.key: .*none\.pem cannot be read.*\n.*endpoints\.3 \(tcp:.*\): .*HTTPS/,
  );
});

test("an engine that is killed loses its trials and no other; the rest goes on without it", async () => {
  const log: string[] = [];
  const sandbox = await dockerEndpoints([here(), overTls()], { log: (line) => log.push(line) });
  const labels = { ...testLabels, trial: randomUUID() };
  const open = () => sandbox.open({ role: "agent", labels, skill: null });
  const [first, second] = [await open(), await open()];
  const lost = expect(tell(second, "sleep 60")).rejects.toThrow(SandboxError);
  const kept = tell(first, "sleep 2; echo done");
  await engine.kill();
  await lost;
  expect((await kept).out).toBe("done\n");
  await second.dispose();
  await first.dispose();
  const next = await Promise.all([open(), open()]);
  for (const container of next) expect((await tell(container, "echo alive")).out).toBe("alive\n");
  // Tests beside this one may have left dead owners' containers, which every start sweeps and says so.
  const told = log.filter((line) => !/^removed \d+ containers? whose owner is dead$/.test(line));
  expect(told).toEqual([
    expect.stringMatching(/^tcp:\/\/127\.0\.0\.1:\d+ does not answer and is left out: /),
  ]);
  await sandbox.close();
  expect(log.at(-1)).toMatch(/does not answer: what it still holds is removed by the next start$/);
  await engine.restart();
  const back = await dockerEndpoints([overTls()], { log: () => undefined });
  await back.close();
  expect((await new Docker({ socketPath: engine.socket }).listContainers({ all: true })).length).toBe(1);
});

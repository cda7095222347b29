import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type Docker from "dockerode";
import { beforeAll, expect, test } from "vitest";
import { UserError } from "../errors.ts";
import { tell, testLabels } from "../testing/sandbox-containers.ts";
import { publicBase } from "./base-image.ts";
import { findImage } from "./build-image.ts";
import { dockerSandbox } from "./docker-sandbox.ts";
import { connectEngine } from "./engine.ts";
import { ensureImage } from "./image.ts";
import { defaultSettings } from "./settings.ts";

const quiet = (): void => undefined;
let docker: Docker;
let folder: string;

beforeAll(async () => {
  docker = await connectEngine(null);
  folder = await mkdtemp(join(tmpdir(), "skillproof-image-"));
});

test("packages derive a further image, once, whoever asks and however often", async () => {
  const settings = { ...defaultSettings, packages: ["figlet"] };
  const plain = await ensureImage(docker, defaultSettings, quiet, { folder });
  const [first, second] = await Promise.all([
    ensureImage(docker, settings, quiet, { folder }),
    ensureImage(docker, settings, quiet, { folder }),
  ]);
  expect(second).toEqual(first);
  expect(first.id).not.toBe(plain.id);
  expect(first.base).toBe(plain.base);
  expect(await readFile(join(folder, "image.json"), "utf8")).toMatch(/"figlet \d/);

  const sandbox = await dockerSandbox(settings);
  const container = await sandbox.open({ role: "agent", labels: testLabels, skill: null });
  expect((await tell(container, "figlet -v | head -1; jq --version")).out).toMatch(/FIGlet.*\njq-/s);
  await sandbox.close();
});

test("a package that Debian does not have is the user's to correct", async () => {
  const making = ensureImage(docker, { image: null, packages: ["no-such-package-at-all"] }, quiet, {
    folder,
  });
  await expect(making).rejects.toThrow(UserError);
  await expect(making).rejects.toThrow('sandbox.packages: Debian has no package "no-such-package-at-all"');
});

test("an image of the user's gets the tool server and works the same", async () => {
  const plain = await ensureImage(docker, defaultSettings, quiet, { folder });
  await docker.getImage(plain.id).tag({ repo: "skillproof-test-own", tag: "latest" });
  try {
    const sandbox = await dockerSandbox({ ...defaultSettings, image: "skillproof-test-own:latest" });
    expect(sandbox.image.base).toBe("user");
    const container = await sandbox.open({ role: "grader", labels: testLabels, skill: null });
    const resolve = `python3 -c "import socket; print(socket.gethostbyname('localhost'))"`;
    const told = await tell(container, `${resolve}; ls /sys/class/net; sp-run -- id -u | cat`);
    expect(told.out).toBe("127.0.0.1\nlo\n1002\n");
    await sandbox.close();
  } finally {
    await docker.getImage("skillproof-test-own:latest").remove();
  }
});

test("an image without python3, and one that is nowhere, are named with what to do", async () => {
  const bare =
    (await findImage(docker, "skillproof-base:bookworm")) === null ? publicBase : "skillproof-base:bookworm";
  const making = (image: string) => ensureImage(docker, { image, packages: [] }, quiet, { folder });
  await expect(making(bare)).rejects.toThrow("sandbox.image: the image lacks python3");
  const nowhere = making("127.0.0.1:1/nothing:here");
  await expect(nowhere).rejects.toThrow(UserError);
  await expect(nowhere).rejects.toThrow('sandbox.image: the engine has no image "127.0.0.1:1/nothing:here"');
});

import { afterAll, beforeAll, expect, test } from "vitest";
import { tell, testLabels } from "../testing/sandbox-containers.ts";
import { type DockerSandbox, dockerSandbox } from "./docker-sandbox.ts";
import { SandboxError } from "./port.ts";
import { defaultSettings } from "./settings.ts";

let sandbox: DockerSandbox;
beforeAll(async () => {
  sandbox = await dockerSandbox({ ...defaultSettings, lifeSeconds: 4 });
}, 1_800_000);
afterAll(() => sandbox.close());

test.each([
  ["in the middle of a command", "sleep 60"],
  ["with a command that ignores every signal", "trap '' TERM INT HUP; while :; do sleep 1; done"],
])("a container ends itself at its deadline, %s, though its stream is held open", async (_when, command) => {
  const container = await sandbox.open({ role: "agent", labels: testLabels, skill: null });
  expect((await tell(container, "echo alive")).out).toBe("alive\n");
  const begun = performance.now();
  const running = tell(container, command, { timeoutMs: 60_000 });
  await expect(running).rejects.toThrow(SandboxError);
  await expect(running).rejects.toThrow("reached its deadline");
  expect(performance.now() - begun).toBeLessThan(20_000);
  await container.dispose();
});

import { type Capture, type Sandbox, SandboxError } from "./port.ts";

const command = "python3 -I /usr/local/lib/skillproof/toollist.py";
const labels = { campaign: "set-up", trial: "tool-list" };

/**
 * What the image offers: commands with their packages and versions, Python modules, fonts, locales. A Markdown list, read
 * from the image itself (docker/server/toollist.py). Throws `SandboxError` when it cannot be read.
 */
export async function readToolList(sandbox: Sandbox): Promise<string> {
  const container = await sandbox.open({ role: "agent", labels, skill: null });
  try {
    const outcome = await container.run({ command, timeoutMs: 60_000, maxOutputBytes: 1 << 20 });
    if (outcome.exitCode === 0) return textOf(outcome.stdout);
    throw new SandboxError(`the image's tool list could not be read: ${textOf(outcome.stderr)}`);
  } finally {
    await container.dispose();
  }
}

function textOf({ head, tail }: Capture): string {
  return new TextDecoder().decode(Buffer.concat([head, tail]));
}

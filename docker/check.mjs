/**
 * The one check: format, lint, types, tests, build, in this order; stops at the first that fails and says how long each
 * took. Further arguments go to vitest (`npm test -- src/cluster`).
 */
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const phases = [
  ["format", "node_modules/prettier/bin/prettier.cjs", ["--check", "--log-level", "warn", "."]],
  ["lint", "node_modules/eslint/bin/eslint.js", ["--max-warnings", "0", "."]],
  ["types", "node_modules/typescript/bin/tsc", ["--noEmit"]],
  ["tests", "node_modules/vitest/vitest.mjs", ["run", ...process.argv.slice(2)]],
  ["build", "docker/build.mjs", []],
];

const times = [];
let failed = null;
for (const [name, script, args] of phases) {
  process.stderr.write(`check    ${name}\n`);
  const begun = performance.now();
  const { status } = spawnSync(process.execPath, [script, ...args], {
    cwd: root,
    stdio: "inherit",
  });
  times.push(`${name} ${((performance.now() - begun) / 1000).toFixed(1)} s`);
  if (status !== 0) {
    failed = name;
    break;
  }
}
process.stderr.write(
  `check    ${times.join(", ")}${failed === null ? ": all passed" : `: ${failed} failed`}\n`,
);
process.exit(failed === null ? 0 : 1);

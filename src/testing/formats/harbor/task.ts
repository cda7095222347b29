import type { FileTree } from "../../../artefacts/tree.ts";
import { treeOf } from "../../benchmark.ts";

/**
 * A Harbor task of schema 1.3 that can be imported: count crates in a file, below /app. Its tests, its solution and
 * its instruction name folders by absolute paths, as such tasks do. A null takes a file out.
 */
export function harborTask(over: Readonly<Record<string, string | null>> = {}): FileTree {
  const files: Readonly<Record<string, string | null>> = {
    "task.toml": taskToml,
    "instruction.md":
      "# Count\n\nCount the crates of every depot in `/app/crates.csv`.\nWrite the sum to `/app/out/sum.txt` and delete /app/old.txt.\n",
    "environment/Dockerfile": [
      "FROM python:3.13-slim",
      "# what the task starts from",
      "RUN apt-get update && apt-get install -y --no-install-recommends \\",
      "      jq \\",
      "    && rm -rf /var/lib/apt/lists/*",
      "WORKDIR /app",
      "COPY crates.csv old.txt ./",
      "COPY tools/ tools/",
      'CMD ["sleep", "infinity"]',
      "",
    ].join("\n"),
    "environment/crates.csv": "depot,crates\nash,3\nelm,4\n",
    "environment/old.txt": "from last year\n",
    "environment/tools/list.sh!": "#!/bin/bash\ncut -d, -f1 /app/crates.csv\n",
    "solution/solve.sh":
      "#!/bin/bash\nset -eu\nmkdir -p /app/out\npython3 /solution/sum.py > /app/out/sum.txt\nrm /app/old.txt\n",
    "solution/sum.py":
      'rows = open("/app/crates.csv").read().split()[1:]\nprint(sum(int(row.split(",")[1]) for row in rows))\n',
    "tests/test.sh": [
      "#!/bin/bash",
      'cp "/tests/expected.txt" /tmp/expected',
      "if diff -q /tmp/expected /app/out/sum.txt && [ ! -e /app/old.txt ]; then",
      "  echo 1 > /logs/verifier/reward.txt",
      "else",
      "  echo 0 > /logs/verifier/reward.txt",
      "fi",
      "",
    ].join("\n"),
    "tests/expected.txt": "7\n",
    "README.md": "About crates.\n",
    ...over,
  };
  const kept = Object.entries(files).flatMap(([path, text]) =>
    text === null ? [] : [[path, text] as const],
  );
  return treeOf(Object.fromEntries(kept));
}

const taskToml = `schema_version = "1.3"

[task]
name = "growers/count-crates"
description = "Count crates by depot"
authors = [{ name = "Ada", email = "ada@example.org" }]
keywords = ["csv"]

[metadata]
difficulty = "easy"

[agent]
timeout_sec = 300.0

[verifier]
timeout_sec = 60.0

[environment]
build_timeout_sec = 600.0
cpus = 1
memory_mb = 2048
network_mode = "no-network"
`;

/** The same task.toml with lines added to the tables they are keyed by; `""` is the top. */
export function taskTomlWith(lines: Readonly<Record<string, string>>): string {
  let toml = taskToml;
  for (const [table, line] of Object.entries(lines)) {
    const heading = `[${table}]\n`;
    if (table === "") toml = `${line}\n${toml}`;
    else if (toml.includes(heading)) toml = toml.replace(heading, `${heading}${line}\n`);
    else toml += `\n${heading}${line}\n`;
  }
  return toml;
}

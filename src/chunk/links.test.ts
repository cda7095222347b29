import { expect, test } from "vitest";
import { findLinks } from "./links.ts";
import { parseMarkdown } from "./markdown.ts";

const files = new Set(["a.md", "references/my rules.md", "scripts/run.py", "img/x.png"]);

function links(markdown: string) {
  return findLinks(parseMarkdown(markdown.split("\n")), files);
}

test.each([
  { markdown: "[a](./a.md#part)", target: "./a.md#part", path: "a.md", kind: "link", status: "found" },
  { markdown: "[a][b]\n\n[b]: a.md", target: "a.md", path: "a.md", kind: "link", status: "found", line: 3 },
  { markdown: "![x](img/x.png)", target: "img/x.png", path: "img/x.png", kind: "image", status: "found" },
  {
    markdown: "[r](references/my%20rules.md)",
    target: "references/my%20rules.md",
    path: "references/my rules.md",
    kind: "link",
    status: "found",
  },
  { markdown: "[100%](50%.md)", target: "50%.md", path: "50%.md", kind: "link", status: "missing" },
  {
    markdown: "`scripts/run.py`",
    target: "scripts/run.py",
    path: "scripts/run.py",
    kind: "code",
    status: "found",
  },
  {
    markdown: "`./scripts/../a.md`",
    target: "./scripts/../a.md",
    path: "a.md",
    kind: "code",
    status: "found",
  },
  { markdown: "`../up/b.md`", target: "../up/b.md", path: null, kind: "code", status: "outside" },
  { markdown: "[root](/etc/a.md)", target: "/etc/a.md", path: null, kind: "link", status: "outside" },
  {
    markdown: "> - [in a list](gone.md)",
    target: "gone.md",
    path: "gone.md",
    kind: "link",
    status: "missing",
  },
])("$markdown is a $kind, $status", ({ markdown, line = 1, ...link }) => {
  expect(links(markdown)).toEqual([{ ...link, line }]);
});

test.each([
  "[web](https://example.org/a.md)",
  "[web](//example.org/a.md)",
  "[mail](mailto:a@example.org)",
  "[here](#part)",
  "`a.md`",
  "`/etc/hosts.conf`",
  "`src/**/*.ts`",
  "`scripts/run.py --fast`",
  "`https://example.org/a.md`",
  "`and/or`",
  "`release/1.2`",
  "`{baseDir}/run.py`",
  "`@scope/pkg.js`",
  "```\nscripts/run.py\n```",
])("%s is no link to a file of the skill", (markdown) => {
  expect(links(markdown)).toEqual([]);
});

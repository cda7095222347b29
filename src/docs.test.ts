import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { schemaPaths } from "./cli/init/write-config.ts";
import { main } from "./cli/main.ts";
import { parseConfig } from "./config-load.ts";
import { capturedIo } from "./testing/captured-io.ts";
import { foundCampaign, verified } from "./testing/found-campaign.ts";
import { pageCampaign } from "./testing/page-campaign.ts";
import { readDocs, shellLines, takeApart } from "./testing/read-docs.ts";
import { renderReportPage } from "./report/html/report-page.ts";

const root = join(import.meta.dirname, "..");
const pages = await readDocs(root);

/** The text of a page. */
function textOf(file: string): string {
  return pages.find((page) => page.file === file)?.text ?? "";
}

async function helpOf(...args: readonly string[]): Promise<string> {
  const io = capturedIo(root);
  expect(await main([...args, "--help"], io)).toBe(0);
  return io.stdout();
}

let help: string;
/** Options of every command, by its name. */
const options = new Map<string, ReadonlySet<string>>();

beforeAll(async () => {
  help = await helpOf();
  const names = [...help.matchAll(/^ {2}([a-z]+) (?:\[|<)/gm)].map(([, name = ""]) => name);
  for (const name of names.filter((one) => one !== "help")) {
    const found = (await helpOf(name)).matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm);
    options.set(name, new Set([...found].map(([, option = ""]) => option)));
  }
});

test("the pages that the README promises are there", () => {
  expect(pages.map(({ file }) => file)).toEqual([
    "README.md",
    ...["ci", "how-to-trust-it", "quick-start", "reading-a-report", "troubleshooting"].map(
      (name) => `docs/${name}.md`,
    ),
    "docs/writing-a-campaign.md",
  ]);
});

test("every link leads to a file, and every # to a heading of it", async () => {
  const lost: string[] = [];
  for (const { file, links } of pages) {
    for (const link of links) {
      if (/^https?:/.test(link)) continue;
      const [path = "", anchor] = link.split("#");
      const target = path === "" ? file : relative(root, join(root, dirname(file), path));
      const found = await stat(join(root, target)).catch(() => null);
      const anchors = pages.find((page) => page.file === target)?.anchors;
      const isAnchor = anchor === undefined || anchors?.has(anchor) === true;
      if (found === null || !isAnchor) lost.push(`${file}: ${link}`);
    }
  }
  expect(lost).toEqual([]);
});

test("every page is reached from the README", () => {
  const linked = pages[0]?.links.map((link) => link.split("#")[0]) ?? [];
  expect(pages.flatMap(({ file }) => (file === "README.md" || linked.includes(file) ? [] : [file]))).toEqual(
    [],
  );
});

const campaigns = pages.flatMap(({ file, fences }) =>
  fences
    .filter(({ language }) => language === "yaml")
    .map(({ text, line }) => [`${file}:${line}`, text] as const),
);

test.each(campaigns)("%s is a campaign's file that loads", (_place, text) => {
  expect(parseConfig(text, "/c/skillproof.config.yaml").name).toBe("my-skill");
});

test("a block of a page is a command, a campaign or nothing that anybody has to try", () => {
  const languages = new Set(pages.flatMap(({ fences }) => fences.map(({ language }) => language)));
  expect([...languages].sort()).toEqual(["sh", "yaml"]);
});

test("every npm script that is named exists", async () => {
  const manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const named = pages.flatMap(({ text }) =>
    [...text.matchAll(/\bnpm (?:run ([\w:]+)|(test)\b)/g)].map(([, script, plain]) => script ?? plain ?? ""),
  );
  expect(named).toContain("demo");
  expect(named.filter((name) => manifest.scripts[name] === undefined)).toEqual([]);
});

describe("words in code", () => {
  const codes = pages.flatMap(({ file, codes: inside }) => inside.map((code) => [file, code] as const));

  test("every option exists, and of the command that it is named with", () => {
    const known = new Set([...options.values()].flatMap((each) => [...each]));
    expect(known.size).toBeGreaterThan(20);
    const unknown = codes.filter(([, code]) => {
      const [, command = ""] = /^(?:npx skillproof|skillproof) ([a-z]+)/.exec(code) ?? [];
      const some = command === "" ? known : options.get(command);
      return (code.match(/(?<=^| )--[a-z-]+/g) ?? []).some((option) => some?.has(option) !== true);
    });
    expect(unknown).toEqual([]);
  });

  test("every command exists", () => {
    const named = codes.flatMap(([, code]) => /^(?:npx )?skillproof ([a-z]+)/.exec(code)?.[1] ?? []);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !options.has(name))).toEqual([]);
  });

  test("every key of a campaign's file exists", () => {
    const paths = schemaPaths();
    const groups = new Set(paths.map((path) => path.split(".")[0]));
    const keys = codes.flatMap(([file, code]) => {
      const [, key = ""] = /^([a-z][A-Za-z]*(?:\.[A-Za-z<>]+)+)(?::.*)?$/.exec(code) ?? [];
      const isFile = /\.(json|md|html|csv|xml|svg|yaml|jsonl)$/.test(key);
      return groups.has(key.split(".")[0]) && !isFile
        ? [[file, key.replace(/\.<id>$/, "").replace(".<id>", ".*")] as const]
        : [];
    });
    expect(keys.length).toBeGreaterThan(20);
    expect(keys.filter(([, key]) => !paths.includes(key))).toEqual([]);
  });
});

test("the table of exit codes has those of the program, and the words of --fail-on too", async () => {
  const ofProgram = [...help.matchAll(/^ {2}(\d+) {2,}/gm)].map(([, code]) => code);
  const inDocs = [...textOf("docs/ci.md").matchAll(/^\| (\d+) /gm)].map(([, code]) => code);
  expect(inDocs).toEqual(ofProgram);
  const told = [...textOf("docs/ci.md").matchAll(/^\| `([a-z_]+)` /gm)].map(([, word = ""]) => word);
  const [, meanings = ""] = (await helpOf("compare")).split("--fail-on takes");
  const known = [...(meanings.split("\nExit code")[0] ?? "").matchAll(/^ {2}([a-z_]+) /gm)];
  expect(told.toSorted()).toEqual(known.map(([, word = ""]) => word).toSorted());
});

test("exit codes elsewhere are of the program", () => {
  const named = pages.flatMap(({ text }) =>
    [...text.matchAll(/[Ee]xit code (\d+)/g)].map(([, code]) => code),
  );
  for (const code of named) expect(help).toMatch(new RegExp(`^ {2}${code} {2,}`, "m"));
});

test("how to trust it names every check of verify", () => {
  const names = verified(foundCampaign()).checks.map(({ name }) => name);
  const [, table = ""] = textOf("docs/how-to-trust-it.md").split("## Verify a campaign");
  const told = [...(table.split("\n## ")[0] ?? "").matchAll(/`([a-z]+(?:-[a-z]+)*)`/g)].map(
    ([, name]) => name,
  );
  expect(names.filter((name) => !told.includes(name))).toEqual([]);
});

test("reading a report names every section of the page, in its order", () => {
  const { report, timings, trials } = pageCampaign();
  const [, contents = ""] = renderReportPage(report, timings, trials).split('aria-label="Contents"');
  const shown = [...(contents.split("</nav>")[0] ?? "").matchAll(/<a href="#[^"]*">([^<]*)</g)];
  const text = textOf("docs/reading-a-report.md");
  const rows = [...text.matchAll(/^\| ([A-Z][^|]*?) +\|/gm)].flatMap(([, row = ""]) => row.split(", "));
  expect(shown.length).toBeGreaterThan(10);
  const told = shown.map(([, name = ""]) => rows.indexOf(name));
  expect(told).not.toContain(-1);
  expect(told).toEqual(told.toSorted((a, b) => a - b));
});

test("the messages that troubleshooting explains are the program's", async () => {
  const files = (await readdir(join(root, "src"), { recursive: true })).filter(
    (file) => file.endsWith(".ts") && !/\.test\.ts$|^testing\//.test(file),
  );
  const sources = (await Promise.all(files.map((file) => readFile(join(root, "src", file), "utf8")))).join(
    "\n",
  );
  const messages = [...textOf("docs/troubleshooting.md").matchAll(/“([^”]+)”/g)].map(
    ([, words = ""]) => words,
  );
  expect(messages.length).toBeGreaterThan(10);
  // What stands in their place differs from case to case.
  const fixed = messages.flatMap((words) => words.replace(/^OPENROUTER_API_KEY/, "").split("…"));
  expect(fixed.map((part) => part.trim()).filter((part) => !sources.includes(part))).toEqual([]);
});

test("pages are taken apart as a reader sees them", () => {
  const text =
    "# A `b`: c\n\n[x](y.md#z) and `--code`\n\n```sh\nnpx a 'b c' --d \"e\" # why\n\n# alone\nf > g.md\n```\n";
  const page = takeApart("a.md", text);
  expect([...page.anchors]).toEqual(["a-b-c"]);
  expect([page.links, page.codes]).toEqual([["y.md#z"], ["b", "--code"]]);
  expect(shellLines(page.fences[0]?.text ?? "")).toEqual([
    { line: "npx a 'b c' --d \"e\"", words: ["npx", "a", "b c", "--d", "e"], into: null },
    { line: "f > g.md", words: ["f"], into: "g.md" },
  ]);
  for (const clever of ["a | b", "a && b", "a; b", "a $(b)", "a `b`"])
    expect(() => shellLines(clever)).toThrow("too clever");
});

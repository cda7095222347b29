import { expect, test } from "vitest";
import { outcomes, textChanges } from "../../testing/changes.ts";
import { mutateXml } from "./xml.ts";

test.each<[string, string, string, string, readonly string[]]>([
  [
    "elements but not the root",
    "element-dropped",
    "a.xml",
    "<r><a/><b>x</b></r>",
    ["<r><b>x</b></r>", "<r><a/></r>"],
  ],
  [
    "elements in elements",
    "element-dropped",
    "a.xml",
    "<r><a> <b/> </a></r>",
    ["<r></r>", "<r><a>  </a></r>"],
  ],
  ["a text", "text-changed", "a.xml", "<r> z </r>", ["<r> y </r>"]],
  ["a text with an entity", "text-changed", "a.xml", "<r>&lt;z&#65;</r>", ["<r>&lt;y&#65;</r>"]],
  ["a text of one entity", "text-changed", "a.xml", "<r>&lt;</r>", []],
  ["a CDATA section", "text-changed", "a.xml", "<r><![CDATA[z]]></r>", ["<r><![CDATA[y]]></r>"]],
  ["comments and instructions", "text-changed", "a.xml", "<?xml version='1.0'?><!-- z --><r/>", []],
  ["an attribute", "attribute-changed", "a.xml", "<r a = 'z'/>", ["<r a = 'y'/>"]],
  [
    "an attribute with >",
    "attribute-changed",
    "a.xml",
    "<r a=\"z>\" b='0'/>",
    ["<r a=\"y>\" b='0'/>", "<r a=\"z>\" b='1'/>"],
  ],
  [
    "names of namespaces",
    "attribute-changed",
    "a.xml",
    '<r xmlns="u:z" xmlns:a="z" a:b="0"/>',
    ['<r xmlns="u:z" xmlns:a="z" a:b="1"/>'],
  ],
  [
    "the declaration",
    "attribute-changed",
    "a.xml",
    '<?xml version="1.0"?><!DOCTYPE r [<!ENTITY e "z">]><r/>',
    [],
  ],
  ["names beyond ASCII", "element-dropped", "a.xml", "<ü><ä-ö:é.1/></ü>", ["<ü></ü>"]],
  [
    "void elements of HTML",
    "element-dropped",
    "a.html",
    "<body><br><p>z</p></body>",
    ["<body><p>z</p></body>", "<body><br></body>"],
  ],
  [
    "bare attributes of HTML",
    "attribute-changed",
    "a.html",
    "<input value=z disabled>",
    ["<input value=y disabled>"],
  ],
  [
    "scripts and styles",
    "text-changed",
    "a.html",
    "<p>z</p><script>if (a<b) z()</script><STYLE>z{}</style>",
    ["<p>y</p><script>if (a<b) z()</script><STYLE>z{}</style>"],
  ],
  ["a script as a whole", "element-dropped", "a.html", "<head><script>z</script></head>", ["<head></head>"]],
  ["end tags left out", "element-dropped", "a.html", "<ul><li>a<li>b</ul>", [""]],
  ["a tag that is no tag", "text-changed", "a.html", "<p>z < .</p>", ["<p>y < .</p>"]],
  ["end tags too many", "element-dropped", "a.xml", "<r></x><a></a></r>", ["<r></x></r>"]],
])("%s: %s", async (_name, kind, path, text, expected) => {
  expect(outcomes(await textChanges(mutateXml, path, text), kind)).toEqual(expected);
});

test("changes are told with their place", async () => {
  const changes = await textChanges(
    mutateXml,
    "a.svg",
    '<svg>\n  <rect width="0"/>\n  <text>z</text>\n</svg>\n',
  );
  expect(changes.map(({ words }) => words)).toEqual([
    'an element rect dropped in line 2: <rect width="0"/>',
    "an attribute changed in line 2: 0 → 1",
    "an element text dropped in line 3: <text>z</text>",
    "a text changed in line 3: z → y",
  ]);
});

test.each<[string, string, string | Uint8Array]>([
  ["nothing", "a.xml", ""],
  ["another format", "a.txt", "<r>z</r>"],
  ["a comment that is cut off", "a.xml", "<!-- z <r>z</r>"],
  ["a tag that is cut off", "a.xml", '<r a="0'],
  ["bytes that are no text", "a.xml", new Uint8Array([60, 0xff, 62])],
])("%s: none of its changes", async (_name, path, text) => {
  const changes = await textChanges(mutateXml, path, text);
  expect(changes.filter(({ kind }) => kind !== "text-changed")).toEqual([]);
});

test("XML and HTML under other names are known by how they begin", async () => {
  for (const text of ["<?xml version='1.0'?>\n<r>z</r>", "<!DOCTYPE html>\n<p>z", "\n<html><p>z"])
    expect(outcomes(await textChanges(mutateXml, "page", text), "text-changed")).toEqual([
      text.replace("z", "y"),
    ]);
});

/** Of the processor: others may be busy on it as well. */
const mostCpuMs = 3000;

test.each<[string, string]>([
  ["open tags without end", "<a>".repeat(300_000)],
  ["end tags without start", "</a>".repeat(250_000)],
  ["both, of two names", "<a>".repeat(150_000) + "</b>".repeat(150_000)],
  ["quotes that do not close", `<a b="`.repeat(170_000)],
  ["other quotes that do not close", `<a b='c" `.repeat(110_000)],
  ["comments that do not close", "<!--".repeat(250_000)],
  ["one tag of white space", `<a ${" ".repeat(1_000_000)}`],
  ["attributes without values", `<a ${"b ".repeat(500_000)}`],
  ["less-than signs", "<".repeat(1_000_000)],
  ["doctypes", "<!DOCTYPE [".repeat(90_000)],
])("1 MB of %s takes little time", async (_name, text) => {
  const before = process.cpuUsage();
  await textChanges(mutateXml, "a.xml", text, { mostPerKind: 5 });
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(mostCpuMs);
});

import { expect, test } from "vitest";
import { type CodeLanguage, parseCode, type Syntax } from "./parse-code.ts";

async function parsed<T>(
  source: string,
  language: CodeLanguage,
  look: (code: NonNullable<Awaited<ReturnType<typeof parseCode>>>) => T,
): Promise<T> {
  const code = await parseCode(source, language);
  expect(code).not.toBeNull();
  try {
    return look(code!);
  } finally {
    code!.dispose();
  }
}

test.each<{ language: CodeLanguage; source: string; changed: string; parses: boolean }>([
  { language: "python", source: "x = 1", changed: "x = 2", parses: true },
  { language: "python", source: "x = 1", changed: "x = (2", parses: false },
  { language: "python", source: "x = 1", changed: "x = 1", parses: true },
  { language: "python", source: "x = 1", changed: "", parses: true },
  { language: "python", source: "if a:\n    b()\nc()\n", changed: "if a\n    b()\nc()\n", parses: false },
  {
    language: "python",
    source: "x = '🍐'\ny = '🍐'\r\nz = 1\n",
    changed: "x = '🍐'\ny = '🍐'\r\nz = '\n",
    parses: false,
  },
  {
    language: "python",
    source: "x = '🍐'\ny = '🍐'\r\nz = 1\n",
    changed: "x = '🍐'\ny = '🍐🍐'\r\nz = 1\n",
    parses: true,
  },
  { language: "javascript", source: "if (a) { b(); }\nc();", changed: "if (a) { b();\nc();", parses: false },
  { language: "javascript", source: "aaaa(b);", changed: "aaaaa(b);", parses: true },
  { language: "typescript", source: "let a: string = b;", changed: "let a: = b;", parses: false },
  { language: "tsx", source: "const a = <b>c</b>;", changed: "const a = <b>c</b;", parses: false },
  { language: "bash", source: "if a; then b; fi", changed: "if a; then b; ", parses: false },
  { language: "bash", source: "if a; then b; fi", changed: "if ! a; then b; fi", parses: true },
])(
  "$source changed to $changed in $language parses: $parses",
  async ({ language, source, changed, parses }) => {
    expect(await parsed(source, language, ({ stillParses }) => stillParses(changed))).toBe(parses);
    // The same as from the start.
    const again = await parseCode(changed, language);
    again?.dispose();
    expect(again !== null).toBe(parses);
  },
);

test("one changed source after another is held against the first", async () => {
  const answers = await parsed("f(1)\ng(2)\n", "python", ({ stillParses }) =>
    ["f(1\ng(2)\n", "f(1)\ng(3)\n", "f(1)\ng(2\n", "f(9)\ng(2)\n"].map(stillParses),
  );
  expect(answers).toEqual([false, true, false, true]);
});

test("nodes have their fields, parents and places in UTF-16 units", async () => {
  const { root, all } = await parsed("x = '🍐' < y", "python", ({ root }) => ({ root, all: nodesIn(root) }));
  const less = all.find(({ type }) => type === "<");
  expect({ ...less, parent: less?.parent?.type, source: less?.source.slice(less.from, less.to) }).toEqual({
    type: "<",
    named: false,
    field: "operators",
    from: 9,
    to: 10,
    source: "<",
    parent: "comparison_operator",
    children: [],
  });
  expect(root.parent).toBeNull();
  for (const { parent, children } of all.slice(1)) {
    expect(parent?.children.length).toBeGreaterThan(0);
    for (const child of children) expect(all).toContain(child);
  }
});

function nodesIn(node: Syntax): readonly Syntax[] {
  return [node, ...node.children.flatMap(nodesIn)];
}

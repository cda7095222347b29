import { expect, test } from "vitest";
import type { CampaignComparison } from "../artefacts/comparison.ts";
import { alikeCells, comparedSide, type SideOptions } from "../testing/compared-sides.ts";
import { compareReports } from "./compare-reports.ts";
import { comparisonMarkdown, headlineOf } from "./markdown.ts";

const control = "without_skill";

function fallen(a: SideOptions = {}, b: SideOptions = {}): CampaignComparison {
  const cells = (passed: 0 | 5) => alikeCells(4, { with_skill: `${passed}/5`, without_skill: "1/5" });
  return compareReports({
    a: comparedSide(cells(5), a),
    b: comparedSide({ ...cells(0), "late m/x": { with_skill: "1/5", without_skill: "1/5" } }, b),
    control,
    oneCampaign: false,
  });
}

/** Rows of a table, cut at bars that are not escaped. */
function tableRows(markdown: string): readonly (readonly string[])[] {
  const lines = markdown.split("\n").filter((line) => line.startsWith("|"));
  return lines.map((line) => line.split(/(?<!\\)\|/).map((part) => part.trim()));
}

test("a regression is named first, with its figures, and what it means is said", () => {
  const markdown = comparisonMarkdown(fallen());
  const [marker, , title, , headline] = markdown.split("\n");
  expect(marker).toBe("<!-- skillproof-compare:sample -->");
  expect(title).toMatch(/^# sample-\w+ \(with\\_skill\) against sample-\w+ \(with\\_skill\)$/);
  expect(headline).toBe("Of 1 skill compared: regression: sample.");
  const rows = tableRows(markdown);
  expect(rows.find(([, skill, model]) => skill === "sample" && model === "all models")?.slice(3, 6)).toEqual([
    "regression",
    "+80.0",
    "−20.0",
  ]);
  expect(markdown).toContain("## Fell by 20.0 points or more: 4 of 4 cells");
  expect(markdown).toContain("## Conclusions that changed: 2 of 2 conclusions");
  expect(markdown).toContain("| sample/late | m/x | A has no such benchmark |");
  expect(markdown).toContain("its uplift fell too, and no trial without a verdict could change that");
});

test("names from folders and servers stay text: no markup, no mention, no link, no order to a terminal", () => {
  const hostile = "x|y <img src=x onerror=alert(1)> [a](https://e.vil) @team `b` \u001b[31m \u202e www.e.vil";
  const skill = `s ${hostile}`;
  const markdown = comparisonMarkdown(
    fallen({ skill, inputs: { name: "--> <script>" } }, { skill, inputs: { name: "--> <script>" } }),
  );
  const [marker] = markdown.split("\n");
  expect(marker).toBe("<!-- skillproof-compare:-script- -->");
  // What stands between backticks is no markup, and holds none.
  const rest = markdown.slice(marker!.length).replace(/(?<!\\)`[^`\n]*`/g, "code");
  expect(rest).not.toMatch(/(?<!\\)<\w/);
  expect(rest).not.toMatch(/(?<!\\)\[a/);
  expect(rest).not.toMatch(/@\w|:\/\/|www\./);
  expect(rest).not.toMatch(/[\u001b\u202e]/u);
  const widths = new Set<string>();
  const tables = rest.split("\n\n").filter((part) => part.startsWith("|"));
  for (const table of tables) {
    const counts = new Set(tableRows(table).map((row) => row.length));
    expect(counts.size).toBe(1);
    widths.add(String([...counts][0]));
  }
  expect(tables.length).toBeGreaterThanOrEqual(5);
});

test("a table of thousands is cut, and what is cut is counted", () => {
  const cells = alikeCells(450, { with_skill: "1/1", without_skill: "0/1" });
  const [a, b] = [comparedSide(cells), comparedSide(cells)];
  const markdown = comparisonMarkdown(compareReports({ a, b, control, oneCampaign: false }));
  expect(markdown).toContain("250 of 450 more rows: see --json.");
  expect(tableRows(markdown).filter(([, place]) => place?.startsWith("sample/"))).toHaveLength(200);
});

test("the headline says of every skill what became of it", () => {
  expect(headlineOf(fallen())).toBe("Of 1 skill compared: regression: sample.");
  expect(headlineOf({ rows: [] })).toBe("Of 0 skills compared: nothing.");
});

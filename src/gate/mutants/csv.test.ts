import { parse } from "csv-parse/sync";
import { expect, test } from "vitest";
import { outcomes, textChanges } from "../../testing/changes.ts";
import { mutateCsv } from "./csv.ts";

const crates = 'crate,bay\nA0,north\nB0,"south, old"\n';

test.each<[string, string, string, string, readonly string[]]>([
  [
    "rows but not the header",
    "row-dropped",
    "a.csv",
    crates,
    ['crate,bay\nB0,"south, old"\n', "crate,bay\nA0,north\n"],
  ],
  ["rows", "row-doubled", "a.csv", "a,b\nx,y", ["a,b\nx,y\nx,y"]],
  ["neighbours", "rows-swapped", "a.csv", "a,b\r\nx,y\r\nu,v", ["a,b\r\nu,v\r\nx,y"]],
  ["rows over several lines", "rows-swapped", "a.csv", 'a,b\n"x\n1",y\nu,v\n', ['a,b\nu,v\n"x\n1",y\n']],
  [
    "the header",
    "header-renamed",
    "a.csv",
    'crate,"bay"\n1,2\n',
    ['cratex,"bay"\n1,2\n', 'crate,"bayx"\n1,2\n'],
  ],
  ["no header where the first row holds numbers", "header-renamed", "a.csv", "1,a\n2,b\n", []],
  ["a zero", "cell-changed", "a.csv", "n,m\n0,\n", ["n,m\n1,\n"]],
  [
    "cells of other scripts",
    "cell-changed",
    "a.csv",
    'n,m\n日,"本"\n',
    ['n,m\n日x,"本"\n', 'n,m\n日,"本x"\n'],
  ],
  ["tabs", "rows-swapped", "a.tsv", "a\tb,c\nx\ty\nu\tv\n", ["a\tb,c\nu\tv\nx\ty\n"]],
  ["semicolons", "header-renamed", "a.csv", "a,1;b\nx;y\n", ["a,1x;b\nx;y\n", "a,1;bx\nx;y\n"]],
  ["bars", "header-renamed", "a.csv", "a|b\nx|y\n", ["ax|b\nx|y\n", "a|bx\nx|y\n"]],
  ["a row that ends with an empty cell", "row-dropped", "a.csv", "a,b\nx,\n", ["a,b\n"]],
  ["a single row", "row-doubled", "a.csv", "x,y", ["x,y\nx,y"]],
  ["single columns", "row-dropped", "a.csv", "name\nx\n", ["name\n"]],
  ["blank lines", "row-dropped", "a.csv", "a,b\n\nx,y\n", ["a,b\n\n"]],
])("%s: %s", async (_name, kind, path, text, expected) => {
  expect(outcomes(await textChanges(mutateCsv, path, text), kind)).toEqual(expected);
});

test("every change is read as another table, with as many columns", async () => {
  const text = 'crate,weight,"note, free"\nA-1,12.50,"says ""yes"""\nB-2,7,\n"C\n3",0012,x\n';
  const tableOf = (csv: string): string[][] => parse(csv);
  const before = tableOf(text);
  const changes = await textChanges(mutateCsv, "crates.csv", text);
  expect([...new Set(changes.map(({ kind }) => kind))].sort()).toEqual([
    "cell-changed",
    "header-renamed",
    "row-doubled",
    "row-dropped",
    "rows-swapped",
  ]);
  for (const change of changes) {
    const after = tableOf(change.text);
    expect(after, change.words).not.toEqual(before);
    if (change.kind !== "cell-changed") continue;
    const cells = after.flat().filter((cell, at) => cell !== before.flat()[at]);
    expect(cells, change.words).toHaveLength(1);
  }
  expect(outcomes(changes, "cell-changed")).toHaveLength(8);
});

test("an amount gets a near miss or another digit", async () => {
  const [change] = (await textChanges(mutateCsv, "a.csv", "n,m\n12.50,\n")).filter(
    ({ kind }) => kind === "cell-changed",
  );
  expect(change?.words).toBe("a cell changed in line 2: 12.50 → 12.51");
});

test.each<[string, string, string | Uint8Array]>([
  ["a quote that is not closed", "a.csv", 'a,b\n"x,y\n'],
  ["nothing", "a.csv", ""],
  ["another format", "a.txt", crates],
  ["bytes that are no text", "a.csv", new Uint8Array([97, 44, 0xff])],
])("%s: none of its changes", async (_name, path, text) => {
  expect(await textChanges(mutateCsv, path, text)).toEqual([]);
});

test("a byte order mark stays, and is not part of the first column's name", async () => {
  const changes = await textChanges(mutateCsv, "a.csv", "\uFEFFa,b\nx,y\n");
  expect(outcomes(changes, "header-renamed")[0]).toBe("\uFEFFax,b\nx,y\n");
  expect(changes.find(({ kind }) => kind === "header-renamed")?.words).toBe(
    "a column renamed in line 1: a → ax",
  );
});

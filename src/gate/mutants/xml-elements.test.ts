import { expect, test } from "vitest";
import { attributeOf, elementsOf, within } from "./xml-elements.ts";

const body = `<?xml version="1.0"?><!-- <no/> --><w:a b='1' x:c="2"> one<d/><e>two<![CDATA[<3>]]></e> </w:a>`;

test("elements come with their places, those inside first", () => {
  const elements = elementsOf(body);
  expect(elements.map(({ name }) => name)).toEqual(["d", "e", "a"]);
  const [d, e, a] = elements;
  expect(elements.map(({ start, end }) => body.slice(start, end))).toEqual([
    "<d/>",
    "<e>two<![CDATA[<3>]]></e>",
    body.slice(body.indexOf("<w:a")),
  ]);
  expect(elements.map(({ inside }) => body.slice(inside.start, inside.end))).toEqual([
    "",
    "two<![CDATA[<3>]]>",
    " one<d/><e>two<![CDATA[<3>]]></e> ",
  ]);
  expect(a!.children).toEqual([d, e]);
  expect(a!.texts.concat(e!.texts).map(({ start, end }) => body.slice(start, end))).toEqual([
    " one",
    "two",
    "<3>",
  ]);
});

test("attributes are found whatever their prefix", () => {
  const [, , a] = elementsOf(body);
  const value = attributeOf(a!, "c")!;
  expect(body.slice(value.start, value.end)).toBe("2");
  expect(attributeOf(a!, "d")).toBeUndefined();
});

test("what stands in an element comes in its order, without what is left out", () => {
  const all = elementsOf("<a><b><c/></b><d><e/></d><b/></a>").at(-1)!;
  const names = (except: readonly string[]): string =>
    [...within(all, new Set(except))].map(({ name }) => name).join(" ");
  expect(names([])).toBe("a b c d e b");
  expect(names(["b"])).toBe("a d e");
});

test.each([
  { what: "nothing", text: "", names: [] },
  { what: "an end without a start", text: "</a><b/>", names: ["b"] },
  { what: "a start without an end", text: "<a><b></b>", names: ["b"] },
  { what: "elements that cross", text: "<a><b></a></b><c/>", names: ["c"] },
  { what: "a tag that is cut off", text: "<a><b", names: [] },
])("$what", ({ text, names }) => {
  expect(elementsOf(text).map(({ name }) => name)).toEqual(names);
});

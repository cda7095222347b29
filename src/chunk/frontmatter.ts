import type { Diagnostic } from "../artefacts/chunks.ts";
import { diagnose } from "./diagnostics.ts";
import { checkFields } from "./frontmatter-fields.ts";
import type { FrontmatterPlace } from "./frontmatter-place.ts";
import { readYaml } from "./frontmatter-yaml.ts";
import { recoverField } from "./recover-fields.ts";
import type { SourceLines } from "./source-lines.ts";

export type Frontmatter = {
  readonly present: boolean;
  /** 1-based lines of the opening and closing fence; null when absent. */
  readonly startLine: number | null;
  readonly endLine: number | null;
  /** The folder's name stands in for an absent name. */
  readonly name: string;
  readonly description: string | null;
  readonly data: Readonly<Record<string, unknown>>;
  readonly diagnostics: readonly Diagnostic[];
};

/** Reads the frontmatter of a SKILL.md leniently; all that is wrong with it is in `diagnostics`. */
export function readFrontmatter(source: SourceLines, place: FrontmatterPlace, folder: string): Frontmatter {
  switch (place.kind) {
    case "missing": {
      const message = "no frontmatter: begin with a line ---, then name: and description:, then a line ---";
      return absent(folder, [diagnose("frontmatter-missing", 1, message)]);
    }
    case "unclosed": {
      const message = "the frontmatter is never closed: add a line --- after its last field";
      const blank = leadingBlank(source, place.open);
      return absent(folder, [...blank, diagnose("frontmatter-unclosed", place.open + 1, message)]);
    }
    case "closed":
      return readClosed(source, place, folder);
  }
}

function absent(folder: string, diagnostics: readonly Diagnostic[]): Frontmatter {
  return {
    present: false,
    startLine: null,
    endLine: null,
    name: folder,
    description: null,
    data: {},
    diagnostics,
  };
}

function leadingBlank(source: SourceLines, open: number): readonly Diagnostic[] {
  const ownBlankLines = open - (source.wrapperLine === null ? 0 : 1);
  if (ownBlankLines === 0) return [];
  return [diagnose("frontmatter-leading-blank", open + 1, "blank lines before the frontmatter; remove them")];
}

function readClosed(
  source: SourceLines,
  place: Extract<FrontmatterPlace, { kind: "closed" }>,
  folder: string,
): Frontmatter {
  const fenceLine = place.open + 1;
  const where = { present: true, startLine: fenceLine, endLine: place.close + 1 } as const;
  const diagnostics = [...leadingBlank(source, place.open)];
  if (place.gluedRest !== null) {
    const message = "a heading shares the line of the closing ---; put it on a line of its own";
    diagnostics.push(diagnose("frontmatter-close-glued", place.close + 1, message));
  }
  const content = readContent(source.lines.slice(place.open + 1, place.close), fenceLine);
  diagnostics.push(...content.diagnostics);
  if (content.kind === "other") return { ...where, name: folder, description: null, data: {}, diagnostics };
  const fields = checkFields(content.data, content.keyLines, fenceLine, folder);
  diagnostics.push(...fields.diagnostics);
  return { ...where, name: fields.name, description: fields.description, data: content.data, diagnostics };
}

type Content = { readonly diagnostics: readonly Diagnostic[] } & (
  | { readonly kind: "other" }
  | {
      readonly kind: "fields";
      readonly data: Readonly<Record<string, unknown>>;
      /** 1-based line in the file of the value that counts. */
      readonly keyLines: ReadonlyMap<string, number>;
    }
);

function readContent(lines: readonly string[], fenceLine: number): Content {
  const yaml = readYaml(lines.join("\n"));
  switch (yaml.kind) {
    case "invalid":
      return recoverByLine(lines, fenceLine);
    case "other": {
      const message = "the frontmatter is not a mapping: write one `field: value` per line";
      return { kind: "other", diagnostics: [diagnose("frontmatter-not-mapping", fenceLine, message)] };
    }
    case "mapping": {
      const written = yaml.keys.map(({ key, line }) => ({ key, line: fenceLine + 1 + line }));
      return {
        kind: "fields",
        data: yaml.data,
        keyLines: new Map(written.map(({ key, line }) => [key, line])),
        diagnostics: repeatedKeys(written),
      };
    }
  }
}

function repeatedKeys(written: readonly { key: string; line: number }[]): readonly Diagnostic[] {
  const seen = new Map<string, number>();
  const diagnostics: Diagnostic[] = [];
  for (const { key, line } of written) {
    const times = (seen.get(key) ?? 0) + 1;
    seen.set(key, times);
    if (times !== 2) continue;
    const message = `${key} is given more than once; the last one counts`;
    diagnostics.push(diagnose("frontmatter-duplicate-key", line, message, key));
  }
  return diagnostics;
}

function recoverByLine(lines: readonly string[], fenceLine: number): Content {
  const found = ["name", "description"].flatMap((key) => {
    const field = recoverField(lines, key);
    return field === undefined ? [] : [{ key, value: field.value, line: fenceLine + 1 + field.line }];
  });
  const diagnostic =
    found.length === 2
      ? diagnose(
          "frontmatter-yaml-recovered",
          fenceLine,
          "not valid YAML (often a colon in a value without quotes); name and description were read by line",
        )
      : diagnose(
          "frontmatter-yaml-invalid",
          fenceLine,
          "not valid YAML: write name: and description:, values with a colon in quotes",
        );
  return {
    kind: "fields",
    data: Object.fromEntries(found.map(({ key, value }) => [key, value])),
    keyLines: new Map(found.map(({ key, line }) => [key, line])),
    diagnostics: [diagnostic],
  };
}

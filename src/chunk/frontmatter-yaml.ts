import { isMap, isScalar, LineCounter, parseDocument, type YAMLMap } from "yaml";
import { z } from "zod";

/** A top-level key; `line` is 0-based in the YAML text. */
export type YamlKey = { readonly key: string; readonly line: number };

export type YamlReading =
  | { readonly kind: "invalid" }
  | { readonly kind: "other" }
  /** `keys` holds every top-level key as often as it was written; in `data` the last value wins. */
  | {
      readonly kind: "mapping";
      readonly data: Readonly<Record<string, unknown>>;
      readonly keys: readonly YamlKey[];
    };

const recordSchema = z.record(z.string(), z.unknown());

/**
 * Reads one YAML 1.2 document (core schema). Several documents in one text, an alias without an anchor, and so many
 * aliases that they can only be meant to exhaust memory, are `invalid`.
 */
export function readYaml(source: string): YamlReading {
  const lineCounter = new LineCounter();
  // At log level "error" nothing is written to the console, and a second document is still an error.
  const document = parseDocument(source, {
    schema: "core",
    uniqueKeys: false,
    lineCounter,
    logLevel: "error",
  });
  if (document.errors.length > 0) return { kind: "invalid" };
  try {
    const data = recordSchema.safeParse(document.toJS({ maxAliasCount: 100 }));
    if (!isMap(document.contents) || !data.success) return { kind: "other" };
    return { kind: "mapping", data: data.data, keys: topLevelKeys(document.contents, lineCounter) };
  } catch (error) {
    // What the package throws for aliases, and for nothing else.
    if (error instanceof ReferenceError) return { kind: "invalid" };
    throw error;
  }
}

function topLevelKeys(map: YAMLMap, lineCounter: LineCounter): readonly YamlKey[] {
  return map.items.flatMap(({ key }) => {
    if (!isScalar(key) || !key.range) return [];
    return [{ key: String(key.value), line: lineCounter.linePos(key.range[0]).line - 1 }];
  });
}

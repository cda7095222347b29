import type { Diagnostic } from "../artefacts/chunks.ts";
import { diagnose, type DiagnosticCode } from "./diagnostics.ts";

/** The fields of the skill specification (agentskills.io). */
const knownFields = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];

const nameRule = /^[\p{Ll}\p{Lo}\p{Lm}\p{M}\p{N}]+(?:-[\p{Ll}\p{Lo}\p{Lm}\p{M}\p{N}]+)*$/u;

export type Fields = {
  readonly name: string;
  readonly description: string | null;
  readonly diagnostics: readonly Diagnostic[];
};

type FieldData = Readonly<Record<string, unknown>>;
type Report = (code: DiagnosticCode, message: string, field?: string) => void;

/**
 * Holds the fields against the specification. `keyLines` gives the 1-based line of each key; what is missing is
 * reported on the line of the opening fence.
 */
export function checkFields(
  data: FieldData,
  keyLines: ReadonlyMap<string, number>,
  fenceLine: number,
  folder: string,
): Fields {
  const diagnostics: Diagnostic[] = [];
  const reportOn =
    (key: string): Report =>
    (code, message, field) => {
      const line = code.endsWith("-missing") ? fenceLine : (keyLines.get(key) ?? fenceLine);
      diagnostics.push(diagnose(code, line, message, field));
    };
  const name = checkName(data["name"], folder, reportOn("name"));
  const description = checkDescription(data["description"], reportOn("description"));
  checkOptionalFields(data, reportOn);
  return { name, description, diagnostics };
}

function checkName(value: unknown, folder: string, report: Report): string {
  const text = textOrNull(value, "name", report)?.normalize("NFKC").trim();
  if (text === undefined) return folder;
  if (codePoints(text) > 64)
    report("name-too-long", `name has ${codePoints(text)} characters; at most 64 are allowed`);
  if (!nameRule.test(text)) {
    report(
      "name-invalid",
      `name ${JSON.stringify(text)}: use lower-case letters, digits and single hyphens between them`,
    );
  }
  if (text !== folder.normalize("NFKC")) {
    report(
      "name-folder-mismatch",
      `name ${JSON.stringify(text)} differs from the folder ${JSON.stringify(folder)}`,
    );
  }
  return text;
}

function checkDescription(value: unknown, report: Report): string | null {
  const text = textOrNull(value, "description", report)?.trim();
  if (text === undefined) return null;
  if (codePoints(text) > 1024) {
    report(
      "description-too-long",
      `description has ${codePoints(text)} characters; at most 1024 are allowed`,
    );
  }
  if (/<\/?[A-Za-z][^<>]*>/.test(text))
    report("description-markup", "description holds a <tag>; write plain text");
  return text;
}

/** Numbers and booleans are what YAML makes of an unquoted text; lists and mappings are not a text at all. */
function textOrNull(value: unknown, field: "name" | "description", report: Report): string | null {
  if (value === undefined || value === null || (typeof value === "string" && value.trim() === "")) {
    report(`${field}-missing`, `${field} is missing or empty`);
    return null;
  }
  if (typeof value === "string") return value;
  report(`${field}-not-string`, `${field} is not text; put it in quotes`);
  return typeof value === "number" || typeof value === "boolean" ? String(value) : null;
}

function checkOptionalFields(data: FieldData, reportOn: (key: string) => Report): void {
  const { compatibility, metadata, "allowed-tools": tools } = data;
  if (compatibility !== undefined && (typeof compatibility !== "string" || codePoints(compatibility) > 500)) {
    reportOn("compatibility")(
      "compatibility-invalid",
      "compatibility must be text of at most 500 characters",
    );
  }
  if (metadata !== undefined && !isStringMap(metadata)) {
    reportOn("metadata")(
      "metadata-not-string-map",
      "metadata must map names to texts; put its values in quotes",
    );
  }
  if (tools !== undefined && typeof tools !== "string") {
    reportOn("allowed-tools")(
      "allowed-tools-not-string",
      "allowed-tools must be one text, names separated by spaces",
    );
  }
  for (const field of Object.keys(data)) {
    if (knownFields.includes(field)) continue;
    reportOn(field)(
      "unknown-field",
      `${field} is not a field of the skill specification; move it below metadata`,
      field,
    );
  }
}

function isStringMap(value: unknown): boolean {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return false;
  return Object.values(value).every((member) => typeof member === "string");
}

function codePoints(text: string): number {
  return Array.from(text).length;
}

import type { Diagnostic } from "../artefacts/chunks.ts";

/** Errors break the specification of skills; warnings are odd but usable. */
const severities = {
  "frontmatter-missing": "error",
  "frontmatter-unclosed": "error",
  "frontmatter-yaml-invalid": "error",
  "frontmatter-not-mapping": "error",
  "name-missing": "error",
  "name-not-string": "error",
  "name-invalid": "error",
  "name-too-long": "error",
  "description-missing": "error",
  "description-not-string": "error",
  "description-too-long": "error",
  "compatibility-invalid": "error",
  "body-empty": "error",
  "encoding-bom": "warning",
  "encoding-invalid-utf8": "warning",
  "wrapped-in-fence": "warning",
  "frontmatter-leading-blank": "warning",
  "frontmatter-close-glued": "warning",
  "frontmatter-duplicate-key": "warning",
  "frontmatter-yaml-recovered": "warning",
  "name-folder-mismatch": "warning",
  "description-markup": "warning",
  "metadata-not-string-map": "warning",
  "allowed-tools-not-string": "warning",
  "unknown-field": "warning",
  "setext-dash-ignored": "warning",
  "heading-empty": "warning",
  "heading-level-skipped": "warning",
  "section-empty": "warning",
  "fence-unclosed": "warning",
  "fence-nested-suspect": "warning",
  "html-comment-unclosed": "warning",
  "heading-in-html": "warning",
} as const satisfies Record<string, Diagnostic["severity"]>;

export type DiagnosticCode = keyof typeof severities;

/** `line` is 1-based in the file on disk; null when the finding has no place. */
export function diagnose(
  code: DiagnosticCode,
  line: number | null,
  message: string,
  field?: string,
): Diagnostic {
  return {
    severity: severities[code],
    code,
    ...(line === null ? {} : { line }),
    ...(field === undefined ? {} : { field }),
    message,
  };
}

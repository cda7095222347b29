/** String constants of a program, as written between its quotes. */
export function stringsOf(source: string): readonly string[] {
  return [...source.matchAll(quoted)].map(([, long, single, double]) => long ?? single ?? double ?? "");
}

/** Three quotes first: they may hold the others. The others are bounded, so that a line of a megabyte takes no longer. */
const quoted =
  /(?:"""|''')((?:(?!"""|''')[^])*)(?:"""|''')|'((?:[^'\\\n]|\\.){0,400})'|"((?:[^"\\\n]|\\.){0,400})"/g;

/** What a document marks as wording to be taken literally, and its numbers. */
export type Literals = {
  /** Code spans, quoted strings and lines of fenced blocks. */
  readonly marked: ReadonlySet<string>;
  readonly numbers: ReadonlySet<string>;
};

export function literalsOf(markdown: string): Literals {
  const { prose, fenced } = withoutFences(markdown);
  const spans = [...prose.matchAll(/(?<!`)(`{1,3})(?!`)([^\n]{1,300}?)(?<!`)\1(?!`)/g)].map(
    ([, , span = ""]) => span,
  );
  const strings = [...prose.matchAll(/"([^"\n]{3,200})"|“([^”\n]{3,200})”/g)].map(([, a, b]) => a ?? b ?? "");
  const marked = [...spans, ...strings, ...fenced].map((literal) => literal.trim());
  return {
    marked: new Set(marked.filter((literal) => literal !== "")),
    numbers: new Set(numbersOf(markdown)),
  };
}

/** Lines outside and inside of fenced blocks. */
function withoutFences(markdown: string): { readonly prose: string; readonly fenced: readonly string[] } {
  const prose: string[] = [];
  const fenced: string[] = [];
  let fence: string | null = null;
  for (const line of markdown.split("\n")) {
    const [, mark = null] = /^ {0,12}(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence === null && mark !== null) fence = mark;
    else if (fence !== null && mark?.startsWith(fence) === true) fence = null;
    else (fence === null ? prose : fenced).push(line);
  }
  return { prose: prose.join("\n"), fenced };
}

function numbersOf(text: string): readonly string[] {
  return [...text.matchAll(number)]
    .filter(({ index }) => !version.test(text.slice(Math.max(0, index - 20), index)))
    .map(([digits]) => digits)
    .filter(isTellingNumber);
}

const number = /(?<![\p{L}\p{N}._-])\d+(?:[.,]\d+)*(?![\p{L}\p{N}_])/gu;
const version = /(?:python|node(?:\.js)?|java|ruby|perl|php|go|bash|debian|version|v)\s*$/i;

/** Three digits, and neither a year nor a round number, which stand in many texts. */
export function isTellingNumber(digits: string): boolean {
  const plain = digits.replace(/[.,]/g, "");
  return plain.length >= 3 && !/^(19|20)\d\d$/.test(digits) && !/^[1-9]0+$/.test(plain);
}

const everyday = new Set(
  `true false null none json yaml toml html text utf-8 utf8 ascii stdin stdout stderr python python3 bash node main
  name path file files string number integer list dict object array value values type status date time data code title
  README.md SKILL.md --help --version package.json read write output input index default example content error`
    .split(/\s+/)
    .map((word) => word.toLowerCase()),
);

/** Whether wording is of the kind that a text has from another: no everyday name, and no short plain word. */
export function isTellingWording(literal: string): boolean {
  if (everyday.has(literal.toLowerCase())) return false;
  if (/^[1-9][\d.,]*$/.test(literal)) return isTellingNumber(literal);
  if (/[^\p{ASCII}]/u.test(literal) && !/[\p{L}\p{N}]/u.test(literal)) return true;
  return literal.length >= 4 && /[\p{L}\p{N}]/u.test(literal);
}

/**
 * Matches a path against a glob of `outputs`: `*` and `?` within one part, `**` across parts, `[abc]`, `[!a-z]`,
 * `{a,b}`. A glob that ends with `/` takes everything below that folder. Works in time proportional to path × glob,
 * because authors' globs are not to be trusted with a backtracking regular expression.
 */
export function matchesGlob(path: string, glob: string): boolean {
  const whole = glob.replace(/^\.\//, "").replace(/\/$/, "/**");
  return alternatives(whole).some((pattern) => matches(path, tokensOf(pattern)));
}

type Token =
  | { readonly kind: "one"; readonly takes: (character: string) => boolean }
  | { readonly kind: "many"; readonly takes: (character: string) => boolean }
  /** `**` with the slash after it: nothing, or whole folders. */
  | { readonly kind: "folders" };

const maxAlternatives = 256;

/** `a{b,c}` is `ab` and `ac`. Beyond the limit braces stand for themselves. */
function alternatives(glob: string): readonly string[] {
  let open = [glob];
  for (;;) {
    const next = open.flatMap((pattern) => {
      const [whole, before = "", choices = "", after = ""] = /^(.*?)\{([^{}]*)\}(.*)$/s.exec(pattern) ?? [];
      return whole === undefined ? [pattern] : choices.split(",").map((choice) => before + choice + after);
    });
    if (next.length > maxAlternatives || next.every((pattern, at) => pattern === open[at])) return open;
    open = next;
  }
}

function tokensOf(pattern: string): readonly Token[] {
  return (pattern.match(/\*\*\/|\*\*|\*|\?|\[[^\]/]+\]|[^]/gu) ?? []).map((token): Token => {
    if (token === "**/") return { kind: "folders" };
    if (token === "**") return { kind: "many", takes: () => true };
    if (token === "*") return { kind: "many", takes: (character) => character !== "/" };
    if (token === "?") return { kind: "one", takes: (character) => character !== "/" };
    if (token.length > 1 && token.startsWith("["))
      return { kind: "one", takes: characterClass(token.slice(1, -1)) };
    return { kind: "one", takes: (character) => character === token };
  });
}

function characterClass(inside: string): (character: string) => boolean {
  const negated = /^[!^]/.test(inside);
  const ranges = [...inside.slice(negated ? 1 : 0).matchAll(/([^])-([^])|([^])/gu)];
  const holds = (character: string): boolean =>
    ranges.some(([, from, to, single]) =>
      from === undefined || to === undefined ? character === single : character >= from && character <= to,
    );
  return (character) => character !== "/" && holds(character) !== negated;
}

/** Follows every place of the pattern that the path read so far can be at. */
function matches(path: string, tokens: readonly Token[]): boolean {
  const reached = (places: Set<number>, place: number): void => {
    for (let at = place; ; at++) {
      places.add(at);
      if (at >= tokens.length || tokens[at]?.kind === "one") return;
    }
  };
  let places = new Set<number>();
  reached(places, 0);
  for (const character of path) {
    const next = new Set<number>();
    for (const place of places) {
      const token = tokens[place];
      if (token === undefined) continue;
      if (token.kind === "folders") {
        next.add(place);
        if (character === "/") reached(next, place + 1);
      } else if (token.takes(character)) {
        if (token.kind === "one") reached(next, place + 1);
        else reached(next, place);
      }
    }
    places = next;
  }
  return places.has(tokens.length);
}

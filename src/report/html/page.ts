import { h } from "preact";
import { documentOf, html, type Markup } from "./markup.ts";
import { style } from "./style.ts";

/** A place of the page that its table of contents leads to. */
export type Place = { readonly id: string; readonly words: string };

export type PageParts = {
  /** Of the window; plain text, and it may be hostile. */
  readonly title: string;
  /** What stands in `main`; headings begin at h1. */
  readonly body: Markup;
  /** Folders between report/ and the page: 0 for report/index.html. From 1 on the page links back to the index. */
  readonly depth: number;
  readonly contents?: readonly Place[];
  /** The browser asks for the page again after so long; for pages of a campaign that is still running. */
  readonly refreshSeconds?: number;
};

/** Nothing is loaded and nothing is executed, whatever text from outside gets into a page. */
export const contentPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/**
 * The text of a whole page that needs nothing beside it: style inside, no script, light and dark. For its body there are
 * the classes of style.ts (`notice`, `figure`, `scroll`, `muted`, `tag`, `num`, …).
 */
export function page({ title, body, depth, contents = [], refreshSeconds }: PageParts): string {
  const again = refreshSeconds === undefined ? null : String(refreshSeconds);
  return documentOf(html`
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content=${contentPolicy} />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        ${again === null ? null : html`<meta http-equiv="refresh" content=${again} />`}
        <title>${title}</title>
        <link rel="icon" href="data:," />
        ${styleElement()}
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        ${header(depth)} ${contents.length === 0 ? null : contentsNav(contents)}
        <main id="main" tabindex="-1">${body}</main>
        <footer class="foot">
          <p class="folded">${foldedWords}</p>
          <p>
            Made by skillproof from what is on disk. Every number can be computed again:${" "}
            <code>skillproof verify</code>.
          </p>
        </footer>
      </body>
    </html>
  `);
}

/** Shown on paper alone, and only by browsers that cannot unfold what is printed by its style. */
const foldedWords = "What stands folded is not printed: unfold it before printing.";

/** The only raw text of a page, and a constant: a style element's text must not be escaped. */
function styleElement(): unknown {
  return h("style", { dangerouslySetInnerHTML: { __html: style } });
}

function header(depth: number): Markup {
  const home = `${"../".repeat(depth)}index.html`;
  return html`
    <header class="mast">
      <span class="mark">skillproof</span>
      ${depth === 0 ? null : html`<a href=${home}>Back to the report</a>`}
    </header>
  `;
}

function contentsNav(contents: readonly Place[]): Markup {
  return html`
    <nav class="contents" aria-label="Contents">
      <ul>
        ${contents.map(({ id, words }) => html`<li><a href=${`#${id}`}>${words}</a></li>`)}
      </ul>
    </nav>
  `;
}

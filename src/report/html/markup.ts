import { html as template } from "htm/preact";
import { Fragment, h, type VNode } from "preact";
import { renderToString } from "preact-render-to-string";

/** A piece of a page. Text in it is escaped when it is rendered, whoever wrote it. */
export type Markup = VNode | readonly VNode[];

/** Tagged template for markup; what is put in between is text, an attribute's value or other markup. */
export const html: (strings: TemplateStringsArray, ...values: readonly unknown[]) => Markup = template;

/** A complete page's text. */
export function documentOf(root: Markup): string {
  return `<!doctype html>\n${renderToString(h(Fragment, null, root))}\n`;
}

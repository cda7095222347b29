import htmModule from "htm";
import { Fragment, h, type VNode } from "preact";
import { renderToString } from "preact-render-to-string";

/** A piece of a page. Text in it is escaped when it is rendered, whoever wrote it. */
export type Markup = VNode | readonly VNode[];

/** Its types are of a CommonJS module; Node loads the other one, which is the function itself. */
const htm = htmModule as unknown as typeof htmModule.default;

/**
 * Tells htm that nothing is static: it would keep such a piece for the next page, and with it all of this page, which
 * preact hangs it into.
 */
function fresh(this: number[], ...[type, props, ...children]: Parameters<typeof h>): VNode {
  this[0] = 3;
  return h(type, props, ...children);
}

/** Tagged template for markup; what is put in between is text, an attribute's value or other markup. */
export const html: (strings: TemplateStringsArray, ...values: readonly unknown[]) => Markup = htm.bind(fresh);

/** A complete page's text. */
export function documentOf(root: Markup): string {
  return `<!doctype html>\n${renderToString(h(Fragment, null, root))}\n`;
}

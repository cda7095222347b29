/**
 * The style of every page, one constant. Colours are variables with a light and a dark value; blue and orange are told
 * apart by all common kinds of colour blindness, and no meaning hangs on colour alone. Text keeps a contrast of 4.5:1.
 * `late` is drawn when it comes into view, for parts of very long pages; each says the size that it will have, for a
 * wrong one is a blank stretch in a picture of the page.
 */
export const style = `
:root {
  color-scheme: light dark;
  --paper: #fbfaf7; --card: #ffffff; --ink: #1d2127; --muted: #565d66; --rule: #d9d6ce; --hair: #e9e6df;
  --link: #0a5a92; --up: #0b66a3; --down: #b04a00; --flat: #5b626b; --wash-up: #e3eff7; --wash-down: #fbeadd;
  --wash-flat: #eeece6; --more: #b5b0a4; --notice: #fdf3d7; --notice-edge: #c79a1e; --focus: #0b66a3;
  --s0: #6b7078; --s1: #0b66a3; --s2: #b5530a; --s3: #00755a; --s4: #97417a; --s5: #6d6100; --s6: #4d55b0;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171b; --card: #1b1f24; --ink: #e8e6e1; --muted: #a9afb8; --rule: #3a4048; --hair: #292e35;
    --link: #86c3f0; --up: #6db7ec; --down: #f2a065; --flat: #a9afb8; --wash-up: #17303f; --wash-down: #3b2717;
    --wash-flat: #262a30; --more: #59616b; --notice: #332a10; --notice-edge: #c79a1e; --focus: #86c3f0;
    --s0: #a3a9b2; --s1: #6db7ec; --s2: #f2a065; --s3: #4fc3a1; --s4: #e295c4; --s5: #d6c452; --s6: #a3aaf5;
  }
}
*, *::before, *::after { box-sizing: border-box; }
html { font-size: 100%; -webkit-text-size-adjust: 100%; scroll-padding-top: 1rem; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif;
  font-variant-numeric: tabular-nums lining-nums; overflow-wrap: break-word; }
a { color: var(--link); text-underline-offset: 0.15em; text-decoration-thickness: 0.06em; }
a:hover { text-decoration-thickness: 0.14em; }
:focus-visible { outline: 0.18rem solid var(--focus); outline-offset: 0.15rem; border-radius: 0.15rem; }
main:focus { outline: none; }
.skip { position: absolute; left: -999rem; top: 0; padding: 0.5rem 1rem; background: var(--card); z-index: 2; }
.skip:focus { left: 0; }
.mast, .contents, main, .foot { max-width: 66rem; margin-inline: auto; padding-inline: clamp(1rem, 4vw, 2rem); }
.mast { display: flex; gap: 1.5rem; align-items: baseline; padding-block: 1.1rem 0.6rem; font-size: 0.9rem; }
.mark { font-weight: 650; letter-spacing: 0.01em; }
.contents { font-size: 0.875rem; }
.contents ul { list-style: none; display: flex; flex-wrap: wrap; gap: 0.15rem 1.1rem; margin: 0; padding: 0.55rem 0;
  border-block: 1px solid var(--rule); }
.contents a { text-decoration: none; display: inline-block; padding-block: 0.2rem; }
.contents a:hover { text-decoration: underline; }
.foot { margin-top: 4rem; padding-block: 1rem 3rem; font-size: 0.875rem; color: var(--muted); }
.foot p { border-top: 1px solid var(--rule); padding-top: 1rem; }
h1, h2, h3, .lead { font-family: "Iowan Old Style", "Palatino Linotype", Palatino, Charter, Georgia, "Liberation Serif", serif;
  text-wrap: balance; font-variant-numeric: lining-nums; }
h1 { font-size: clamp(1.5rem, 4.2vw, 2.1rem); line-height: 1.2; font-weight: 600; margin: 1.6rem 0 0.6rem; }
h2 { font-size: 1.5rem; line-height: 1.25; font-weight: 600; margin: 3.2rem 0 0.5rem; padding-top: 0.9rem;
  border-top: 1px solid var(--rule); }
h3 { font-size: 1.12rem; line-height: 1.35; font-weight: 600; margin: 1.8rem 0 0.4rem; }
h4 { font-size: 0.95rem; margin: 1.2rem 0 0.3rem; }
p, .prose li { max-width: 44rem; }
p { margin: 0.5rem 0; }
.lead { font-size: clamp(1.15rem, 2.6vw, 1.4rem); line-height: 1.42; max-width: 46rem; margin: 0.6rem 0; text-wrap: pretty; }
.kicker { color: var(--muted); font-size: 0.9rem; margin: 1.6rem 0 -1.1rem; overflow-wrap: anywhere; }
.muted { color: var(--muted); }
.small { font-size: 0.875rem; }
code, pre, .mono { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; font-size: 0.9em; }
code { overflow-wrap: anywhere; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--card); border: 1px solid var(--hair);
  border-radius: 0.3rem; padding: 0.7rem 0.9rem; margin: 0.5rem 0; }
bdi.foreign { unicode-bidi: isolate; }
.notice { background: var(--notice); border-left: 0.3rem solid var(--notice-edge); padding: 0.6rem 1rem; margin: 0.8rem 0;
  max-width: 48rem; }
.notice p { margin: 0.15rem 0; }
.scroll { overflow-x: auto; max-width: 100%; margin: 0.7rem 0;
  /* A shadow at the edge behind which there is more; covers that move with the content hide it where there is not. */
  background:
    linear-gradient(to right, var(--paper) 40%, transparent) 0 0 / 2.2rem 100% no-repeat local,
    linear-gradient(to left, var(--paper) 40%, transparent) 100% 0 / 2.2rem 100% no-repeat local,
    linear-gradient(to right, var(--more), transparent) 0 0 / 1rem 100% no-repeat scroll,
    linear-gradient(to left, var(--more), transparent) 100% 0 / 1rem 100% no-repeat scroll; }
table { border-collapse: collapse; font-size: 0.875rem; line-height: 1.4; }
caption { text-align: left; color: var(--muted); padding-bottom: 0.35rem; }
th, td { text-align: left; vertical-align: top; padding: 0.38rem 1rem 0.38rem 0; border-bottom: 1px solid var(--hair); }
th { font-weight: 600; }
thead th { white-space: nowrap; border-bottom: 1px solid var(--rule); color: var(--muted); font-weight: 500; vertical-align: bottom; }
td.num, th.num { text-align: right; white-space: nowrap; }
td.keep { white-space: nowrap; }
td.name, th.name { max-width: 22rem; overflow-wrap: anywhere; min-width: 7rem; }
td .tag.flat { white-space: normal; }
details { margin: 0.6rem 0; }
summary { cursor: pointer; color: var(--link); width: fit-content; max-width: 100%; padding-block: 0.15rem; }
summary:hover { text-decoration: underline; }
dl.facts { display: grid; grid-template-columns: minmax(7rem, max-content) 1fr; gap: 0.3rem 1.2rem; margin: 0.7rem 0;
  font-size: 0.9rem; max-width: 52rem; }
dl.facts dt { color: var(--muted); }
dl.facts dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 34rem) { dl.facts { grid-template-columns: 1fr; gap: 0 } dl.facts dd { margin-bottom: 0.5rem; } }
.tag { display: inline-block; border-radius: 0.25rem; padding: 0.05rem 0.5rem; font-size: 0.875rem; font-weight: 600;
  background: var(--wash-flat); color: var(--ink); white-space: nowrap; }
.tag.up, .tag.passed { background: var(--wash-up); }
.tag.down, .tag.failed { background: var(--wash-down); }
.tag.open { background: transparent; box-shadow: inset 0 0 0 1px var(--rule); }
.figure { margin: 1rem 0 1.4rem; }
.figure figcaption { font-size: 0.9rem; color: var(--muted); max-width: 44rem; margin-bottom: 0.5rem; }
.figure figcaption strong { color: var(--ink); display: block; font-size: 1rem; }
.chart { display: block; width: 100%; height: auto; min-width: 36rem; max-width: 58rem; overflow: visible;
  color: var(--ink); font: 13px system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif;
  font-variant-numeric: tabular-nums; }
.chart text { white-space: pre; }
.chart .faint { color: var(--muted); }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: 0.2rem 1.2rem; padding: 0; margin: 0.3rem 0; font-size: 0.875rem; }
.legend svg { width: 0.9rem; height: 0.9rem; vertical-align: -0.1rem; margin-right: 0.35rem; overflow: visible; }
.answers { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 1rem 2.5rem; margin: 1rem 0; }
.answer { border-top: 0.2rem solid var(--flat); padding-top: 0.7rem; }
.answer.up { border-color: var(--up); }
.answer.down { border-color: var(--down); }
.answer h3 { margin: 0 0 0.2rem; overflow-wrap: anywhere; }
.answer .big { font: 600 1.7rem/1.2 "Iowan Old Style", "Palatino Linotype", Palatino, Charter, Georgia, "Liberation Serif", serif;
  margin: 0.1rem 0; }
.grid-cell { display: inline-flex; align-items: center; gap: 0.5rem; text-decoration: none; color: var(--ink); min-width: 6.5rem; }
.grid-cell:hover .of { text-decoration: underline; }
td .of { white-space: nowrap; }
.bar { display: inline-block; width: 3.2rem; height: 0.55rem; background: var(--hair); box-shadow: inset 0 0 0 1px var(--rule);
  flex: none; }
.bar i { display: block; height: 100%; background: var(--flat); }
.bar.wide { width: 6rem; }
.bar.treated i { background: var(--up); }
.of-skill { scroll-margin-top: 2.5rem; }
.trials { margin: 0; padding: 0.45rem 0; border-bottom: 1px solid var(--hair); }
.trials h3 { margin: 0 0 0.15rem; font: inherit; font-weight: 600; font-size: 0.875rem; overflow-wrap: anywhere; }
.trials ul { list-style: none; display: flex; flex-wrap: wrap; gap: 0.1rem 0.9rem; margin: 0; padding: 0; font-size: 0.875rem; }
.late { content-visibility: auto; }
.folded { display: none; }
@media print {
  :root { --paper: #fff; --card: #fff; }
  .contents, .skip { display: none; }
  .scroll { overflow: visible; }
  .figure, .answer, tr { break-inside: avoid; }
  .late { content-visibility: visible; }
  details::details-content { content-visibility: visible; block-size: auto; }
  .folded { display: block; }
  @supports selector(details::details-content) { .folded { display: none; } }
}
`;

/**
 * The look of the pages. Every pair of text and ground has a contrast of 4.5 or more, every edge of a control and every
 * focus ring 3 or more (WCAG 2.2, AA), in the light and in the dark.
 */
export const style = `
:root {
  color-scheme: light dark;
  --ground: #f3f5f8; --card: #ffffff; --line: #dde2ea; --edge: #747e8f; --text: #171b24; --soft: #555e6e;
  --accent: #2252cf; --on-accent: #ffffff; --hover: #eef2f9; --good: #14713d; --bad: #b42318; --wait: #7a4d00; --unsure: #6b3fa8;
  --note: #fff3d6; --note-text: #5b4300;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0e1117; --card: #171b23; --line: #2b313d; --edge: #7c8799; --text: #eef1f6; --soft: #aab3c2;
    --accent: #8fb2ff; --on-accent: #0b1a3c; --hover: #212733; --good: #7bdca2; --bad: #ffa59c; --wait: #f6cd7a; --unsure: #d5baff;
    --note: #33290f; --note-text: #f7dd9a;
  }
}
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; background: var(--ground); color: var(--text); overflow-wrap: anywhere;
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", Ubuntu, sans-serif;
}
header { display: flex; flex-wrap: wrap; gap: 0 1rem; align-items: center; background: var(--card); border-bottom: 1px solid var(--line);
  padding: .25rem 1rem; }
header .brand { flex: 1; }
:is(header, .side) a { color: var(--soft); text-decoration: none; }
:is(header, .side) a:hover { color: var(--text); }
header form { margin: 0; }
header button { border-color: transparent; color: var(--soft); padding-inline: .5rem; }
:is(header, .side) ul { list-style: none; padding: 0; }
:is(.menu, .side) p { margin: .75rem .75rem .125rem; font-size: .8125rem; color: var(--soft); }
:is(header, .side) li a { display: block; padding: .375rem .75rem; border-radius: .5rem; font-size: .9375rem; }
:is(header, .side) li a:hover { background: var(--hover); }
:is(header, .side) a[aria-current] { color: var(--text); font-weight: 600; background: var(--hover); }
.first { flex: 1 0 65%; margin-inline-start: -.375rem; } .first ul { display: flex; flex-wrap: wrap; } .first li a { white-space: nowrap; padding-inline: .375rem; font-size: .8125rem; }
.menu summary { min-height: 2.25rem; padding: .375rem 0; font-size: .9375rem; } .menu[open] { flex-basis: 100%; }
.menu nav { display: grid; grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)); padding-bottom: .5rem; }
.menu nav p { grid-column: 1 / -1; } .menu nav ul { display: contents; }
.side { display: none; padding: .25rem .5rem 2rem; }
.brand { display: inline-flex; gap: .5rem; align-items: center; padding: .5rem 0; color: var(--text); font-weight: 700; }
.brand svg { width: 1.25rem; height: 1.25rem; fill: none; stroke: var(--accent); stroke-width: 2; }
p.brand { margin: 1rem 0 0; font-size: 1.125rem; }
@media (min-width: 60rem) {
  .framed { display: grid; grid-template: auto 1fr / 13rem minmax(0, 1fr); min-height: 100vh; }
  .framed header { grid-column: 1 / -1; } .side { display: block; } .first, .menu { display: none; }
  .framed main { width: 100%; }
}
.places { margin-bottom: .5rem; }
.places a[aria-current] { color: inherit; font-weight: 650; text-decoration: none; }
main { max-width: 72rem; margin: 0 auto; padding: 1rem; }
main.small { max-width: 26rem; }
h1 { font-size: 1.5rem; line-height: 1.3; margin: .75rem 0 1rem; }
h2 { font-size: 1.0625rem; margin: 1.5rem 0 .5rem; }
h3 { font-size: 1rem; margin: 1rem 0 .5rem; }
a { color: var(--accent); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: 1rem; margin-bottom: 1rem; }
.note { background: var(--note); color: var(--note-text); border-radius: .5rem; padding: .625rem .875rem; }
.soft { color: var(--soft); }
.amount { font-size: 1.75rem; font-weight: 650; font-variant-numeric: tabular-nums; margin: 0; }
.good { color: var(--good); } .bad { color: var(--bad); } .wait { color: var(--wait); } .unsure { color: var(--unsure); }
.status { font-weight: 600; font-size: .875rem; padding: .125rem .5rem; border-radius: 1rem;
  background: color-mix(in srgb, currentcolor 9%, var(--card)); }
table { width: 100%; border-collapse: collapse; font-size: .9375rem; overflow-wrap: break-word; }
th, td { text-align: start; padding: .5rem 1.25rem .5rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
:is(th, td):last-child { padding-inline-end: 0; } tbody tr:last-child > * { border-bottom: 0; }
thead th { color: var(--soft); font-size: .875rem; font-weight: 550; padding-top: 0; }
:is(th, td) a { display: inline-block; min-height: 1.5rem; } :is(th, td) > a { text-decoration: none; } :is(th, td) > a:hover { text-decoration: underline; } td time { white-space: nowrap; }
th .soft { font-weight: 400; } td .button { white-space: nowrap; }
td code, td pre, td.long { overflow-wrap: anywhere; } td.long { min-width: 14rem; }
thead th, .status, .word, td button { white-space: nowrap; }
td.number, th.number { text-align: end; font-variant-numeric: tabular-nums; white-space: nowrap; }
.scroll { overflow-x: auto; } .scroll table { min-width: 34rem; }
@media (max-width: 40rem) {
  .lines table { min-width: 0; } .lines thead { position: absolute; clip-path: inset(50%); }
  .lines tr { display: flex; flex-wrap: wrap; gap: .125rem .5rem; align-items: baseline; padding: .5rem 0; border-bottom: 1px solid var(--line); }
  .lines tr:last-child { border-bottom: 0; } .lines td { padding: 0; border: 0; font-size: .8125rem; } .lines .status { font-size: .8125rem; } .lines br { display: none; }
  .lines :is(td:first-child, td:last-child) { font-size: .9375rem; font-weight: 550; }
  .lines td:first-child { flex: 1 0 60%; order: -2; } .lines td:last-child { order: -1; }
}
.card.scroll { padding-bottom: .5rem; }
.card > :last-child, .card > form:last-child > :last-child { margin-bottom: 0; } .card > :first-child { margin-top: 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: 0; }
dt { color: var(--soft); } dd { margin: 0; }
ol, ul { padding-inline-start: 1.25rem; margin: 0; } :is(ol, ul).card { padding-inline-start: 2.25rem; }
label { display: block; font-weight: 550; margin-bottom: .25rem; }
.fields { display: flex; flex-wrap: wrap; gap: .75rem; align-items: end; }
.fields > * { min-width: 0; max-width: 100%; }
.fields .wide { flex: 1 1 16rem; }
.fields p.wide { flex-basis: 100%; margin: 0; }
.wide input, .wide select { width: 100%; }
.stack { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1rem; }
input, select, button, textarea, .button {
  min-height: 2.75rem; padding: .5rem .875rem; border: 1px solid var(--edge); border-radius: .5rem; font: inherit;
  background: var(--card); color: var(--text); max-width: 100%;
}
.stack :is(input, select, button, textarea) { width: 100%; }
@media (pointer: fine) {
  input, select, button, textarea, .button { min-height: 2.375rem; padding: .375rem .75rem; }
}
input[type="date"] { padding-block: 0; }
button, .button { cursor: pointer; font-weight: 550; text-decoration: none; display: inline-block; text-align: center; }
button:hover, .button:hover { background: var(--hover); }
.main, .main:hover { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
.bar { width: 100%; height: .75rem; display: block; border-radius: .375rem; margin: .75rem 0; }
.bar .whole { fill: var(--line); } .kept { fill: var(--good); } .given { fill: var(--accent); }
.back { fill: var(--bad); } .pending { fill: var(--wait); } .held { fill: var(--edge); }
.plot { display: grid; grid-template-columns: max-content 1fr; gap: .25rem .5rem; margin: 0 0 .75rem; font-size: .875rem; }
.plot .axis { display: flex; flex-direction: column; justify-content: space-between; text-align: end; margin: -.6rem 0; }
.plot .ends { grid-column: 2; display: flex; justify-content: space-between; gap: 1rem; }
.plot svg { width: 100%; height: 9rem; display: block; } .range { width: 8rem; height: 1rem; display: block; }
.plot svg, .range { overflow: visible; }
.plot path, .range path { fill: none; vector-effect: non-scaling-stroke; }
.grid { stroke: var(--line); } .rate { stroke: var(--accent); stroke-width: 2; } .span { fill: var(--accent); opacity: .3; }
.dots { stroke: var(--accent); stroke-width: 7; stroke-linecap: round; }
.plot.bars svg { height: 6rem; } .share { fill: var(--accent); }
.day { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 1rem; align-items: start; }
.day .card { margin: 0; } .day .scroll + * { margin-top: 1rem; } .day p.soft { margin: .25rem 0 .75rem; } .day .scroll table { min-width: 0; } .day .range { width: 5rem; }
.todo li + li { margin-top: .25rem; }
.findings { margin: .5rem 0 0; padding-inline-start: 2rem; }
fieldset { border: 1px solid var(--line); border-radius: .5rem; padding: .5rem .875rem .875rem; margin: 0; min-width: 0; }
fieldset > div + div { margin-top: .75rem; }
legend { font-weight: 550; padding: 0 .25rem; }
.choice { display: flex; gap: .625rem; align-items: center; min-height: 2.75rem; margin: 0; font-weight: inherit; }
.stack .choice input { width: 1.25rem; min-height: 1.25rem; flex: none; accent-color: var(--accent); }
.stack p { margin: 0; } .stack p.soft { margin-top: .25rem; }
pre { margin: .25rem 0; white-space: pre-wrap; font-size: .875rem; }
summary { cursor: pointer; min-height: 1.5rem; padding: .25rem 0; }
.secret { display: block; padding: .75rem; border: 1px solid var(--edge); border-radius: .5rem; user-select: all; }
.path { list-style: none; padding: 0; }
.path li { position: relative; padding: 0 0 .75rem 1.75rem; border-inline-start: 2px solid var(--line); margin-inline-start: .5rem; }
.path li:last-child { padding-bottom: 0; border-color: transparent; }
.path li::before { content: ""; position: absolute; inset-inline-start: -.4375rem; top: .4375rem; width: .75rem; height: .75rem;
  border-radius: 50%; background: var(--card); border: 2px solid var(--edge); }
.path .good, .path .bad, .path .wait, .path .unsure { font-weight: 600; } .path .soft { font-weight: 400; }
.path .good::before { background: var(--good); border-color: var(--good); }
.path .bad::before { background: var(--bad); border-color: var(--bad); border-radius: 0; }
.path .wait::before { border-color: var(--wait); } .path .unsure::before { border-color: var(--unsure); border-style: dashed; }
.path .asked::before { background: var(--accent); border-color: var(--accent); }
.path .excluded::before { border-style: dashed; border-radius: 0; }
.path .event::before { width: .5rem; height: .5rem; inset-inline-start: -.3125rem; top: .5625rem; }
.chips { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .5rem; margin-bottom: 1rem; }
.chip { display: inline-block; padding: .25rem .75rem; border: 1px solid var(--edge); border-radius: 1rem; background: var(--card); text-decoration: none; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
`

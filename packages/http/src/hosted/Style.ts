/**
 * The look of the pages, in one piece and inside each page, so that nothing is fetched and nothing jumps. The variables
 * that begin with `main` are the main button's, which a brand may have in its own color. Every pair of text and ground has a contrast of 4.5 or more, every edge of a control and every focus ring 3 or more (WCAG 2.2,
 * AA), in the light and in the dark.
 */
export const style = `
:root {
  color-scheme: light dark;
  --ground: #f3f5f8; --card: #ffffff; --line: #dde2ea; --edge: #747e8f; --text: #171b24; --soft: #555e6e;
  --accent: #2252cf; --accent-over: #1a43ae; --on-accent: #ffffff; --hover: #eef2f9;
  --main: var(--accent); --main-over: var(--accent-over); --main-edge: var(--accent); --on-main: var(--on-accent);
  --note: #fff3d6; --note-line: #e6c36a; --note-text: #5b4300;
  --good: #14713d; --good-ground: #e2f4e9; --bad: #b42318; --bad-ground: #fdeae8; --wait: #7a4d00;
  --wait-ground: #fff1d3; --still: #4a5363; --still-ground: #e9ecf1;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0e1117; --card: #171b23; --line: #2b313d; --edge: #7c8799; --text: #eef1f6; --soft: #aab3c2;
    --accent: #8fb2ff; --accent-over: #b0c9ff; --on-accent: #0b1a3c; --hover: #212733;
    --note: #33290f; --note-line: #6d5618; --note-text: #f7dd9a;
    --good: #7bdca2; --good-ground: #12301f; --bad: #ffa59c; --bad-ground: #3b1a18; --wait: #f6cd7a;
    --wait-ground: #352a10; --still: #b8c1cf; --still-ground: #262c37;
  }
}
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; min-height: 100vh; min-height: 100svh; display: flex; flex-direction: column; align-items: center;
  padding: clamp(1rem, 6vh, 4.5rem) 1rem 2rem; background: var(--ground); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", Ubuntu, sans-serif;
  overflow-wrap: anywhere;
}
main {
  width: 100%; max-width: 27rem; background: var(--card); border: 1px solid var(--line); border-radius: 1rem;
  box-shadow: 0 1px 2px rgb(16 24 40 / 5%), 0 12px 32px -12px rgb(16 24 40 / 14%); overflow: hidden;
}
.logo { display: block; height: 3rem; max-width: 100%; margin-bottom: 1.25rem; object-fit: contain; }
@media (prefers-color-scheme: dark) { .logo { padding: .375rem; border-radius: .5rem; background: #ffffff; } }
footer { display: flex; flex-wrap: wrap; justify-content: center; gap: .25rem 1.5rem; margin-top: 1.25rem; font-size: .875rem; }
footer a { padding: .5rem .25rem; color: var(--soft); }
h1, p, dl, dd, fieldset, legend { margin: 0; padding: 0; }
.note {
  padding: .625rem 1.5rem; background: var(--note); border-bottom: 1px solid var(--note-line); color: var(--note-text);
  font-size: .875rem;
}
.body { padding: 1.75rem 1.5rem; }
h1 { font-size: 1.0625rem; line-height: 1.4; font-weight: 600; }
.amount {
  margin-top: .25rem; font-size: clamp(1.75rem, 9vw, 2.375rem); line-height: 1.2; font-weight: 650;
  letter-spacing: -.015em; font-variant-numeric: tabular-nums;
}
.soft { color: var(--soft); }
.text { margin-top: .5rem; }
dl { margin-top: 1.25rem; padding-top: 1rem; border-top: 1px solid var(--line); font-size: .9375rem; }
dl div { display: flex; justify-content: space-between; gap: 1rem; }
dl div + div { margin-top: .375rem; }
dt { color: var(--soft); flex: none; }
dd { text-align: end; min-width: 0; }
.lines dt { flex: 1 1 0; min-width: 0; }
.lines dd { flex: none; font-variant-numeric: tabular-nums; }
dl + .text { margin-top: 1rem; }
.actions { margin-top: 1.5rem; display: grid; gap: .75rem; }
.group { padding-top: 1.25rem; margin-top: .5rem; border-top: 1px solid var(--line); display: grid; gap: .5rem; }
label { font-size: .9375rem; font-weight: 500; }
.pair { display: flex; flex-wrap: wrap; gap: .75rem; }
.pair > select { flex: 1000 1 12.5rem; }
.pair > button { flex: 1 1 auto; width: auto; }
button, .button, select {
  width: 100%; min-height: 3rem; padding: .625rem 1.125rem; border: 1px solid var(--edge); border-radius: .625rem;
  background: var(--card); color: var(--text); font: inherit; font-weight: 550; text-align: center;
  text-decoration: none; cursor: pointer;
}
.button { display: flex; align-items: center; justify-content: center; }
select { font-weight: 400; text-align: start; min-width: 0; padding-inline: .75rem; }
button:hover, .button:hover, select:hover { background: var(--hover); }
.main { background: var(--main); border-color: var(--main-edge); color: var(--on-main); }
.main:hover { background: var(--main-over); }
.plain { border-color: transparent; background: transparent; color: var(--soft); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.sign { display: block; width: 3.5rem; height: 3.5rem; margin-bottom: 1.125rem; border-radius: 50%; padding: .875rem; }
.sign svg { display: block; width: 100%; height: 100%; }
.good { background: var(--good-ground); color: var(--good); }
.bad { background: var(--bad-ground); color: var(--bad); }
.wait { background: var(--wait-ground); color: var(--wait); }
.still { background: var(--still-ground); color: var(--still); }
.told h1 { font-size: 1.375rem; line-height: 1.3; letter-spacing: -.01em; }
:lang(ar) :is(h1, .amount) { letter-spacing: normal; }
@media (forced-colors: active) { .sign, main { border: 1px solid; } .main { border-width: 2px; } }
`

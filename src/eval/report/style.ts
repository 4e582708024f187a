/** How the page looks: light or dark as the reader's machine is set, one column on a phone. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #faf9f6; --card: #fff; --ink: #1c1e23; --soft: #5b616c; --rule: #e3dfd8; --tint: #f1eee8;
  --c0: #1f5fbf; --c1: #c2560a; --c2: #167a3c; --c3: #7d3cb5;
  --p0: #4f86d6; --p1: #e0b021; --p2: #df7a33; --p3: #9aa0aa; --p4: #45a06a;
  --more: #2f86d8; --less: #e2702a; --good: #167a3c; --bad: #b3261e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14161a; --card: #1b1e24; --ink: #e9e7e2; --soft: #a5aab5; --rule: #31353e; --tint: #232730;
    --c0: #74acff; --c1: #ffa561; --c2: #62d18f; --c3: #c9a0ff;
    --p0: #5b8fdd; --p1: #d9b13b; --p2: #de8448; --p3: #7d838e; --p4: #55ad79;
    --more: #3f9bf0; --less: #f2823f; --good: #62d18f; --bad: #ff8f86;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; max-width: 68rem; padding: 2.5rem 1.25rem 5rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; font-variant-numeric: tabular-nums; }
h1, h2, h3, h4, p, figure, ol, ul, dl, fieldset { margin: 0; padding: 0; }
h1 { font-size: clamp(1.7rem, 5vw, 2.5rem); line-height: 1.15; letter-spacing: -0.02em; overflow-wrap: anywhere; }
h2 { font-size: 1.35rem; letter-spacing: -0.01em; margin-bottom: 1rem; }
h3 { font-size: 1.05rem; margin: 1.75rem 0 0.5rem; }
h4 { font-size: 1rem; margin-bottom: 0.6rem; font-weight: 600; }
a { color: var(--c0); text-underline-offset: 0.2em; }
section { margin-top: 3.25rem; padding-top: 1.5rem; border-top: 1px solid var(--rule); }
.brand { color: var(--soft); font-weight: 600; font-size: 0.85rem; letter-spacing: 0.06em; text-transform: uppercase; margin-bottom: 0.4rem; }
.sub { color: var(--soft); margin-top: 0.6rem; overflow-wrap: anywhere; }
.sub span { display: block; }
nav { display: flex; flex-wrap: wrap; gap: 0.3rem 1.1rem; margin-top: 1.25rem; font-size: 0.95rem; }
.missing { list-style: none; margin-top: 1rem; }
.missing li, .note { border-left: 3px solid var(--p1); padding: 0.35rem 0.8rem; background: var(--tint); border-radius: 0 0.4rem 0.4rem 0; margin-top: 0.4rem; overflow-wrap: anywhere; }
.missing li.good { border-color: var(--good); }
.none, .lead { color: var(--soft); max-width: 46rem; }
.lead { margin-bottom: 0.75rem; }
.whose { color: var(--soft); font-weight: 600; margin-bottom: 0.75rem; }
.goal { margin-bottom: 0.75rem; overflow-wrap: anywhere; white-space: pre-line; }
.swatch { display: inline-block; width: 0.8em; height: 0.8em; border-radius: 0.2em; margin-right: 0.5em; background: var(--c0); }
.swatch.s1 { background: var(--c1); } .swatch.s2 { background: var(--c2); } .swatch.s3 { background: var(--c3); }
.swatch.p0 { background: var(--p0); } .swatch.p1 { background: var(--p1); } .swatch.p2 { background: var(--p2); }
.swatch.p3 { background: var(--p3); } .swatch.p4 { background: var(--p4); }

.result + .result { margin-top: 2rem; }
.result h3 { margin-top: 0; }
.result.s1 { --c0: var(--c1); } .result.s2 { --c0: var(--c2); } .result.s3 { --c0: var(--c3); }
.numbers { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 1rem; }
.number { background: var(--card); border: 1px solid var(--rule); border-radius: 0.9rem; padding: 1.1rem clamp(0.9rem, 3vw, 1.35rem) 1.2rem; display: grid; gap: 0.2rem; align-content: start; }
.number > span { color: var(--soft); font-size: 0.92rem; }
.number b { font-size: clamp(2.4rem, 8vw, 3.4rem); line-height: 1.1; letter-spacing: -0.035em; font-weight: 680; }
.number b.none { font-size: 1.5rem; font-weight: 500; letter-spacing: 0; }
.number:last-child b:not(.none) { color: var(--c0); }
.track { position: relative; display: block; height: 0.55rem; border-radius: 1rem; background: var(--tint); margin: 0.5rem 0 0.55rem; min-width: 5rem; }
.reach { position: absolute; top: 0; bottom: 0; border-radius: 1rem; background: var(--c0); opacity: 0.35; }
.reach.good { background: var(--good); } .reach.bad { background: var(--bad); }
.pin { position: absolute; top: 50%; width: 0.85rem; height: 0.85rem; border-radius: 50%; background: var(--c0); border: 2px solid var(--card); transform: translate(-50%, -50%); }
.pin.hollow { background: var(--card); border-color: var(--soft); width: 0.7rem; height: 0.7rem; }
.change { margin-top: 1rem; font-size: 1.05rem; max-width: 48rem; }
.change b { font-size: 1.2em; }
.facts { display: flex; flex-wrap: wrap; gap: 0.75rem 2rem; margin-top: 1.1rem; }
.facts dt { color: var(--soft); font-size: 0.85rem; }
.facts dd { margin: 0; font-weight: 600; }

.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.93rem; }
th, td { text-align: left; padding: 0.35rem 1.1rem 0.35rem 0; border-bottom: 1px solid var(--rule); vertical-align: top; }
thead th { color: var(--soft); font-weight: 500; font-size: 0.85rem; }
tbody th { font-weight: 500; }
td { white-space: pre-line; overflow-wrap: anywhere; }
tfoot th, tfoot td { border-bottom: 0; font-weight: 600; }
.families { width: 100%; } .families .wide { width: 45%; } .families td, .families th { vertical-align: middle; } .families td { white-space: nowrap; }
.settings { width: 100%; } .settings th { white-space: nowrap; } .settings td { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 0.88em; min-width: 8rem; }
.arena { width: 100%; margin-bottom: 0.75rem; } .arena tbody th, .arena td { white-space: pre; }
.differs > * { background: var(--tint); }

.chart { background: var(--card); border: 1px solid var(--rule); border-radius: 0.9rem; padding: 0.9rem 1rem 0.8rem; min-width: 0; }
.chart svg { display: block; width: 100%; height: auto; overflow: visible; margin-top: 0.4rem; }
.chart text { font-size: 12px; fill: var(--soft); }
.chart.wide > svg text { font-size: 10px; }
.chart.narrow { display: none; }
figcaption span { color: var(--soft); font-size: 0.88rem; }
.multiples figcaption span { display: block; line-height: 1.35; min-height: 1.35em; }
.grid { stroke: var(--rule); stroke-width: 1; }
.line { fill: none; stroke: var(--c0); stroke-width: 2.25; stroke-linejoin: round; stroke-linecap: round; }
.line.faint { opacity: 0.5; stroke-width: 1.75; }
.dot { fill: var(--c0); stroke: var(--card); stroke-width: 1.5; }
.whisker { stroke: var(--c0); stroke-width: 2; }
.band { fill: var(--c0); opacity: 0.14; }
.line.s1, .whisker.s1 { stroke: var(--c1); } .line.s2, .whisker.s2 { stroke: var(--c2); } .line.s3, .whisker.s3 { stroke: var(--c3); }
.dot.s1, .band.s1 { fill: var(--c1); } .dot.s2, .band.s2 { fill: var(--c2); } .dot.s3, .band.s3 { fill: var(--c3); }
rect.p0 { fill: var(--p0); } rect.p1 { fill: var(--p1); } rect.p2 { fill: var(--p2); } rect.p3 { fill: var(--p3); } rect.p4 { fill: var(--p4); }
.span { stroke: var(--soft); stroke-linecap: round; } .span.sure { stroke: var(--good); }
.mid { fill: var(--soft); stroke: var(--card); stroke-width: 1.5; } .mid.sure { fill: var(--good); }
.stack { display: grid; gap: 1rem; }
.legend { display: flex; flex-wrap: wrap; gap: 0.2rem 1.25rem; font-size: 0.88rem; color: var(--soft); margin-top: 0.35rem; }
.key { display: inline-flex; align-items: center; gap: 0.45rem; }
.chart .key svg { width: 30px; margin: 0; flex: none; }
.multiples { display: grid; grid-template-columns: repeat(auto-fill, minmax(18.5rem, 1fr)); gap: 1rem; margin-top: 1rem; }
.beside { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 1.5rem; align-items: center; }

.sides { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 1rem; align-items: start; }
.episode { background: var(--card); border: 1px solid var(--rule); border-radius: 0.9rem; padding: 1rem 1.2rem; min-width: 0; }
details.episode { margin-top: 0.6rem; padding: 0.6rem 1.2rem; }
.steps { padding-left: 1.9rem; margin-top: 0.6rem; }
.steps li { margin-top: 0.5rem; }
.steps li::marker { color: var(--soft); font-size: 0.8rem; }
.seen { color: var(--soft); font-size: 0.88rem; line-height: 1.4; white-space: pre-line; overflow-wrap: anywhere; unicode-bidi: isolate; }
.words { font-family: ui-monospace, Menlo, Consolas, "Liberation Mono", monospace; font-size: 0.92rem; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; }
.refused { color: var(--bad); font: 500 0.8rem system-ui, sans-serif; }
.badge { display: inline-block; font-size: 0.82rem; font-weight: 600; border-radius: 1rem; padding: 0.05rem 0.65rem; background: var(--tint); }
.badge.good { color: var(--good); background: color-mix(in srgb, var(--good) 13%, transparent); }
.badge.bad { color: var(--bad); background: color-mix(in srgb, var(--bad) 12%, transparent); }
.words i { font-style: normal; border-radius: 0.2em; padding: 0.08em 0; cursor: default;
  background: color-mix(in srgb, var(--more) calc(var(--a) * 62%), transparent); }
.words i.an { background: color-mix(in srgb, var(--less) calc(var(--a) * 62%), transparent); }
section:has(input[value="shift"]:checked) .words i { background: color-mix(in srgb, var(--more) calc(var(--s) * 62%), transparent); }
section:has(input[value="shift"]:checked) .words i.sn { background: color-mix(in srgb, var(--less) calc(var(--s) * 62%), transparent); }
.words i.held, section:has(input[value="shift"]:checked) .words i.held { outline: 2px solid var(--ink); }
.switch { display: flex; flex-wrap: wrap; align-items: center; gap: 0.4rem 1.1rem; border: 0; margin: 0 0 0.5rem; min-width: 0; }
.switch legend { float: left; color: var(--soft); padding: 0; margin-right: 0.2rem; }
.scale { display: inline-flex; align-items: center; gap: 0.6rem; color: var(--soft); font-size: 0.88rem; }
.ramp { width: 8rem; height: 0.8rem; border-radius: 0.3rem; border: 1px solid var(--rule); background: linear-gradient(to right,
  color-mix(in srgb, var(--less) 62%, var(--card)), var(--card), color-mix(in srgb, var(--more) 62%, var(--card))); }
#readout { position: fixed; left: 50%; bottom: 1rem; transform: translateX(-50%); width: max-content; max-width: calc(100vw - 2rem);
  background: var(--ink); color: var(--paper); border-radius: 0.6rem; padding: 0.5rem 0.9rem; font-size: 0.9rem; pointer-events: none; }

.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(20rem, 1fr)); gap: 1rem; }
.card { background: var(--card); border: 1px solid var(--rule); border-radius: 0.9rem; padding: 1rem 1.2rem; min-width: 0; }
.said { white-space: pre-line; overflow-wrap: anywhere; unicode-bidi: isolate; }
.shift { color: var(--soft); font-size: 0.92rem; margin-top: 0.5rem; }
.shift.up b { color: var(--more); } .shift.down b { color: var(--less); } .shift b { font-size: 1.1rem; }
.card details { margin-top: 0.5rem; font-size: 0.9rem; }
.card ul { padding-left: 1.2rem; }
.where { color: var(--soft); font-size: 0.85rem; overflow-wrap: anywhere; margin-top: 0.4rem; }
summary { cursor: pointer; color: var(--soft); }
details.other { margin-top: 1.25rem; border-top: 1px solid var(--rule); padding-top: 0.8rem; }
details.other > summary { font-weight: 600; margin-bottom: 0.8rem; }
:focus-visible { outline: 2px solid var(--c0); outline-offset: 2px; border-radius: 0.2rem; }
footer { margin-top: 3.5rem; padding-top: 1rem; border-top: 1px solid var(--rule); color: var(--soft); font-size: 0.9rem; }
code { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 0.92em; overflow-wrap: anywhere; }
@media (max-width: 44rem) {
  body { padding-top: 1.5rem; }
  .sides, .beside { grid-template-columns: minmax(0, 1fr); }
  .cards { grid-template-columns: minmax(0, 1fr); }
  .chart { padding: 0.8rem 0.7rem; }
  .chart.wide { display: none; } .chart.narrow { display: block; }
  .families .wide { display: none; }
}
@media print { #readout, nav { display: none; } body { max-width: none; } .chart, .episode, .card { break-inside: avoid; } }
`;

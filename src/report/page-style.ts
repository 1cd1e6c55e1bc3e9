/** The one style sheet of every page: light and dark by the reader's choice, and a form for paper. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --ground: #fff; --panel: #f6f7f9; --ink: #1c2128; --faint: #59636e; --line: #d8dee4;
  --good: #14692f; --good-ground: #e3f5e8; --change: #7a4b00; --change-ground: #fff3d6; --bad: #a1121d; --bad-ground: #fde9ea;
  --accent: #0a56b5; --edge: rgb(0 0 0 / 22%); }
@media (prefers-color-scheme: dark) { :root { --ground: #0f1318; --panel: #171c23; --ink: #e3e8ee; --faint: #9aa6b2; --line: #303842;
  --good: #6fd68c; --good-ground: #12291a; --change: #f0bd5c; --change-ground: #2e2410; --bad: #ff9a97; --bad-ground: #331518;
  --accent: #7db7ff; --edge: rgb(255 255 255 / 28%); } }
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, "Segoe UI", Roboto, sans-serif; color: var(--ink); background: var(--ground); max-width: 76rem;
  margin: 0 auto; padding: 1.5rem 1.25rem 4rem; }
h1 { font-size: 1.55rem; margin: 0; line-height: 1.25; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .7rem; }
h3 { font-size: .95rem; margin: 1.1rem 0 .4rem; } p { margin: .4rem 0; }
a { color: var(--accent); }
code, pre { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; } code { overflow-wrap: anywhere; }
header { border-bottom: 1px solid var(--line); padding-bottom: 1rem; }
.kicker { color: var(--faint); text-transform: uppercase; letter-spacing: .06em; font-size: .75rem; margin: 0 0 .2rem; }
.verdict { font-size: 1.05rem; font-weight: 600; margin: .6rem 0; }
.faint { color: var(--faint); } .bad { color: var(--bad); font-weight: 600; }
.chips { display: flex; flex-wrap: wrap; gap: .4rem; margin: .6rem 0 0; padding: 0; list-style: none; }
.chip, .action { display: inline-block; border-radius: 1rem; padding: .05rem .65rem; font-size: .8rem; font-weight: 600; border: 1px solid var(--line);
  background: var(--panel); white-space: nowrap; }
.create, .deploy, .confirmed { color: var(--good); background: var(--good-ground); border-color: currentColor; }
.update, .replace, .forget, .drift, .open, .skipped, .resolved { color: var(--change); background: var(--change-ground); border-color: currentColor; }
.blocked, .irreversible, .failed, .undecided { color: var(--bad); background: var(--bad-ground); border-color: currentColor; }
nav { margin-top: .8rem; font-size: .9rem; } nav a { margin-right: 1rem; }
.box { border: 1px solid var(--line); border-left-width: .3rem; border-radius: .4rem; padding: .7rem 1rem; margin: 1.2rem 0; background: var(--panel); }
.box.warn { border-left-color: var(--bad); background: var(--bad-ground); } .box h2 { margin: 0 0 .4rem; } .box ul { margin: .3rem 0; padding-left: 1.2rem; columns: 22rem; } .box.blocks ul { columns: auto; }
.card { border: 1px solid var(--line); border-radius: .5rem; margin: .5rem 0; background: var(--ground); }
.card > summary { display: flex; flex-wrap: wrap; gap: .3rem .7rem; align-items: baseline; padding: .5rem .8rem; cursor: pointer; }
.card > summary:hover { background: var(--panel); } .card[open] > summary { border-bottom: 1px solid var(--line); background: var(--panel); border-radius: .5rem .5rem 0 0; }
.card > summary .name { font-weight: 600; } .card > summary .why { color: var(--faint); flex: 1 1 20rem; font-size: .9rem; }
.card > div { padding: .4rem .9rem .8rem; }
.scroll, .graph { overflow: auto; background: linear-gradient(to right, var(--ground) 30%, transparent) left / 2.5rem 100% no-repeat local,
  linear-gradient(to left, var(--ground) 30%, transparent) right / 2.5rem 100% no-repeat local,
  linear-gradient(to right, var(--edge), transparent) left / .8rem 100% no-repeat scroll, linear-gradient(to left, var(--edge), transparent) right / .8rem 100% no-repeat scroll, var(--ground); }
.scroll::-webkit-scrollbar, .graph::-webkit-scrollbar, .diff::-webkit-scrollbar { height: .7rem; width: .7rem; }
.scroll::-webkit-scrollbar-thumb, .graph::-webkit-scrollbar-thumb, .diff::-webkit-scrollbar-thumb { background: var(--faint); border-radius: .35rem; border: .15rem solid var(--ground); }
.scroll::-webkit-scrollbar-track, .graph::-webkit-scrollbar-track, .diff::-webkit-scrollbar-track { background: var(--panel); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; margin: .5rem 0; }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem; border-bottom: 1px solid var(--line); }
th { color: var(--faint); font-weight: 600; font-size: .8rem; } td:first-child code { overflow-wrap: break-word; } td { overflow-wrap: anywhere; min-width: 4rem; } td code { font-size: .82em; } td.number { text-align: right; font-variant-numeric: tabular-nums; }
tr.differs td { background: var(--change-ground); }
dl.facts { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; margin: .5rem 0; font-size: .9rem; } dl.facts dt { color: var(--faint); } dl.facts dd { margin: 0; overflow-wrap: anywhere; }
.trail { font-size: .9rem; } .trail b { font-weight: 600; }
.diff { border: 1px solid var(--line); border-radius: .4rem; overflow-x: auto; margin: .4rem 0 1rem; padding: 0; tab-size: 4; }
.diff span { display: block; padding: 0 .6rem; white-space: pre; min-width: max-content; } .diff .n { background: var(--good-ground); color: var(--good); }
.diff .g { background: var(--bad-ground); color: var(--bad); } .diff .h { background: var(--panel); color: var(--faint); }
.graph { max-height: 75vh; border: 1px solid var(--line); border-radius: .5rem; padding: .4rem; } svg { max-width: none; display: block; }
.graph.fits svg { width: 100%; height: auto; min-width: 56rem; } .graph-hint { display: none; } .graph-hint.wide { display: block; }
details:not(.card) > summary { cursor: pointer; color: var(--accent); padding: .2rem 0; width: fit-content; }
.rows { display: grid; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); gap: .8rem; margin: .7rem 0; padding: 0; list-style: none; }
.rows li { border: 1px solid var(--line); border-radius: .5rem; overflow: hidden; font-size: .85rem; background: var(--ground); }
.rows img, .rows .none { width: 100%; height: 9rem; object-fit: contain; background: var(--panel); display: flex; align-items: center; justify-content: center; color: var(--faint); padding: .5rem; text-align: center; overflow-wrap: anywhere; }
.rows div.text { padding: .5rem .7rem .7rem; } .rows p { margin: .15rem 0; overflow-wrap: anywhere; }
pre.command { border: 1px solid var(--line); border-radius: .4rem; background: var(--panel); padding: .6rem .9rem; overflow-x: auto; }
.bars td:last-child { white-space: nowrap; } .bars td:nth-child(3) { width: 50%; }
.bars .track { position: relative; height: 1.1rem; min-width: 16rem; background: var(--panel); border-radius: .2rem; } .bars svg { width: 100%; height: 1.1rem; }
@media (max-width: 60rem) { .graph-hint { display: block; } }
@media (max-width: 40rem) { table, tbody, tr, td { display: block; } thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tr { border: 1px solid var(--line); border-radius: .4rem; padding: .3rem .7rem; margin: .5rem 0; } td { display: grid; grid-template-columns: 6.5rem minmax(0, 1fr); gap: .6rem; padding: .15rem 0; border: 0; min-width: 0; }
  td::before { content: attr(data-label); color: var(--faint); font-size: .8rem; } td:empty { display: none; } .bars .track { min-width: 0; } .bars td:nth-child(3) { width: auto; }
  .scroll { background: none; } dl.facts { grid-template-columns: 1fr; gap: 0; } dl.facts dd { margin: 0 0 .5rem; } td .action { justify-self: start; } }
@media (min-width: 60rem) { .address { white-space: nowrap; } }
@media (max-width: 30rem) { .chip, .action { white-space: normal; } }
@media (prefers-reduced-motion: no-preference) { .card > summary { transition: background-color .12s; } }
@media print { .scroll { overflow: visible; background: none; } .graph-hint { display: none !important; } body { max-width: none; padding: 0; font-size: 11px; } nav { display: none; } .graph { max-height: none; overflow: visible; border: 0; } .graph svg { max-width: 100%; height: auto; }
  .card, .rows li, tr { break-inside: avoid; } .diff { overflow: visible; } .diff span { white-space: pre-wrap; min-width: 0; } details::details-content { content-visibility: visible; block-size: auto; } }
`;

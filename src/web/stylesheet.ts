// The styles of every page, for phones and desktops, in light and dark mode: one set of colours and elements, and on it what the
// console, the hosted forms and the pages that are files add.

// The documentation site and the pictures of terminals use the colours, sizes and elements too.
export const lightColours = `
  --ground: #f5f6f7;
  --card: #ffffff;
  --ink: #1a2126;
  --soft: #55616b;
  --line: #dfe3e6;
  --edge: #7c868d;
  --accent: #0b6157;
  --on-accent: #ffffff;
  --wash: #e2f1ee;
  --error: #a3261c;
  --error-wash: #fcebe9;
  --notice: #7a4a00;
  --notice-wash: #fdf1dc;
  --quiet-wash: #e9ecef;
  --part-0: #0f766a;
  --part-1: #c17a1a;
  --shadow: 0 1px 2px rgb(20 30 40 / 6%);
`

export const darkColours = `
  --ground: #12171a;
  --card: #1b2226;
  --ink: #e8ecee;
  --soft: #a6b2b9;
  --line: #313b41;
  --edge: #7f8b92;
  --accent: #6fd0c0;
  --on-accent: #0d1917;
  --wash: #17332f;
  --error: #ff9d92;
  --error-wash: #3c2220;
  --notice: #f2c374;
  --notice-wash: #372c19;
  --quiet-wash: #2a3338;
  --part-0: #4fb8a7;
  --part-1: #e0a54f;
  --shadow: none;
`

export const sizes = `
  --radius: 0.6rem;
  --radius-small: 0.45rem;
  --text-small: 0.84rem;
  --text-note: 0.9rem;
  --text: 0.95rem;
  --text-title: 1.05rem;
  --text-large: 1.2rem;
  --text-head: 1.55rem;
  --space-small: 0.5rem;
  --space: 1rem;
  --space-large: 1.5rem;
  --control: 2.4rem;
  --mono: ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace;
`

const tokens = `
:root { color-scheme: light dark;${lightColours}${sizes}}
@media (prefers-color-scheme: dark) { :root {${darkColours}} }
`

export const base = `
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 4rem; }
body { margin: 0; background: var(--ground); color: var(--ink); font: var(--text)/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: var(--text-head); line-height: 1.25; margin: 0; letter-spacing: -0.01em; }
h2 { font-size: var(--text-title); line-height: 1.3; margin: 0 0 0.5rem; }
p { margin: 0 0 0.7rem; }
a { color: var(--accent); text-underline-offset: 0.15em; }
code, pre { font-family: var(--mono); font-size: 0.9em; }
pre { margin: 0; padding: 0.7rem; background: var(--ground); border-radius: var(--radius-small); white-space: pre-wrap; overflow: auto; max-height: 32rem; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
[tabindex="-1"]:focus { outline: none; }
.skip { position: absolute; left: -100vw; top: 0; padding: 0.5rem 1rem; background: var(--card); z-index: 3; }
.skip:focus { left: 0; }
.unseen { position: absolute; width: 1px; height: 1px; margin: -1px; padding: 0; min-height: 0; overflow: hidden; clip-path: inset(50%); white-space: nowrap; border: 0; }
button { font: inherit; font-weight: 600; min-height: var(--control); padding: 0.3rem 1rem; border-radius: var(--radius-small); border: 1px solid var(--accent); background: var(--accent); color: var(--on-accent); cursor: pointer; }
input:not([type=checkbox], [type=radio], [type=file]), select, textarea { font: inherit; color: inherit; background: var(--card); min-height: var(--control); padding: 0.3rem 0.7rem; border: 1px solid var(--edge); border-radius: var(--radius-small); max-width: 100%; }
input[type=checkbox], input[type=radio] { width: 1.2rem; height: 1.2rem; accent-color: var(--accent); flex: none; }
.field > label { display: block; font-weight: 600; }
.hint { margin: 0.1rem 0 0.35rem; color: var(--soft); font-size: var(--text-note); }
.optional { font-weight: 400; color: var(--soft); font-size: var(--text-note); }
button.plain { background: transparent; color: var(--accent); }
.note { color: var(--soft); font-size: var(--text-note); }
.note strong { color: var(--ink); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: var(--radius); box-shadow: var(--shadow); padding: var(--space) calc(var(--space) + 0.1rem); margin: 0 0 var(--space); min-width: 0; }
.facts { margin: 0; display: grid; gap: 0.45rem; }
.facts > div { display: grid; grid-template-columns: 9.5rem minmax(0, 1fr); gap: 0.2rem 1rem; }
.facts dt { color: var(--soft); }
.facts dd { margin: 0; }
dl.facts + * { margin-top: 0.9rem; }
@media screen and (max-width: 46rem) {
  .facts { gap: 0.7rem; }
  .facts > div { grid-template-columns: 1fr; gap: 0; }
  .facts dt { font-size: var(--text-note); }
}
`

// What every page but a form is made of.
const cards = `
h3 { font-size: var(--text-small); margin: 0.9rem 0 0.4rem; color: var(--soft); font-weight: 600; }
main details > summary { cursor: pointer; color: var(--accent); }
main.console { max-width: 80rem; margin: 0 auto; padding: 1.25rem 1.25rem 4rem; }
.failure { border-left: 4px solid var(--error); background: var(--error-wash); padding: 0.7rem 1rem; border-radius: 0.3rem; }
.none { margin: 0; color: var(--soft); padding: 0.4rem 0; }
.card > :last-child, .card > :last-child > :last-child { margin-bottom: 0; }
.figure { font-size: var(--text-head); line-height: 1.2; font-weight: 650; letter-spacing: -0.01em; margin: 0 0 0.4rem; font-variant-numeric: tabular-nums; }
.grid, .columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); gap: var(--space); align-items: start; margin: 0 0 var(--space); }
.columns.three { grid-template-columns: repeat(auto-fit, minmax(min(100%, 18rem), 1fr)); }
.grid > .card, .columns > .card { margin: 0; height: 100%; }
.grid > .wide { grid-column: 1 / -1; }
.wide .columns { margin: 0; }
.wide h3 { margin-top: 0; }
.mark { display: inline-block; padding: 0.05rem 0.6rem; border-radius: 1rem; font-size: var(--text-small); font-weight: 600; white-space: nowrap; line-height: 1.5; background: var(--quiet-wash); color: var(--soft); letter-spacing: 0; }
.mark.good { background: var(--wash); color: var(--accent); }
.mark.bad { background: var(--error-wash); color: var(--error); }
.mark.open { background: var(--notice-wash); color: var(--notice); }
`

const layout = `
h1.item { display: flex; flex-wrap: wrap; gap: 0.5rem 0.8rem; align-items: center; margin: 0 0 1rem; }
header.top { background: var(--card); border-bottom: 1px solid var(--line); }
header.top > * { max-width: 80rem; margin: 0 auto; padding: 0 1.25rem; }
header.top > .brand { display: flex; flex-wrap: wrap; gap: 0.3rem 0.9rem; align-items: center; padding-top: 0.7rem; color: var(--soft); font-size: var(--text-note); }
.brand strong { color: var(--ink); font-size: 1rem; }
.brand button { min-height: 1.7rem; padding: 0 0.6rem; font-size: var(--text-small); }
.everything { margin: 0 0 0 auto; }
.everything input[type=search] { width: 18rem; min-height: 2rem; font-size: var(--text-note); }
.tabs { display: flex; gap: 0 1.3rem; overflow-x: auto; scroll-padding-inline: 1rem; scrollbar-width: none; white-space: nowrap; }
.tabs a[aria-current] { scroll-initial-target: nearest; }
.tabs a { color: var(--soft); text-decoration: none; padding: 0.5rem 0 0.55rem; border-bottom: 3px solid transparent; font-weight: 550; }
.tabs a:hover { color: var(--ink); border-color: var(--line); }
.tabs a[aria-current] { color: var(--ink); border-color: var(--accent); }
.notice { border: 1px solid var(--accent); background: var(--wash); border-radius: var(--radius); padding: 0.6rem 1rem; margin: 0 0 1rem; position: sticky; top: 0.5rem; z-index: 2; }
.notice p { margin: 0; }
.notice.error { border-color: var(--error); background: var(--error-wash); }
.head { display: flex; flex-wrap: wrap; gap: 0.6rem 1.5rem; align-items: center; justify-content: space-between; margin: 0 0 0.9rem; }
.search { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: center; }
.search input[type=search] { width: 22rem; }
.crumb { margin: 0 0 0.2rem; font-size: var(--text-note); }
.lead { border-left: 4px solid var(--edge); background: var(--quiet-wash); padding: 0.7rem 1rem; border-radius: 0.3rem; margin: 0 0 var(--space); }
.lead.good { border-color: var(--accent); background: var(--wash); }
.lead.bad { border-color: var(--error); background: var(--error-wash); }
.lead.open { border-color: var(--notice); background: var(--notice-wash); }
.lead p { margin: 0; max-width: 60rem; }
.lead p + p { margin-top: 0.4rem; }
.copied { user-select: all; }
.facts code { color: var(--soft); font-size: var(--text-small); user-select: all; }
.paging { display: flex; gap: 1.2rem; margin: 0.8rem 0 0; }
.timeline { list-style: none; margin: 0; padding: 0; }
.timeline > li { position: relative; padding: 0 0 0.9rem 1.4rem; }
.timeline > li::before { content: ""; position: absolute; left: 0.1rem; top: 0.4rem; width: 0.7rem; height: 0.7rem; border-radius: 50%; background: var(--edge); }
.timeline > li::after { content: ""; position: absolute; left: 0.41rem; top: 1.25rem; bottom: -0.25rem; width: 2px; background: var(--line); }
.timeline > li:last-child { padding-bottom: 0; }
.timeline > li:last-child::after { display: none; }
.timeline > .good::before { background: var(--accent); }
.timeline > .bad::before { background: var(--error); }
.timeline > .open::before { background: var(--notice); }
.timeline p { margin: 0; }
.timeline .what { font-weight: 550; }
.timeline .when { color: var(--soft); font-size: var(--text-note); font-variant-numeric: tabular-nums; }
.timeline .when span::after { content: " ·"; }
.timeline .detail { font-size: var(--text-note); }
.timeline .detail ul { margin: 0.2rem 0; padding-left: 1.1rem; }
.timeline + p { margin-top: 0.8rem; }
`

const tables = `
.table { background: var(--card); border: 1px solid var(--line); border-radius: var(--radius); box-shadow: var(--shadow); overflow-x: auto; }
.card .table { border: 0; box-shadow: none; border-radius: 0; margin: 0 -0.7rem; }
table.list { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: var(--text-note); }
.list th, .list td { text-align: left; font-weight: 400; padding: 0.5rem 0.7rem; border-bottom: 1px solid var(--line); vertical-align: top; }
.list thead th { color: var(--soft); font-weight: 600; font-size: var(--text-small); white-space: nowrap; }
.list tbody tr:last-child > * { border-bottom: 0; }
.list tbody tr:hover > * { background: color-mix(in srgb, var(--wash) 45%, transparent); }
.list tbody th a { font-weight: 600; }
.list th, .list td { overflow-wrap: break-word; }
.list time, .list .number, .list .short { white-space: nowrap; }
.list .long { overflow-wrap: anywhere; min-width: 9rem; }
.list .number, .figures .number { text-align: right; }
@media screen and (max-width: 66rem) { .list .minor { display: none; } }
@media screen and (max-width: 46rem) {
  main.console { padding: 1rem 0.75rem 3rem; }
  header.top > * { padding-left: 0.75rem; padding-right: 0.75rem; }
  .tabs { gap: 0 1rem; }
  .everything, .everything input[type=search] { width: 100%; }
  .search, .search input[type=search] { width: 100%; }
  .search select, .search:not(:has(select)) input[type=search] { flex: 1; width: 8rem; min-width: 0; }
  .table { background: none; border: 0; box-shadow: none; overflow: visible; }
  .list .mark { white-space: normal; }
  .card .table { margin: 0; }
  table.list, .list tbody, .list tr, .list td, .list tbody th { display: block; }
  .list thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .list tr { background: var(--card); border: 1px solid var(--line); border-radius: var(--radius); padding: 0.5rem 0.8rem; margin: 0 0 0.6rem; }
  .card .list tr { background: var(--ground); }
  .list th, .list td { border: 0; padding: 0.12rem 0; }
  .list td { display: grid; grid-template-columns: 6.6rem minmax(0, 1fr); gap: 0.5rem; }
  .list td.empty, .list td.minor { display: none; }
  .list .short { white-space: normal; }
  .list td::before { content: attr(data-label); color: var(--soft); font-size: var(--text-small); }
  .list .number { text-align: left; white-space: normal; }
  .list tbody tr:hover > * { background: none; }
}
`

const bars = `
.bars { margin: 0; display: grid; gap: 0.45rem; }
.bars > div { display: grid; grid-template-columns: 11rem minmax(0, 1fr); gap: 0.2rem 0.8rem; align-items: center; }
.bars dt { overflow-wrap: anywhere; }
.bars dd { margin: 0; display: grid; grid-template-columns: minmax(0, 1fr) minmax(5.5rem, auto); gap: 0.8rem; align-items: center; font-size: var(--text-note); color: var(--soft); }
.bars dd strong { color: var(--ink); }
.bars svg { width: 100%; height: 0.6rem; border-radius: 0.3rem; display: block; }
.bars .track { fill: var(--quiet-wash); }
.bars .fill { fill: var(--edge); }
.bars .good .fill { fill: var(--part-0); }
.bars .bad .fill { fill: var(--error); }
.bars .open .fill { fill: var(--part-1); }
@media (max-width: 46rem) { .bars > div { grid-template-columns: 1fr; gap: 0; } }
`

// What only the console of the sandbox has.
const controls = `
.now { font-size: var(--text-head); font-variant-numeric: tabular-nums; margin: 0; }
.zone { font-size: 1rem; color: var(--soft); }
.row { display: flex; flex-wrap: wrap; gap: 0.6rem; margin: 0 0 0.6rem; }
.presets { display: flex; flex-wrap: wrap; gap: 0.6rem; }
button.small { min-height: 1.7rem; padding: 0.1rem 0.6rem; font-size: var(--text-small); }
form.act { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 15rem), 1fr)); gap: 0.8rem 1rem; align-items: end; padding: 0.5rem 0 0.9rem; }
.row form.act { display: block; padding: 0; }
.field.typed { align-self: start; }
.act .field input[type=text], .act .field select { width: 100%; }
.act .hint { display: block; margin: 0.15rem 0 0; }
`

// A form has one column, and controls that are easy to touch.
const forms = `
:root { --control: 2.75rem; --page: 44rem; --field: var(--card); }
@media (prefers-color-scheme: dark) { :root { --field: var(--ground); } }
html { scroll-behavior: smooth; scroll-padding-top: 1rem; }
body { font-size: 1rem; }
h1 { font-size: var(--text-head); margin-bottom: 0.5rem; }
h2 { font-size: var(--text-large); }
[tabindex="-1"]:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
main { max-width: var(--page); margin: 0 auto; padding: 1.5rem 1rem 4rem; }
header.site { border-bottom: 1px solid var(--line); background: var(--card); }
header.site p { max-width: var(--page); margin: 0 auto; padding: 0.6rem 1rem; font-size: var(--text-note); color: var(--soft); }
.lede { color: var(--soft); max-width: 44rem; margin-bottom: 1.2rem; }
.card { padding: 1.3rem; margin-bottom: 1.1rem; }
.summary { border: 1px solid var(--error); border-left-width: 0.3rem; background: var(--error-wash); }
.summary h2 { color: var(--error); }
.summary.corrections { border-color: var(--notice); background: var(--notice-wash); }
.summary.corrections h2 { color: var(--notice); }
.summary ul { margin: 0; padding-left: 1.2rem; }
.summary li { margin-bottom: 0.3rem; }
.summary a { color: inherit; }
button { padding: 0.5rem 1.1rem; border-radius: var(--radius); }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
fieldset { border: 0; margin: 0 0 1.1rem; padding: 0; min-width: 0; }
fieldset.card { border: 1px solid var(--line); padding: 1.3rem; }
fieldset.card > :last-child, fieldset.item > :last-child { margin-bottom: 0; }
fieldset.item { border-left: 3px solid var(--line); padding: 0 0 0 1rem; }
.hint + fieldset.item { margin-top: 0.9rem; }
legend { padding: 0; font-weight: 650; font-size: var(--text-large); }
fieldset.card > legend, fieldset.item > legend { float: left; width: 100%; margin-bottom: 0.75rem; }
fieldset.card > legend + *, fieldset.item > legend + * { clear: both; }
fieldset.item > legend { font-size: var(--text-title); margin-bottom: 0.5rem; }
.field { margin: 0 0 1.1rem; }
fieldset.field > legend { float: left; width: 100%; font-weight: 600; font-size: 1rem; }
fieldset.field > legend + * { clear: both; }
.card > .hint { margin-bottom: 0.9rem; }
.error, .issue { margin: 0.1rem 0 0.45rem; font-size: var(--text); font-weight: 600; max-width: 36rem; }
.error { color: var(--error); }
.issue { color: var(--notice); }
.field .hint { max-width: 36rem; }
.field.has-error, .field.has-issue { margin-left: -0.85rem; border-left: 0.25rem solid var(--error); padding-left: 0.6rem; }
.field.has-issue:not(.has-error) { border-left-color: var(--notice); }
input:not([type=checkbox], [type=radio], [type=file]), select, textarea { width: 100%; max-width: 28rem; background-color: var(--field); box-shadow: inset 0 1px 2px rgb(20 30 40 / 8%); }
select { appearance: none; padding-right: 2.2rem; text-overflow: ellipsis; background-image: linear-gradient(45deg, transparent 50%, var(--soft) 50%), linear-gradient(-45deg, transparent 50%, var(--soft) 50%); background-position: right 1.15rem center, right 0.8rem center; background-size: 0.36rem 0.36rem; background-repeat: no-repeat; }
input:not([type=checkbox], [type=radio]):hover, select:hover, textarea:hover, .choices label:hover { border-color: var(--ink); }
input:not([type=checkbox], [type=radio]):focus-visible, select:focus-visible, textarea:focus-visible { outline-offset: 0; border-color: var(--accent); border-radius: var(--radius-small); }
input[type=date] { max-width: 13rem; }
input[type=file] { font: inherit; color: var(--soft); width: 100%; max-width: 28rem; padding: 0.6rem; border: 1px dashed var(--edge); border-radius: var(--radius-small); background: var(--field); cursor: pointer; }
input::file-selector-button { font: inherit; font-weight: 600; padding: 0.4rem 0.9rem; margin-right: 0.75rem; border: 1px solid var(--accent); border-radius: var(--radius-small); background: var(--wash); color: var(--accent); cursor: pointer; }
textarea { min-height: 5rem; resize: vertical; }
input[aria-invalid=true], select[aria-invalid=true], textarea[aria-invalid=true] { border-color: var(--error); box-shadow: 0 0 0 1px var(--error); }
.choices { display: flex; flex-wrap: wrap; gap: 0.5rem 0.6rem; }
.choices.stacked { flex-direction: column; max-width: 28rem; }
.choices.stacked + .other { margin-top: 0.7rem; }
.choices label { display: inline-flex; align-items: center; gap: 0.6rem; min-width: 6.5rem; min-height: var(--control); padding: 0.3rem 0.9rem 0.3rem 0.7rem; border: 1px solid var(--edge); border-radius: var(--radius-small); background: var(--field); cursor: pointer; }
.choices label:has(:checked) { border-color: var(--accent); background: var(--wash); }
.has-error .choices label { border-color: var(--error); }
.choices input, .drop input { margin: 0; }
.drop { display: inline-flex; align-items: center; gap: 0.5rem; font-size: var(--text-note); }
.kept { display: flex; flex-wrap: wrap; align-items: center; gap: 0.6rem 0.9rem; max-width: 28rem; margin: 0.5rem 0; padding: 0.6rem; border: 1px solid var(--line); background: var(--wash); border-radius: var(--radius-small); }
.kept p { margin: 0; font-size: var(--text-note); flex: 1 1 9rem; }
.other { margin-top: 0.4rem; }
.field:has(select):not(:has(option[value="other:"]:checked)) .other { display: none; }
.item:has(option[value=PROOF_OF_ADDRESS]:checked) > .for-id:not(.has-error, .has-issue),
.item:not(:has(option[value=PROOF_OF_ADDRESS]:checked)) > .for-proof:not(.has-error, .has-issue) { display: none; }
.actions { display: flex; flex-wrap: wrap; align-items: center; gap: 0.75rem; margin: 0 0 0.75rem; }
.state { display: inline-block; padding: 0.15rem 0.7rem; border-radius: 1rem; background: var(--wash); color: var(--accent); font-weight: 650; font-size: var(--text-note); margin-bottom: 0.75rem; }
@media (max-width: 30rem) {
  main { padding: 1rem 0.75rem 3rem; }
  .card, fieldset.card { padding: 1rem; }
  .actions button { flex: 1 1 8rem; }
  .field input:not([type=checkbox], [type=radio], [type=date]), select, textarea, .kept { max-width: none; }
  .choices label { flex: 1; }
}
`

// Pages that are files print on A4: black on white, no frames, and no table row or chart across two pages.
const printing = `
@page { size: A4; margin: 14mm; }
.paper header { margin: 0 0 1rem; }
.paper pre { max-height: none; }
@media print {
  :root { color-scheme: light; --ground: #fff; --card: #fff; --ink: #000; --soft: #444; --line: #bbb; --shadow: none; --accent: #0b6157; --part-0: #0f766a; --part-1: #c17a1a; }
  html { font-size: 11.5px; }
  body { font-size: 8.5pt; print-color-adjust: exact; }
  main.console { padding: 0; max-width: none; }
  h2 { break-after: avoid; }
  .card { padding: 0.4rem 0.6rem; break-inside: avoid; }
  .card.breaks { break-inside: auto; }
  .grid { grid-template-columns: 1fr 1fr; gap: 0.5rem; }
  table.list { font-size: 7.5pt; }
  .list thead th { font-size: 7.5pt; white-space: normal; }
  .list .long { min-width: 0; }
  .list th, .list td { padding: 0.15rem 0.25rem; }
  .card .table { margin: 0; }
  .list thead { display: table-header-group; }
  .list tr { break-inside: avoid; }
  .list .minor { display: table-cell; }
  .table { overflow: visible; }
  .columns.three { grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: 0.5rem; }
  .figure { font-size: 14pt; }
  .failure { border: 1px solid; border-left-width: 4px; }
}
`

export const consoleStylesheet = tokens + base + cards + layout + tables + bars + controls

export const formStylesheet = tokens + base + forms

// Of a page that is a file.
export const createPaperStylesheet = (): string => tokens + base + cards + tables + printing

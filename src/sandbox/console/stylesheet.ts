// The stylesheet of the sandbox's controls, in addition to that of the console.
export const stylesheet = `
.sections { display: flex; flex-wrap: wrap; gap: 0.3rem 1rem; margin: 0.6rem 0 1rem; }
.now { font-size: 1.5rem; font-variant-numeric: tabular-nums; margin: 0; }
.zone { font-size: 1rem; color: var(--soft); }
.scroll { position: relative; overflow: auto; max-height: 26rem; margin: 0 0 0.9rem; border: 1px solid var(--line); border-radius: 0.45rem; }
.scroll .none { padding: 0.7rem; }
.scroll table { border-collapse: collapse; width: 100%; font-size: 0.88rem; font-variant-numeric: tabular-nums; }
.scroll th, .scroll td { text-align: left; font-weight: 400; padding: 0.35rem 0.6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
.scroll th, .scroll td { overflow-wrap: break-word; }
.scroll time, .scroll .mark, .scroll button, .scroll td > code, .scroll td > a > code { white-space: nowrap; }
.scroll tbody tr:last-child > * { border-bottom: 0; }
.scroll thead th { position: sticky; top: 0; background: var(--card); color: var(--soft); font-weight: 600; white-space: nowrap; }
.row { display: flex; flex-wrap: wrap; gap: 0.6rem; margin: 0 0 0.6rem; }
details.act + .scroll { margin-top: 0.6rem; }
.presets { display: flex; flex-wrap: wrap; gap: 0.6rem; }
button.small { min-height: 1.7rem; padding: 0.1rem 0.6rem; font-size: 0.85rem; }
details.act { border-top: 1px solid var(--line); padding: 0.2rem 0; }
details.act > summary { cursor: pointer; padding: 0.35rem 0; font-weight: 600; }
.scroll summary { cursor: pointer; }
.command { font: 400 0.85rem ui-monospace, "SF Mono", Menlo, Consolas, monospace; color: var(--soft); }
form.act { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 15rem), 1fr)); gap: 0.8rem 1rem; align-items: end; padding: 0.5rem 0 0.9rem; }
.row form.act { display: block; padding: 0; }
.box.typed { align-self: start; }
.box label { display: block; font-weight: 600; font-size: 0.92rem; }
.box input[type=text], .box select { width: 100%; }
.box .hint { display: block; margin: 0.15rem 0 0; color: var(--soft); font-size: 0.87rem; }
.box .optional { font-weight: 400; color: var(--soft); }
.box .tick { display: inline-flex; align-items: center; gap: 0.5rem; min-height: 2.4rem; }
.tick input { width: 1.2rem; height: 1.2rem; accent-color: var(--accent); flex: none; }
@media (max-width: 46rem) {
  .scroll table, .scroll tbody, .scroll tr, .scroll td, .scroll tbody th { display: block; }
  .scroll thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .scroll tr { padding: 0.5rem 0.7rem; border-bottom: 1px solid var(--line); }
  .scroll tbody tr:last-child { border-bottom: 0; }
  .scroll th, .scroll td { border: 0; padding: 0.12rem 0; }
  .scroll td:empty { display: none; }
  .scroll td::before { content: attr(data-label); display: block; color: var(--soft); font-size: 0.82rem; }
  .scroll .mark { white-space: normal; }
  .scroll td > code, .scroll td > a > code { font-size: 0.8rem; }
}
`

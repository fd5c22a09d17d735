// The stylesheet of the console, in addition to the common one.
export const stylesheet = `
main.console { max-width: 76rem; }
header.site.wide p { max-width: 76rem; }
nav { display: flex; flex-wrap: wrap; gap: 0.3rem 1rem; margin: 0 0 1rem; }
nav a { padding: 0.2rem 0; }
.notice { border: 2px solid var(--accent); background: var(--wash); border-radius: var(--radius); padding: 0.7rem 1rem; margin: 0 0 1rem; position: sticky; top: 0.5rem; z-index: 1; }
.notice p { margin: 0; }
.notice.error { border-color: var(--error); background: var(--error-wash); }
.now { font-size: 1.5rem; font-variant-numeric: tabular-nums; margin: 0; }
.zone { font-size: 1rem; color: var(--soft); }
.scroll { position: relative; overflow: auto; max-height: 26rem; margin: 0 0 0.9rem; border: 1px solid var(--line); border-radius: 0.45rem; }
.none { margin: 0; padding: 0.7rem; color: var(--soft); }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; font-weight: 400; padding: 0.35rem 0.7rem; border-bottom: 1px solid var(--line); vertical-align: top; white-space: nowrap; overflow-wrap: normal; }
tbody tr:last-child > * { border-bottom: 0; }
thead th { position: sticky; top: 0; background: var(--card); color: var(--soft); font-weight: 600; }
td pre { max-width: 40rem; white-space: pre-wrap; overflow-wrap: anywhere; margin: 0.3rem 0; font-size: 0.85em; }
.mark { display: inline-block; padding: 0 0.5rem; border-radius: 1rem; background: var(--notice-wash); color: var(--notice); font-size: 0.82rem; font-weight: 600; }
.mark.good { background: var(--wash); color: var(--accent); }
.mark.bad { background: var(--error-wash); color: var(--error); }
.row { display: flex; flex-wrap: wrap; gap: 0.6rem; margin: 0 0 0.6rem; }
details.act + .scroll { margin-top: 0.6rem; }
.presets { display: flex; flex-wrap: wrap; gap: 0.6rem; }
button.small { min-height: 1.7rem; padding: 0.1rem 0.6rem; font-size: 0.85rem; }
header button.small { margin-left: 0.5rem; }
details.act { border-top: 1px solid var(--line); padding: 0.2rem 0; }
summary { cursor: pointer; padding: 0.35rem 0; font-weight: 600; }
td summary { padding: 0; }
.command { font: 400 0.85rem ui-monospace, "SF Mono", Menlo, Consolas, monospace; color: var(--soft); }
details.act > form { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: 0.8rem 1rem; align-items: end; padding: 0.5rem 0 0.9rem; }
.box.typed { align-self: start; }
.box label { display: block; font-weight: 600; font-size: 0.95rem; }
.box .hint { display: block; margin: 0.15rem 0 0; }
.box .tick { display: inline-flex; align-items: center; gap: 0.5rem; min-height: 2.75rem; }
.tick input { width: 1.2rem; height: 1.2rem; accent-color: var(--accent); flex: none; }
`

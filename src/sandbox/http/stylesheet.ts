// The common stylesheet of all pages, for phones and desktops, in light and dark mode.

const tokens = `
:root {
  color-scheme: light dark;
  --ground: #f6f5f1;
  --card: #ffffff;
  --ink: #1d2327;
  --soft: #56616a;
  --line: #d9d8d2;
  --edge: #7c868d;
  --accent: #0b6157;
  --on-accent: #ffffff;
  --wash: #e4f0ee;
  --error: #a3261c;
  --error-wash: #fcecea;
  --notice: #7a4a00;
  --notice-wash: #fdf3e0;
  --radius: 0.6rem;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14181a;
    --card: #1d2326;
    --ink: #e8ebec;
    --soft: #a9b3b9;
    --line: #343c41;
    --edge: #7f8b92;
    --accent: #6fd0c0;
    --on-accent: #0d1917;
    --wash: #1d3330;
    --error: #ff9d92;
    --error-wash: #3a211f;
    --notice: #f2c374;
    --notice-wash: #352b1a;
  }
}
`

const base = `
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-behavior: smooth; scroll-padding-top: 1rem; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 0.5rem; letter-spacing: -0.01em; }
h2 { font-size: 1.2rem; line-height: 1.3; margin: 0 0 0.5rem; }
h3 { font-size: 1rem; margin: 0 0 0.5rem; }
p { margin: 0 0 0.75rem; }
a { color: var(--accent); }
code { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: 0.9em; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
[tabindex="-1"]:focus { outline: none; }
[tabindex="-1"]:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
main { max-width: 44rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
header.site { border-bottom: 1px solid var(--line); background: var(--card); }
header.site p { max-width: 44rem; margin: 0 auto; padding: 0.6rem 1rem; font-size: 0.9rem; color: var(--soft); }
.skip { position: absolute; left: -100vw; top: 0; padding: 0.5rem 1rem; background: var(--card); }
.skip:focus { left: 0; z-index: 1; }
.unseen { position: absolute; width: 1px; height: 1px; margin: -1px; padding: 0; min-height: 0; overflow: hidden; clip-path: inset(50%); white-space: nowrap; border: 0; }
.lede { color: var(--soft); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: var(--radius); padding: 1.1rem; margin: 0 0 1.1rem; min-width: 0; }
.summary { border: 2px solid var(--error); background: var(--error-wash); }
.summary h2 { color: var(--error); }
.summary.corrections { border-color: var(--notice); background: var(--notice-wash); }
.summary.corrections h2 { color: var(--notice); }
.summary ul { margin: 0; padding-left: 1.2rem; }
.summary li { margin-bottom: 0.3rem; }
.summary a { color: inherit; }
button { font: inherit; font-weight: 600; min-height: 2.75rem; padding: 0.5rem 1.1rem; border-radius: var(--radius); border: 1px solid var(--accent); background: var(--accent); color: var(--on-accent); cursor: pointer; }
button.plain { background: transparent; color: var(--accent); }
button[disabled] { opacity: 0.6; cursor: progress; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
`

const forms = `
fieldset { border: 0; margin: 0 0 1.1rem; padding: 0; min-width: 0; }
fieldset.card { border: 1px solid var(--line); padding: 1.1rem; }
fieldset.item { border-left: 3px solid var(--line); padding: 0 0 0 1rem; }
.hint + fieldset.item { margin-top: 0.9rem; }
legend { padding: 0; font-weight: 650; font-size: 1.15rem; }
fieldset.card > legend, fieldset.item > legend { float: left; width: 100%; margin-bottom: 0.75rem; }
fieldset.card > legend + *, fieldset.item > legend + * { clear: both; }
fieldset.item > legend { font-size: 1.02rem; margin-bottom: 0.5rem; }
.field { margin: 0 0 1.1rem; }
.field > label, fieldset.field > legend { display: block; font-weight: 600; font-size: 1rem; }
.optional { font-weight: 400; color: var(--soft); font-size: 0.9rem; }
.hint { margin: 0.1rem 0 0.35rem; color: var(--soft); font-size: 0.9rem; }
.wrong { margin: 0.1rem 0 0.35rem; color: var(--error); font-size: 0.95rem; font-weight: 600; }
.wrong[hidden] { display: none; }
.issue { margin: 0.1rem 0 0.35rem; color: var(--notice); font-size: 0.95rem; font-weight: 600; }
.field.has-error, .field.has-issue { margin-left: -0.75rem; border-left: 0.25rem solid var(--error); padding-left: 0.5rem; }
.field.has-issue:not(.has-error) { border-left-color: var(--notice); }
input[type=text], input[type=email], input[type=tel], input[type=date], select, textarea { font: inherit; color: inherit; background: var(--ground); width: 100%; max-width: 28rem; min-height: 2.75rem; padding: 0.5rem 0.7rem; border: 1px solid var(--edge); border-radius: 0.45rem; }
input[type=date] { max-width: 13rem; }
input[type=file] { font: inherit; color: inherit; max-width: 100%; padding: 0.35rem 0; }
input::file-selector-button { font: inherit; font-weight: 600; padding: 0.45rem 0.9rem; margin-right: 0.75rem; border: 1px solid var(--accent); border-radius: 0.45rem; background: transparent; color: var(--accent); cursor: pointer; }
textarea { min-height: 5rem; resize: vertical; }
input[aria-invalid=true], select[aria-invalid=true], textarea[aria-invalid=true] { outline: 1px solid var(--error); border-color: var(--error); }
.choices { display: flex; flex-wrap: wrap; gap: 0.4rem 1.4rem; }
.choices.stacked { flex-direction: column; }
.choices.stacked + .other { margin-top: 0.7rem; }
.choices label { display: inline-flex; align-items: center; gap: 0.5rem; min-height: 2.2rem; }
.choices input, .drop input { width: 1.2rem; height: 1.2rem; accent-color: var(--accent); flex: none; }
.drop { display: inline-flex; align-items: center; gap: 0.5rem; font-size: 0.9rem; }
.two { display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: 0 1rem; }
.kept { display: flex; flex-wrap: wrap; align-items: center; gap: 0.75rem; margin: 0.35rem 0; padding: 0.6rem; background: var(--wash); border-radius: 0.45rem; }
.kept p { margin: 0; font-size: 0.9rem; }
.kept img { display: block; max-width: 9rem; max-height: 7rem; border-radius: 0.3rem; background: var(--ground); }
.other { margin-top: 0.4rem; }
.field:has(select):not(:has(option[value="other:"]:checked)) .other { display: none; }
.item:has(option[value=PROOF_OF_ADDRESS]:checked) > .for-id:not(.has-error, .has-issue),
.item:not(:has(option[value=PROOF_OF_ADDRESS]:checked)) > .for-proof:not(.has-error, .has-issue) { display: none; }
.actions { display: flex; flex-wrap: wrap; gap: 0.75rem; margin: 0 0 0.5rem; }
.state { display: inline-block; padding: 0.15rem 0.7rem; border-radius: 1rem; background: var(--wash); color: var(--accent); font-weight: 650; font-size: 0.9rem; margin-bottom: 0.75rem; }
@media (max-width: 30rem) {
  main { padding: 1rem 0.75rem 3rem; }
  .card, fieldset.card { padding: 0.9rem; }
  .actions button { width: 100%; }
  input[type=text], input[type=email], input[type=tel], select, textarea { max-width: none; }
}
`

const steps = `
.progress { margin: 0 0 1.1rem; }
.progress p { margin: 0 0 0.35rem; font-size: 0.9rem; color: var(--soft); }
.progress progress { display: block; width: 100%; height: 0.5rem; accent-color: var(--accent); }
.progress ol { display: flex; flex-wrap: wrap; gap: 0.4rem; margin: 0.7rem 0 0; padding: 0; list-style: none; }
button.step { display: inline-flex; align-items: center; gap: 0.45rem; min-height: 2.4rem; padding: 0.2rem 0.8rem 0.2rem 0.3rem; border-color: var(--edge); border-radius: 2rem; background: transparent; color: var(--ink); font-size: 0.9rem; font-weight: 500; }
button.step .mark { display: inline-grid; place-items: center; width: 1.7rem; height: 1.7rem; border-radius: 50%; background: var(--wash); color: var(--accent); font-weight: 650; }
button.step[aria-current] { border-color: var(--accent); background: var(--wash); font-weight: 650; }
button.step[aria-current] .mark { background: var(--accent); color: var(--on-accent); }
button.link { border: 0; background: none; color: var(--accent); font-weight: 400; text-decoration: underline; padding-inline: 0.25rem; }
.saved { padding: 0.6rem 0.9rem; border-radius: 0.45rem; background: var(--wash); color: var(--accent); }
.save-status { align-self: center; color: var(--soft); font-size: 0.9rem; }
.brand { display: flex; align-items: center; gap: 0.75rem; max-width: 44rem; margin: 0 auto; padding: 0.8rem 1rem 0; }
.brand img { display: block; max-width: 12rem; max-height: 3rem; }
.brand strong { font-size: 1.1rem; }
@media (max-width: 30rem) {
  .progress ol { gap: 0.2rem; }
  button.step { min-height: 2.75rem; padding: 0.2rem; }
  button.step[aria-current] { padding-right: 0.7rem; }
  button.step:not([aria-current]) .name { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
  button.step .mark { width: 2.1rem; height: 2.1rem; }
}
`

export const stylesheet = tokens + base + forms + steps

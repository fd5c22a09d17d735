// Renders a form: sections, fields with their rules and errors, and a summary with links at the top.
import {attributes, type Content, html, type Html} from '../../web/html.ts'
import {type FormView, renderControl, toElementId, isGroupField} from './field-controls.ts'
import {itemsMax, countItems} from './form-values.ts'
import {renderHiddenValues, renderMainButton, renderOtherButtons, renderProgress} from './render-steps.ts'
import {formatStepView, isShown, type Step, type StepView} from './steps.ts'
import {documentClasses, type Field, type List, type Node, type Section} from './fields.ts'
import {endSentence} from '../../values/text.ts'

const joinSentences = (texts: readonly string[] = []) => texts.map(endSentence).join(' ')

// All three elements are always present, so that a control can refer to them and the script can fill them in.
function renderNotes({path, rules}: Field, {problems, issues}: FormView): Html {
  const id = toElementId(path)
  const hint = joinSentences(rules)
  const issue = joinSentences(issues.get(path))
  const error = joinSentences(problems.get(path))
  return html`<p class="hint" id="${id}-hint">${hint}</p>
    <p class="issue" id="${id}-issue">${issue}</p>
    <p class="wrong" id="${id}-error" ${attributes({hidden: error === ''})}>${error}</p>`
}

const renderOptionalMark = ({isRequired}: Field) => !isRequired && html` <span class="optional">(optional)</span>`

function renderField(field: Field, view: FormView): Html {
  const {path, label, only} = field
  const id = toElementId(path)
  const isWrong = view.problems.has(path)
  const names = ['field', only && documentClasses[only], isWrong && 'has-error', view.issues.has(path) && 'has-issue']
    .filter(Boolean)
    .join(' ')
  const inside = html`${renderNotes(field, view)} ${renderControl(field, view)}`
  if (!isGroupField(field)) {
    return html`<div class="${names}"><label for="${id}">${label}${renderOptionalMark(field)}</label> ${inside}</div> `
  }
  const group = {
    class: names,
    id,
    tabindex: '-1',
    // A group cannot carry aria-invalid, so its description announces the error.
    'aria-describedby': `${id}-hint ${id}-issue ${id}-error`,
  }
  return html`<fieldset${attributes(group)}><legend>${label}${renderOptionalMark(field)}</legend>
${inside}</fieldset>
`
}

function renderSection({title, hint, nodes}: Section, view: FormView, depth: number): Html {
  return html`<fieldset class="${depth === 0 ? 'card' : 'item'}">
    <legend>${title}</legend>
    ${hint && html`<p class="hint">${hint}</p>`} ${renderNodes(nodes, view, depth + 1)}
  </fieldset> `
}

// Adding or removing an item does not require the form to be complete.
const renderButton = (name: 'add' | 'remove', path: string, target: string, label: Content) =>
  html`<button${attributes({
    class: 'plain',
    name,
    value: path,
    formnovalidate: true,
    // The next page scrolls to the item.
    formaction: `#${toElementId(target)}`,
  })}>${label}</button>`

const withArticle = (noun: string) => `a ${noun.toLowerCase()}`

function renderList(list: List, view: FormView, depth: number): Html {
  const {path, title, hint, item, createNodes} = list
  const length = countItems(view.values, path)
  const items = Array.from({length}, (_, index) => {
    const at = `${path}[${index}]`
    return html`<fieldset class="item" id="${toElementId(at)}" tabindex="-1">
      <legend>${item} ${index + 1}</legend>
      ${renderNodes(createNodes(at), view, depth + 2)}
      <p class="actions">${renderButton('remove', at, path, html`Remove ${item.toLowerCase()} ${index + 1}`)}</p>
    </fieldset> `
  })
  const adding = length === 0 ? `Add ${withArticle(item)}` : `Add another ${item.toLowerCase()}`
  return html`<fieldset class="${depth === 0 ? 'card' : 'item'}" id="${toElementId(path)}" tabindex="-1">
    <legend>${title}</legend>
    ${hint && html`<p class="hint">${hint}</p>`} ${items}
    ${length < itemsMax && html`<p class="actions">${renderButton('add', path, `${path}[${length}]`, adding)}</p>`}
  </fieldset> `
}

function renderNodes(nodes: readonly Node[], view: FormView, depth: number): Html {
  return html`${nodes.map((node) => {
    if (node.is === 'field') return renderField(node, view)
    return node.is === 'section' ? renderSection(node, view, depth) : renderList(node, view, depth)
  })}`
}

// A line of the summary, with the field that it links to.
export interface Remark {
  message: string
  path?: string | undefined
  // Where the field is, if not on this page.
  page?: string | undefined
}

// Focused when the page loads, so that a screen reader starts with it.
export function renderSummary(
  title: string,
  remarks: readonly Remark[],
  kind: 'errors' | 'corrections' = 'errors',
): Html | undefined {
  if (remarks.length === 0) return undefined
  const items = remarks.map(({message, path, page = ''}) =>
    path === undefined
      ? html`<li>${endSentence(message)}</li>`
      : html`<li><a href="${page}#${toElementId(path)}">${endSentence(message)}</a></li>`,
  )
  return html`<section
    class="card summary${kind === 'corrections' && ' corrections'}"
    id="${kind}"
    tabindex="-1"
    ${attributes({
      role: kind === 'errors' ? 'alert' : undefined,
      autofocus: kind === 'errors',
    })}
    aria-labelledby="${kind}-title"
  >
    <h2 id="${kind}-title">${title}</h2>
    <ul>
      ${items}
    </ul>
  </section> `
}

export interface FormContent {
  nodes: readonly Node[]
  view: FormView
  csrf: string
  submitLabel: string
  steps: readonly Step[]
  shown: StepView
}

// The form posts to the page's own address, so the link with its token is not written into the page. The hidden first
// button is the one that the Enter key presses; without it, Enter would press "Remove".
// In steps, the server checks what is required, so that it can show all problems at once. A browser shows one at a time.
export function renderForm({nodes, view, csrf, submitLabel, steps, shown}: FormContent): Html {
  const shownNodes = steps.length === 0 ? nodes : nodes.filter((_, index) => isShown(shown, index))
  const form = {
    method: 'post',
    action: '#errors',
    enctype: 'multipart/form-data',
    id: 'form',
    novalidate: shown.is !== 'all',
  }
  return html`<form${attributes(form)}>
<input${attributes({type: 'hidden', name: 'csrf', value: csrf})}>
<input${attributes({type: 'hidden', name: 'step', value: formatStepView(shown)})}>
${renderMainButton(steps, shown, submitLabel, true)}
${renderProgress(steps, shown, view.values)}${renderHiddenValues(view.values, steps, shown)}
<div id="fields" tabindex="-1">
${renderNodes(shownNodes, view, 0)}</div>
<p class="actions">${renderMainButton(steps, shown, submitLabel, false)} ${renderOtherButtons(steps, shown)}</p>
</form>
`
}

// Renders what a form in steps adds to its fields: the progress, the buttons, and the values of the steps that are not shown.
import {attributes, html, type Html} from '../../web/html.ts'
import {findMissingFields} from './form-problems.ts'
import {type FormValues, isBlank} from './form-values.ts'
import {keptName} from './posted-form.ts'
import {isHiddenName, type Step, type StepView} from './steps.ts'

// Whether something is entered in the step, and nothing is missing.
const isDone = ({node}: Step, values: FormValues) =>
  !isBlank(values, [node]) && findMissingFields([node], values).length === 0

// Moving between steps saves what is entered, and does not require it to be complete.
const renderGo = (target: number | 'all', content: Html | string, more: Record<string, string | undefined> = {}) =>
  html`<button${attributes({name: 'go', value: String(target), formnovalidate: true, ...more})}>${content}</button>`

function renderStep(step: Step, index: number, view: StepView, values: FormValues): Html {
  const isCurrent = view.is === 'step' && view.index === index
  const mark = isDone(step, values) ? '✓' : String(index + 1)
  const content = html`<span class="mark" aria-hidden="true">${mark}</span
    ><span class="name"
      ><span class="unseen">Step ${index + 1}${mark === '✓' && ', complete'}: </span>${step.title}</span
    >`
  return html`<li>
    ${renderGo(index + 1, content, {class: 'step', 'aria-current': isCurrent ? 'step' : undefined})}
  </li> `
}

export function renderProgress(steps: readonly Step[], view: StepView, values: FormValues): Html | undefined {
  if (steps.length === 0) return undefined
  const count = steps.length
  const done = steps.filter((step) => isDone(step, values)).length
  const position =
    view.is === 'step' ? `Step ${view.index + 1} of ${count}, ${done} complete` : `${done} of ${count} steps complete`
  return html`<nav class="progress" aria-label="Progress">
    <p>${position}</p>
    <progress${attributes({value: done, max: count, 'aria-label': 'Steps complete'})}></progress>
    <ol>
      ${steps.map((step, index) => renderStep(step, index, view, values))}
    </ol>
  </nav> `
}

const renderHidden = (name: string, value: string) => html`<input${attributes({type: 'hidden', name, value})}>`

export function renderHiddenValues({texts, files}: FormValues, steps: readonly Step[], view: StepView): Html {
  const hiddenTexts = [...texts].filter(([name]) => isHiddenName(name, steps, view))
  const hiddenFiles = [...files].filter(([path]) => isHiddenName(path, steps, view))
  return html`${hiddenTexts.flatMap(([name, values]) =>
    values.filter((value) => value !== '').map((value) => renderHidden(name, value)),
  )}${hiddenFiles.map(([path, {reference}]) => reference !== undefined && renderHidden(keptName(path), reference))}`
}

// The button of the Enter key, and the main button at the end.
export function renderMainButton(steps: readonly Step[], view: StepView, submitLabel: string, isUnseen: boolean): Html {
  const next = view.is === 'step' ? steps[view.index + 1] : undefined
  const target = view.is === 'step' ? view.index + 2 : 0
  const unseen = isUnseen ? {class: 'unseen', tabindex: '-1', 'aria-hidden': 'true'} : {}
  return next
    ? html`<button${attributes({...unseen, name: 'next', value: target})}>Next: ${next.title}</button>`
    : html`<button${attributes(unseen)}>${submitLabel}</button>`
}

export function renderOtherButtons(steps: readonly Step[], view: StepView): Html | undefined {
  if (steps.length === 0) return undefined
  const save = html`<button${attributes({class: 'plain', name: 'save', value: 1, formnovalidate: true})}>Save for later</button>`
  const isFirst = view.is !== 'step' || view.index === 0
  const back = !isFirst && renderGo(view.index, 'Back', {class: 'plain'})
  const other =
    view.is === 'step'
      ? renderGo('all', 'Show everything on one page', {class: 'link'})
      : renderGo(1, 'Show it step by step', {class: 'link'})
  const status = html`<span class="save-status" id="save-status" role="status"></span>`
  return html`${back} ${save} ${other} ${status}`
}

// Renders the console as one page: a notice, and the sections with their tables and forms.
import type {MagicValue} from '../customers/magic-values.ts'
import type {Reply} from '../http/reply.ts'
import {attributes, type Content, html, type Html} from '../../pages/html.ts'
import {createPageReply} from '../pages/page.ts'
import type {TableDifference} from '../snapshots/difference.ts'
import type {Action} from './action.ts'
import {actions, toActionId, confirmName} from './actions.ts'
import {type ActionInput, renderField} from './action-fields.ts'
import {type Section, sections} from './sections.ts'
import type {ConsoleView} from './view.ts'
import {toActionUrl, renderCode, renderHiddenInput, renderTable} from './table.ts'

export interface Notice {
  // What was done, or why it was not done.
  text: string
  isError?: boolean
  // The rejected action with its input, so that the user need not enter it again.
  action?: Action
  input?: ActionInput
}

export interface ConsolePage extends ConsoleView {
  notice?: Notice | undefined
  difference?: {since: string; tables: readonly TableDifference[]} | undefined
  magic: readonly MagicValue[]
  status?: number
}

const presets = ['1m', '1h', '1d', '7d']

// Each button advances the clock by a fixed duration.
const renderPresetButtons = ({forms}: ConsoleView, action: Action) =>
  html`<form method="post" action="${toActionUrl(toActionId(action), forms.selection)}" class="presets" data-action>
    ${renderHiddenInput('csrf', forms.csrf)}${presets.map(
      (duration) =>
        html`<button${attributes({name: 'duration', value: duration, id: `advance-${duration}`})}>+${duration}</button>`,
    )}
  </form>`

const renderConfirmation = (id: string, text: string) =>
  html`<div class="box">
    <label class="tick" for="${id}-confirm"
      ><input${attributes({type: 'checkbox', id: `${id}-confirm`, name: confirmName, value: 'yes', required: true})} />
      ${text}</label
    >
  </div>`

function renderActionForm({forms, notice}: ConsolePage, action: Action): Html {
  const id = toActionId(action)
  const {selection} = forms
  const rejectedInput = notice?.action === action ? notice.input : undefined
  const form = html`<form id="${id}" method="post" action="${toActionUrl(id, selection)}" class="act" data-action>
    ${renderHiddenInput('csrf', forms.csrf)}${action.fields.map((field) =>
      renderField(field, id, rejectedInput?.[field.name] ?? (field.fromSelection && selection[field.fromSelection])),
    )}${action.confirmLabel && renderConfirmation(id, action.confirmLabel)}
    <div class="box"><button class="plain">${action.submitLabel}</button></div>
  </form>`
  if (action.fields.length === 0) return form
  const isOpen =
    rejectedInput !== undefined ||
    action.fields.some(({fromSelection}) => fromSelection && selection[fromSelection] !== undefined)
  return html`<details class="act" ${attributes({open: isOpen, id: `${id}-details`})}>
    <summary>${action.submitLabel}: <span class="command">svc sandbox ${action.command}</span></summary>
    ${form}
  </details>`
}

const renderImmediateButton = ({forms}: ConsoleView, action: Action, label: string) =>
  html`<form method="post" action="${toActionUrl(toActionId(action), forms.selection)}" data-action>
    ${renderHiddenInput('csrf', forms.csrf)}<button class="plain">${label}</button>
  </form>`

// Buttons come first, followed by the forms with fields.
function renderActions(page: ConsolePage, {name}: Section): Content {
  const sectionActions = actions.filter(({section}) => section === name)
  const buttons = sectionActions.flatMap((action) => [
    action.command === 'clock advance' && renderPresetButtons(page, action),
    action.fields.length === 0 && renderActionForm(page, action),
    action.immediateLabel !== undefined && renderImmediateButton(page, action, action.immediateLabel),
  ])
  const forms = sectionActions.filter(({fields}) => fields.length > 0).map((action) => renderActionForm(page, action))
  return [buttons.some(Boolean) && html`<div class="row">${buttons}</div>`, forms]
}

const renderDifference = ({difference}: ConsolePage): Content =>
  difference &&
  renderTable({
    id: 'difference',
    caption: `Changes since ${difference.since}`,
    headers: ['Table', 'Added', 'Removed', 'Changed', 'Rows'],
    rows: difference.tables.map(({table: name, added, removed, changed, rows}) => [
      name,
      added,
      removed,
      changed,
      rows.join(', '),
    ]),
    empty: `Nothing has changed since ${difference.since}.`,
  })

const renderMagic = ({magic}: ConsolePage): Html =>
  html`<details>
    <summary>Values that choose an outcome, and the fields to enter them in</summary>
    ${renderTable({
      id: 'magic-table',
      caption: 'Magic values',
      headers: ['Value', 'Field', 'Effect'],
      rows: magic.map(({value, field, effect}) => [renderCode(value), field, effect]),
      empty: 'There are none.',
    })}
  </details>`

const renderSection = (page: ConsolePage, section: Section) =>
  html`<section class="card" id="${section.name}" aria-labelledby="${section.name}-title">
    <h2 id="${section.name}-title">${section.title}</h2>
    ${section.render(page)} ${section.name === 'snapshots' && renderDifference(page)}
    ${section.name === 'magic' && renderMagic(page)} ${renderActions(page, section)} ${section.renderBelow?.(page)}
  </section> `

// Always present, so that a screen reader announces new content.
const renderNotice = ({notice}: ConsolePage) =>
  html`<div id="notice" role="status" ${attributes({class: notice && (notice.isError ? 'notice error' : 'notice')})}>
    ${notice && html`<p>${notice.isError && html`<strong>Not done:</strong> `}${notice.text}</p>`}
  </div>`

export function createConsolePage(page: ConsolePage): Reply {
  const title = page.notice?.isError ? 'Not done: Sandbox' : 'Sandbox'
  const body = html`<a class="skip" href="#time">Skip to the clock</a>
    <header class="site wide">
      <p>
        <strong>Sandbox</strong>: nothing here is real.
        <span id="live-status">Reload the page to see what is new.</span>
      </p>
    </header>
    <main id="main" class="console">
      <h1>Sandbox</h1>
      <nav aria-label="Sections">${sections.map(({name, title: words}) => html`<a href="#${name}">${words}</a> `)}</nav>
      ${renderNotice(page)} ${sections.map((section) => renderSection(page, section))}
    </main>`
  return createPageReply({title, body, script: 'console.js', style: 'console.css'}, {status: page.status ?? 200})
}

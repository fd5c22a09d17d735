// The console as one page: a head with what was done, the sections, and in each the forms of what can be done there.
import type {MagicValue} from '../customers/magic-values.ts'
import type {Reply} from '../http/reply.ts'
import {attributes, type Content, html, type Html} from '../pages/html.ts'
import {createPageReply} from '../pages/page.ts'
import type {TableDifference} from '../snapshots/difference.ts'
import type {Action} from './action.ts'
import {actions, toActionId, confirmName} from './actions.ts'
import {type ActionInput, renderField} from './action-fields.ts'
import {type Section, sections, type ConsoleView} from './sections.ts'
import {toActionUrl, renderCode, renderHiddenInput, renderTable} from './table.ts'

export interface Notice {
  // What was done, or why it was not.
  text: string
  isRefusal?: boolean
  // The action that was refused, with what was given, so that nothing that was typed is lost.
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

// Each of these buttons is a whole answer to the question how long.
const renderPresetButtons = ({forms}: ConsoleView, action: Action) =>
  html`<form method="post" action="${toActionUrl(toActionId(action), forms.chosen)}" class="presets" data-action>
    ${renderHiddenInput('csrf', forms.csrf)}${presets.map(
      (duration) =>
        html`<button${attributes({name: 'duration', value: duration, id: `advance-${duration}`})}>+${duration}</button>`,
    )}
  </form>`

const renderConfirmation = (id: string, text: string) =>
  html`<div class="box">
    <label class="tick" for="${id}-sure"
      ><input${attributes({type: 'checkbox', id: `${id}-sure`, name: confirmName, value: 'yes', required: true})} />
      ${text}</label
    >
  </div>`

function renderActionForm({forms, notice}: ConsolePage, action: Action): Html {
  const id = toActionId(action)
  const {chosen} = forms
  const refused = notice?.action === action ? notice.input : undefined
  const form = html`<form id="${id}" method="post" action="${toActionUrl(id, chosen)}" class="act" data-action>
    ${renderHiddenInput('csrf', forms.csrf)}${action.fields.map((field) =>
      renderField(field, id, refused?.[field.name] ?? (field.fromSelection && chosen[field.fromSelection])),
    )}${action.confirmLabel && renderConfirmation(id, action.confirmLabel)}
    <div class="box"><button class="plain">${action.submitLabel}</button></div>
  </form>`
  if (action.fields.length === 0) return form
  const isOpen =
    refused !== undefined || action.fields.some(({fromSelection: from}) => from && chosen[from] !== undefined)
  return html`<details class="act" ${attributes({open: isOpen, id: `${id}-details`})}>
    <summary>${action.submitLabel}: <span class="command">svc sandbox ${action.command}</span></summary>
    ${form}
  </details>`
}

const renderImmediateButton = ({forms}: ConsoleView, action: Action, label: string) =>
  html`<form method="post" action="${toActionUrl(toActionId(action), forms.chosen)}" data-action>
    ${renderHiddenInput('csrf', forms.csrf)}<button class="plain">${label}</button>
  </form>`

// Buttons first, and then what asks for more.
function renderActions(page: ConsolePage, {name}: Section): Content {
  const here = actions.filter(({section}) => section === name)
  const buttons = here.flatMap((action) => [
    action.command === 'clock advance' && renderPresetButtons(page, action),
    action.fields.length === 0 && renderActionForm(page, action),
    action.immediateLabel !== undefined && renderImmediateButton(page, action, action.immediateLabel),
  ])
  const asking = here.filter(({fields}) => fields.length > 0).map((action) => renderActionForm(page, action))
  return [buttons.some(Boolean) && html`<div class="row">${buttons}</div>`, asking]
}

const renderDifference = ({difference}: ConsolePage): Content =>
  difference &&
  renderTable({
    id: 'difference',
    caption: `What has changed since ${difference.since}`,
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
    <summary>What to type into which field to get which outcome</summary>
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
    ${section.render(page)} ${section.name === 'copies' && renderDifference(page)}
    ${section.name === 'magic' && renderMagic(page)} ${renderActions(page, section)} ${section.renderBelow?.(page)}
  </section> `

// The place is there always, so that a screen reader hears what comes into it.
const renderNotice = ({notice}: ConsolePage) =>
  html`<div id="said" role="status" ${attributes({class: notice && (notice.isRefusal ? 'said refusal' : 'said')})}>
    ${notice && html`<p>${notice.isRefusal && html`<strong>Not done:</strong> `}${notice.text}</p>`}
  </div>`

export function createConsolePage(page: ConsolePage): Reply {
  const title = page.notice?.isRefusal ? 'Not done: the sandbox' : 'The sandbox'
  const body = html`<a class="skip" href="#time">Skip to the clock</a>
    <header class="site wide">
      <p>
        <strong>Sandbox</strong>: nothing here is real. <span id="line">Load the page again to see what is new.</span>
      </p>
    </header>
    <main id="main" class="console">
      <h1>The sandbox</h1>
      <nav aria-label="Sections">${sections.map(({name, title: words}) => html`<a href="#${name}">${words}</a> `)}</nav>
      ${renderNotice(page)} ${sections.map((section) => renderSection(page, section))}
    </main>`
  return createPageReply({title, body, script: 'console.js', style: 'console.css'}, {status: page.status ?? 200})
}

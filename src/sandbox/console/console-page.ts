// Renders the controls of the sandbox as one page: the sections with their tables and the forms of their actions.
import type {ActionSubject} from '../../web/console/context.ts'
import {type Content, type Html, attributes, html} from '../../web/html.ts'
import type {Result} from '../../sandbox-results.ts'
import {type Action, type ActionInput, actions, confirmName, renderField, toActionId} from './actions.ts'
import type {SectionName} from '../operations/define.ts'
import {
  renderBehaviours,
  renderClock,
  renderDeliveries,
  renderEndpoints,
  renderFaults,
  renderQueue,
  renderSnapshots,
} from './sections.ts'
import {type ConsoleView, renderHiddenInput, renderTable, toActionUrl} from './table.ts'
import {renderCode} from '../../web/format.ts'

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
  magic: ReadonlyArray<Result<'MagicValue'>>
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
  html`<div class="field">
    <label class="tick" for="${id}-confirm"
      ><input${attributes({type: 'checkbox', id: `${id}-confirm`, name: confirmName, value: 'yes', required: true})} />
      ${text}</label
    >
  </div>`

function renderActionForm({forms, notice}: Pick<ConsolePage, 'forms' | 'notice'>, action: Action): Html {
  const id = toActionId(action)
  const {selection, from} = forms
  const rejectedInput = notice?.action === action ? notice.input : undefined
  const form = html`<form id="${id}" method="post" action="${toActionUrl(id, selection, from)}" class="act" data-action>
    ${renderHiddenInput('csrf', forms.csrf)}${action.fields.map((field) =>
      renderField(field, id, rejectedInput?.[field.name] ?? (field.fromSelection && selection[field.fromSelection])),
    )}${action.confirmLabel && renderConfirmation(id, action.confirmLabel)}
    <div class="field"><button class="plain">${action.submitLabel}</button></div>
  </form>`
  if (action.fields.length === 0) return form
  const isOpen =
    rejectedInput !== undefined ||
    (from === undefined &&
      action.fields.some(({fromSelection}) => fromSelection && selection[fromSelection] !== undefined))
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
    ${section.render?.(page)} ${section.name === 'magic' && renderMagic(page)} ${renderActions(page, section)}
    ${section.renderBelow?.(page)}
  </section> `

export const renderControls = (page: ConsolePage): Html =>
  html`<h1>Controls</h1>
    <nav class="sections" aria-label="Sections">
      ${sections.map(({name, title: words}) => html`<a href="#${name}">${words}</a> `)}
    </nav>
    ${sections.map((section) => renderSection(page, section))}`

// The actions on one item, for its own page.
export function renderItemActions(page: Pick<ConsolePage, 'forms' | 'notice'>, subject: ActionSubject): Html {
  const wanted = actions.filter(({fields}) => fields.some(({fromSelection}) => fromSelection === subject))
  return html`<section class="card" id="actions">
    <h2>Actions</h2>
    ${wanted.map((action) => renderActionForm(page, action))}
  </section>`
}

// The sections of the console, in the order in which the page shows them.
interface Section {
  name: SectionName
  title: string
  render?: (view: ConsoleView) => Content
  // Shown below the buttons.
  renderBelow?: (view: ConsoleView) => Content
}

const sections: readonly Section[] = [
  {name: 'time', title: 'Clock and queue', render: renderClock, renderBelow: renderQueue},
  {name: 'customers', title: 'Customers'},
  {name: 'accounts', title: 'Accounts and balances'},
  {name: 'transactions', title: 'Transactions'},
  {
    name: 'webhooks',
    title: 'Webhooks and deliveries',
    render: (view) => [renderEndpoints(view), renderDeliveries(view)],
  },
  {name: 'faults', title: 'Faults and behaviours', render: (view) => [renderBehaviours(view), renderFaults(view)]},
  {name: 'snapshots', title: 'Snapshots and reset', render: renderSnapshots},
  // Rendered with the page, because its content never changes.
  {name: 'magic', title: 'Magic values'},
]

// The console as one page: a head with what was done, the sections, and in each the forms of what can be done there.
import type {MagicValue} from '../customers/magic-values.ts'
import type {Reply} from '../http/reply.ts'
import {attributes, type Content, html, type Html} from '../pages/html.ts'
import {pageReply} from '../pages/page.ts'
import type {TableDifference} from '../snapshots/difference.ts'
import type {Action} from './action.ts'
import {actions, idOf, sureName} from './actions.ts'
import {type Given, renderField} from './fields.ts'
import {type Section, sections, type Shown} from './sections.ts'
import {actionAddress, code, hidden, table} from './table.ts'

export interface Said {
  // What was done, or why it was not.
  text: string
  isRefusal?: boolean
  // The action that was refused, with what was given, so that nothing that was typed is lost.
  action?: Action
  given?: Given
}

export interface ConsolePage extends Shown {
  said?: Said | undefined
  difference?: {since: string; tables: readonly TableDifference[]} | undefined
  magic: readonly MagicValue[]
  status?: number
}

const presets = ['1m', '1h', '1d', '7d']

// Each of these buttons is a whole answer to the question how long.
const presetButtons = ({desk}: Shown, action: Action) =>
  html`<form method="post" action="${actionAddress(idOf(action), desk.chosen)}" class="presets" data-action>
    ${hidden('csrf', desk.csrf)}${presets.map(
      (duration) =>
        html`<button${attributes({name: 'duration', value: duration, id: `advance-${duration}`})}>+${duration}</button>`,
    )}
  </form>`

const sureBox = (id: string, text: string) =>
  html`<div class="box">
    <label class="tick" for="${id}-sure"
      ><input${attributes({type: 'checkbox', id: `${id}-sure`, name: sureName, value: 'yes', required: true})} />
      ${text}</label
    >
  </div>`

function actionForm({desk, said}: ConsolePage, action: Action): Html {
  const id = idOf(action)
  const {chosen} = desk
  const refused = said?.action === action ? said.given : undefined
  const form = html`<form id="${id}" method="post" action="${actionAddress(id, chosen)}" class="act" data-action>
    ${hidden('csrf', desk.csrf)}${action.fields.map((field) =>
      renderField(field, id, refused?.[field.name] ?? (field.from && chosen[field.from])),
    )}${action.sure && sureBox(id, action.sure)}
    <div class="box"><button class="plain">${action.submit}</button></div>
  </form>`
  if (action.fields.length === 0) return form
  const isOpen = refused !== undefined || action.fields.some(({from}) => from && chosen[from] !== undefined)
  return html`<details class="act" ${attributes({open: isOpen, id: `${id}-details`})}>
    <summary>${action.submit}: <span class="command">svc sandbox ${action.command}</span></summary>
    ${form}
  </details>`
}

const atOnceButton = ({desk}: Shown, action: Action, label: string) =>
  html`<form method="post" action="${actionAddress(idOf(action), desk.chosen)}" data-action>
    ${hidden('csrf', desk.csrf)}<button class="plain">${label}</button>
  </form>`

// Buttons first, and then what asks for more.
function formsOf(page: ConsolePage, {name}: Section): Content {
  const here = actions.filter(({section}) => section === name)
  const buttons = here.flatMap((action) => [
    action.command === 'clock advance' && presetButtons(page, action),
    action.fields.length === 0 && actionForm(page, action),
    action.atOnce !== undefined && atOnceButton(page, action, action.atOnce),
  ])
  const asking = here.filter(({fields}) => fields.length > 0).map((action) => actionForm(page, action))
  return [buttons.some(Boolean) && html`<div class="row">${buttons}</div>`, asking]
}

const differenceOf = ({difference}: ConsolePage): Content =>
  difference &&
  table({
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

const magicOf = ({magic}: ConsolePage): Html =>
  html`<details>
    <summary>What to type into which field to get which outcome</summary>
    ${table({
      id: 'magic-table',
      caption: 'Magic values',
      headers: ['Value', 'Field', 'Effect'],
      rows: magic.map(({value, field, effect}) => [code(value), field, effect]),
      empty: 'There are none.',
    })}
  </details>`

const sectionOf = (page: ConsolePage, section: Section) =>
  html`<section class="card" id="${section.name}" aria-labelledby="${section.name}-title">
    <h2 id="${section.name}-title">${section.title}</h2>
    ${section.parts(page)} ${section.name === 'copies' && differenceOf(page)}
    ${section.name === 'magic' && magicOf(page)} ${formsOf(page, section)} ${section.below?.(page)}
  </section> `

// The place is there always, so that a screen reader hears what comes into it.
const saidOf = ({said}: ConsolePage) =>
  html`<div id="said" role="status" ${attributes({class: said && (said.isRefusal ? 'said refusal' : 'said')})}>
    ${said && html`<p>${said.isRefusal && html`<strong>Not done:</strong> `}${said.text}</p>`}
  </div>`

export function consolePage(page: ConsolePage): Reply {
  const title = page.said?.isRefusal ? 'Not done: the sandbox' : 'The sandbox'
  const body = html`<a class="skip" href="#time">Skip to the clock</a>
    <header class="site wide">
      <p>
        <strong>Sandbox</strong>: nothing here is real. <span id="line">Load the page again to see what is new.</span>
      </p>
    </header>
    <main id="main" class="console">
      <h1>The sandbox</h1>
      <nav aria-label="Sections">${sections.map(({name, title: words}) => html`<a href="#${name}">${words}</a> `)}</nav>
      ${saidOf(page)} ${sections.map((section) => sectionOf(page, section))}
    </main>`
  return pageReply({title, body, script: 'console.js', style: 'console.css'}, {status: page.status ?? 200})
}

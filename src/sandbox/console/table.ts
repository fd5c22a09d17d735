// Renders the tables, buttons and links of the console's sections.
import {dayMs, hourMs, minuteMs, secondMs} from '../../values/time.ts'
import {type Content, type Html, attributes, html} from '../../web/html.ts'
import {renderTable as renderItems} from '../../web/parts.ts'
import type {RequestContext} from '../service/request-context.ts'
import {type ConsoleState, type Selection, rowsMax} from './state.ts'

export {renderStatus} from '../../web/format.ts'

// What every form of the console needs.
interface FormContext {
  csrf: string
  selection: Selection
  // The page to return to after an action, if it is not that of the controls.
  from?: string | undefined
}

const controlsName = 'sandbox'
export const controlsPath = `/console/${controlsName}`

export function toSearch(parameters: Readonly<Record<string, string | undefined>>): string {
  const present = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined)
  const search = new URLSearchParams(present).toString()
  return search && `?${search}`
}

// Addresses are relative: the controls and the pages of items are all in the folder of the actions.
export const toConsoleUrl = (parameters: Readonly<Record<string, string | undefined>>, section = '') =>
  controlsName + toSearch(parameters) + (section && `#${section}`)

// Keeps the selection. `from` is the page to return to, if it is not that of the controls.
export const toActionUrl = (actionId: string, selection: Selection, from?: string) =>
  actionId + toSearch({...selection, from})

export const renderHiddenInput = (name: string, value: string) =>
  html`<input${attributes({type: 'hidden', name, value})} />`

// A button that acts on the item of its row. Its id lets the script restore the focus after a refresh.
export function renderRowButton(
  {csrf, selection}: FormContext,
  actionId: string,
  {name, value, label, about}: {name: string; value: string; label: string; about: string},
): Html {
  return html`<form method="post" action="${toActionUrl(actionId, selection)}" data-action>
    ${renderHiddenInput('csrf', csrf)}${renderHiddenInput(name, value)}<button
      class="small plain"
      id="${actionId}-${value}"
    >
      ${label}<span class="unseen"> ${about}</span>
    </button>
  </form>`
}

const formatTime = (iso: string) => iso.replace('T', ' ').replace(/(\.\d+)?Z$/, '')

// In UTC, by the sandbox's clock.
export function renderTime(instant: string | number | undefined): Content {
  if (instant === undefined) return ''
  const iso = typeof instant === 'number' ? new Date(instant).toISOString() : instant
  return html`<time datetime="${iso}">${formatTime(iso)}</time>`
}

interface Table {
  id: string
  caption: string
  headers: readonly string[]
  rows: readonly (readonly Content[])[]
  // Shown if there are no rows.
  empty: string
}

export const renderTable = ({id, caption, headers, rows, empty}: Table): Html =>
  renderItems({
    id,
    caption,
    columns: headers.map((header, index) => ({header, render: (cells: readonly Content[]) => cells[index]})),
    items: rows,
    empty,
  })

// What the sections of the console share: their input, and how durations and captions are written.
export interface ConsoleView {
  context: RequestContext
  state: ConsoleState
  forms: FormContext
}

// In the largest unit that fits, rounded up.
export function formatRoundedUp(ms: number): string {
  const [size, unit] =
    ms >= dayMs ? [dayMs, 'd'] : ms >= hourMs ? [hourMs, 'h'] : ms >= minuteMs ? [minuteMs, 'min'] : [secondMs, 's']
  return `${Math.ceil(ms / size)} ${unit}`
}

export const formatDistance = (ms: number) => (ms <= 0 ? 'due' : `in ${formatRoundedUp(ms)}`)

export const describeNewest = (what: string) => `The newest ${rowsMax} ${what}`

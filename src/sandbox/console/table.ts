// Tables and buttons of the console: the pieces of which its sections are made.
import {attributes, type Content, html, type Html} from '../pages/html.ts'
import type {Selection} from './state.ts'

// What every form carries, and where the page comes back to.
export interface FormContext {
  csrf: string
  chosen: Selection
}

const root = '/'
const actionsFolder = '/console/'

function toSearch(parameters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined)
  const search = new URLSearchParams(given).toString()
  return search && `?${search}`
}

export const toConsoleUrl = (parameters: Readonly<Record<string, string | undefined>>, section = '') =>
  root + toSearch(parameters) + (section && `#${section}`)

// What was chosen stays chosen.
export const toActionUrl = (actionId: string, chosen: Selection) => actionsFolder + actionId + toSearch({...chosen})

export const renderHiddenInput = (name: string, value: string) =>
  html`<input${attributes({type: 'hidden', name, value})} />`

// A button in a row, which does something to what the row is about. Its id brings the focus back after a refresh.
export function renderRowButton(
  {csrf, chosen}: FormContext,
  actionId: string,
  {name, value, label, about}: {name: string; value: string; label: string; about: string},
): Html {
  return html`<form method="post" action="${toActionUrl(actionId, chosen)}" data-action>
    ${renderHiddenInput('csrf', csrf)}${renderHiddenInput(name, value)}<button
      class="small plain"
      id="${actionId}-${value}"
    >
      ${label}<span class="unseen"> ${about}</span>
    </button>
  </form>`
}

const plainTime = (iso: string) => iso.replace('T', ' ').replace(/(\.\d+)?Z$/, '')

// In the time of the sandbox, which is UTC as everything there.
export function renderTime(instant: string | number | undefined): Content {
  if (instant === undefined) return ''
  const iso = typeof instant === 'number' ? new Date(instant).toISOString() : instant
  return html`<time datetime="${iso}">${plainTime(iso)}</time>`
}

const goodStatuses = new Set(['ACTIVE', 'COMPLETED', 'DELIVERED', 'ENABLED'])
const badStatuses = new Set(['REJECTED', 'DEACTIVATED', 'FAILED', 'CANCELLED', 'EXPIRED', 'DISABLED'])

export const renderStatus = (status: string) =>
  html`<span class="mark ${goodStatuses.has(status) ? 'good' : badStatuses.has(status) ? 'bad' : ''}">${status}</span>`

export const renderCode = (text: string) => html`<code>${text}</code>`

export interface Table {
  // The id of its part of the page, and what it is called.
  id: string
  caption: string
  headers: readonly string[]
  rows: readonly (readonly Content[])[]
  // What stands there instead of no rows.
  empty: string
}

const renderRow = (cells: readonly Content[]) => {
  const [first, ...others] = cells
  return html`<tr>
    <th scope="row">${first}</th>
    ${others.map((cell) => html`<td>${cell}</td>`)}
  </tr> `
}

// The frame scrolls and stays; what is within is live.
export function renderTable({id, caption, headers, rows, empty}: Table): Html {
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0">
    <div id="${id}" data-live>
      ${
        rows.length === 0
          ? html`<p class="none">${empty}</p>`
          : html`<table>
              <caption class="unseen">
                ${caption}
              </caption>
              <thead>
                <tr>
                  ${headers.map((header) => html`<th scope="col">${header}</th> `)}
                </tr>
              </thead>
              <tbody>
                ${rows.map(renderRow)}
              </tbody>
            </table>`
      }
    </div>
  </div>`
}

// One page with every part that the pages of svc are made of, for people who change them: `npm run kit` writes it to a file and says where.
import fs from 'node:fs'
import path from 'node:path'
import {Big} from 'big.js'
import {renderStatus} from '../src/web/format.ts'
import {type Html, html} from '../src/web/html.ts'
import {renderServedPage} from '../src/web/page.ts'
import {renderCard, renderFacts, renderFailure, renderFigure, renderTable, renderTimeline} from '../src/web/parts.ts'
import {renderBarChart, renderBars, renderLineChart} from '../src/web/render-chart.ts'
import {consoleStylesheet} from '../src/web/stylesheet.ts'

const days = ['2026-11-02', '2026-11-03', '2026-11-04', '2026-11-05']
const amounts = ['120.50', '80', '0', '240.25']

const colours = [
  'ink',
  'soft',
  'accent',
  'error',
  'notice',
  'part-0',
  'part-1',
  'edge',
  'line',
  'wash',
  'card',
  'ground',
]
const sizes = ['small', 'note', '', 'title', 'large', 'head'].map((name) => (name === '' ? 'text' : `text-${name}`))

const table = renderTable({
  id: 'table',
  caption: 'Payees',
  columns: [
    {header: 'Payee', render: ({name}) => name},
    {header: 'Status', render: ({status}) => renderStatus(status), isShort: true},
    {header: 'Received', render: ({received}) => received, isNumber: true},
  ],
  items: [
    {name: 'Zoë Ångström, Prairie Mutual Bank ****2169', status: 'COMPLETED', received: '1,492.08 USD'},
    {name: 'Mateo Quiroga, Nordhafen Bank AG ****7339', status: 'FAILED', received: ''},
    {name: 'Fjordlys Havbruk AS, Tidewater Credit Union ****6047', status: 'PENDING', received: '870.06 CAD'},
  ],
  empty: '',
})

const charts = html`<div class="grid">
  ${renderCard(
    'Columns',
    renderBarChart(
      {id: 'columns', summary: 'What was paid', unit: 'USDC'},
      days.map((label, index) => ({label, parts: [{name: 'Paid', value: new Big(amounts[index] ?? '0')}]})),
    ),
  )}
  ${renderCard(
    'A line',
    renderLineChart(
      {id: 'line', summary: 'A rate', unit: 'USDC to EUR'},
      days.map((label, index) => ({label, atMs: index, value: new Big('0.92').plus(index / 1000)})),
    ),
  )}
  ${renderCard(
    'Bars',
    renderBars('bars', [
      {label: 'Registered', value: 24, text: html`<strong>24</strong>`},
      {label: 'Approved', value: 13, tone: 'good', text: html`<strong>13</strong>`},
      {label: 'Rejected', value: 2, tone: 'bad', text: html`<strong>2</strong>`},
    ]),
  )}
</div>`

const field = html`<div class="field">
    <label for="name">Name <span class="optional">(optional)</span></label>
    <p class="hint" id="name-hint">As it is written in the passport.</p>
    <input type="text" id="name" aria-describedby="name-hint" />
  </div>
  <p><button>Save</button> <button class="plain">Go back</button></p>`

const states = html`<p>${['ACTIVE', 'PENDING', 'REJECTED', 'CREATED'].map((status) => renderStatus(status))}</p>
  ${renderFacts([
    ['Customer', 'Zoë Ångström'],
    ['Rate', '1 USDC is 0.9235 EUR'],
  ])}`

const renderParts = (): Html =>
  html`<main class="console">
    <div class="head"><h1>The parts of the pages</h1></div>
    <div class="columns three">
      ${renderFigure('One figure', '4,806.14 USDC', ['8 payments. Fees 24.55 USDC, which is 0.51 % of it.'])}
      ${renderCard('Sizes', html`${sizes.map((name) => html`<p class="kit-${name}">${name}</p>`)}`)}
      ${renderCard('Colours', html`${colours.map((name) => html`<p><i class="kit-${name}"></i> ${name}</p>`)}`)}
    </div>
    ${renderCard('One table', table, {note: 'On a narrow screen, each row is a card.'})} ${charts}
    <div class="grid">
      ${renderCard('One form field, and buttons', field)} ${renderCard('Statuses and facts', states)}
      ${renderCard(
        'A timeline',
        renderTimeline(
          'timeline',
          [
            {at: '2026-11-02T12:00:00Z', what: 'Created'},
            {at: '2026-11-02T12:01:05Z', what: 'Completed', tone: 'good', detail: '99.88 USDC arrived'},
          ],
          '',
        ),
      )}
      ${renderCard('Nothing there', renderTable({id: 'none', caption: '', columns: [], items: [], empty: 'There are no payments yet.'}))}
      ${renderCard('Something failed', renderFailure('The service did not answer. Reload the page to try again.'))}
    </div>
  </main>`

// The samples of sizes and colours exist on this page alone.
const samples = [
  ...sizes.map((name) => `.kit-${name} { font-size: var(--${name}); margin: 0; }`),
  ...colours.map(
    (name) =>
      `i.kit-${name} { display: inline-block; width: 2.5rem; height: 1rem; vertical-align: -0.15rem; background: var(--${name}); border: 1px solid var(--edge); }`,
  ),
].join('\n')

export const renderKit = (): string =>
  renderServedPage({title: 'The parts of the pages', stylesheet: 'kit.css', body: renderParts()}).replace(
    '<link rel="stylesheet" href="kit.css" />',
    () => `<style>${consoleStylesheet}${samples}</style>`,
  )

if (import.meta.main) {
  const file = path.join(import.meta.dirname, '../node_modules/.cache/kit.html')
  fs.mkdirSync(path.dirname(file), {recursive: true})
  fs.writeFileSync(file, renderKit())
  process.stdout.write(`The parts of the pages are in ${path.relative(process.cwd(), file)}.\n`)
}

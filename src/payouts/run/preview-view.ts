// The rows of a file as a table, before they are paid, with what is new and unusual below it.
import type {Painter} from '../../cli/output/colour.ts'
import {wrapMessage} from '../../cli/output/streams.ts'
import {renderTable} from '../../cli/output/table.ts'
import type {Column} from '../../cli/output/view.ts'
import {describeArrival} from '../../values/money.ts'
import {countNoun} from '../../values/text.ts'
import {type PreviewRow, choosePreviewed} from './preview.ts'
import {describeLines} from './result.ts'

const describePayee = ({payee, result}: PreviewRow) =>
  [payee?.name, payee?.bank].filter(Boolean).join(', ') || result.destination

const describeMarks = ({isNew, remarks}: PreviewRow) =>
  [isNew ? 'new' : '', remarks.length > 0 ? '!' : ''].filter((mark) => mark !== '').join(' ')

// The totals say that an estimate is not guaranteed.
function describeArriving({result: {received, receivedCurrency, guaranteed}}: PreviewRow): string {
  if (received === undefined) return 'not known'
  const money = `${received} ${receivedCurrency}`
  return guaranteed ? describeArrival(money, true) : `about ${money}`
}

const columns: ReadonlyArray<Column<PreviewRow>> = [
  {name: 'line', header: 'LINE', value: ({result}) => result.line, rank: 0, kind: 'number'},
  {
    name: 'payee',
    header: 'PAYEE',
    value: describePayee,
    rank: 0,
    kind: 'sentence',
  },
  {name: 'mark', header: '', value: describeMarks, rank: 0},
  {
    name: 'amount',
    header: 'AMOUNT',
    value: ({result}) => `${result.amount} ${result.currency}`,
    rank: 0,
    kind: 'number',
  },
  {
    name: 'fee',
    header: 'FEE',
    value: ({result}) => result.fee && `${result.fee} ${result.currency}`,
    rank: 0,
    kind: 'number',
  },
  {name: 'arrives', header: 'ARRIVES', value: describeArriving, rank: 0, kind: 'number'},
  {name: 'key', header: 'KEY', value: ({result}) => result.key, rank: 3, kind: 'text'},
  {name: 'note', header: 'NOTE', value: ({result}) => result.note, rank: 4, kind: 'text'},
]

// Keys and notes leave the payees too little room on a narrower terminal.
const widthOfAllMin = 110

function chooseColumns(rows: readonly PreviewRow[], width = widthOfAllMin) {
  const filled = columns.filter(({value}) => rows.some((row) => (value(row) ?? '') !== ''))
  const isShown = ({rank}: Column<PreviewRow>) => rank === 0 || width >= widthOfAllMin
  const hidden = filled.filter((column) => !isShown(column))
  return {shown: filled.filter(isShown), hidden: hidden.map(({header}) => header)}
}

const labelWidth = 13

const renderFact = (label: string, lines: readonly string[]): string =>
  lines.map((line, index) => `${(index === 0 ? label : '').padEnd(labelWidth)}${line}\n`).join('')

// For a dry run: the rows that would be paid, and after them what a run says of all rows.
export function renderPricedRows(preview: readonly PreviewRow[], style: PreviewStyle): string {
  if (preview.length === 0) return ''
  const facts = [renderFact('New payees', describeNew(preview)), renderFact('Unusual', describeUnusual(preview))].join(
    '',
  )
  return [renderPreview(preview, style), facts]
    .filter((part) => part !== '')
    .map((part) => `${part}\n`)
    .join('')
}

export interface PreviewStyle {
  painter: Painter
  // Undefined if nothing is narrowed.
  width: number | undefined
  isAll: boolean
}

export function renderPreview(rows: readonly PreviewRow[], {painter, width, isAll}: PreviewStyle): string {
  const shown = choosePreviewed(rows, isAll)
  const chosen = chooseColumns(shown, width)
  const {text} = renderTable(shown, chosen.shown, painter, width)
  const remarks = [
    ...(chosen.hidden.length === 0
      ? []
      : [`No room for ${chosen.hidden.join(' and ')}: widen the terminal to ${widthOfAllMin} columns.`]),
    ...(shown.length === rows.length
      ? []
      : [
          `Shown are ${shown.length} of ${countNoun(rows.length, 'row')}: the largest, the new and the unusual. --all shows every row.`,
        ]),
  ]
  return [text, ...remarks.map((remark) => `${wrapMessage(remark, width)}\n`)].join('')
}

// Such as: 2 (lines 4, 6)
export const describeNew = (rows: readonly PreviewRow[]): string[] => {
  const found = rows.filter(({isNew}) => isNew).map(({result}) => result)
  if (found.length === 0) return []
  return [
    found.length === rows.length && found.length > 1 ? 'all: this journal has never paid them' : describeLines(found),
  ]
}

// One line for each row that has something unusual.
export const describeUnusual = (rows: readonly PreviewRow[]): string[] =>
  rows
    .filter(({remarks}) => remarks.length > 0)
    .map(({result, remarks}) => `line ${result.line}: ${remarks.join('; ')}`)

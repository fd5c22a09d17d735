// Lays out the lines of a table with cells that are wrapped or cut. The build keeps it in a file of its own, because most
// tables do without it.
import Table from 'cli-table3'
import {type SizedColumn, gap, measureWidest} from './fit-columns.ts'

const noBorders = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: ' '.repeat(gap),
}

// The time that cli-table3 takes grows with the square of the rows, so it gets a part of them at a time.
const rowsAtOnce = 200

export function layOutLines<T>(lines: string[][], fit: ReadonlyArray<SizedColumn<T>>): string {
  // A word that is wider than the last column is shown in full; the terminal breaks its line.
  const widths = fit.map(({column, width, isLast}, index) =>
    column.wraps && isLast
      ? measureWidest([' '.repeat(width), ...lines.flatMap((row) => row[index]?.split('\n') ?? [])])
      : width,
  )
  let text = ''
  for (let start = 0; start < lines.length; start += rowsAtOnce) {
    const table = new Table({
      chars: noBorders,
      style: {head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true},
      colWidths: widths,
      colAligns: fit.map(({column}) => column.align ?? 'left'),
    })
    table.push(...lines.slice(start, start + rowsAtOnce))
    for (const line of table.toString().split('\n')) text += `${line.trimEnd()}\n`
  }
  return text
}

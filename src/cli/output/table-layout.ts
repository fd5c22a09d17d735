// Lays out the lines of a table with cells that are wrapped or cut. The build keeps it in a file of its own, because most
// tables do without it.
import Table from 'cli-table3'

const borders = 'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right'.split(' ')
const noBorders = [...borders, 'left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid'].map((name) => [name, ''])

// The time that cli-table3 takes grows with the square of the rows, so it gets a part of them at a time.
const rowsAtOnce = 200

export interface CellLayout {
  width: number
  isNumber: boolean
}

export function layOutLines(lines: string[][], columns: readonly CellLayout[], gap: string): string {
  let text = ''
  for (let start = 0; start < lines.length; start += rowsAtOnce) {
    const table = new Table({
      chars: {...Object.fromEntries(noBorders), middle: gap},
      style: {head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true},
      colWidths: columns.map(({width}) => width),
      colAligns: columns.map(({isNumber}) => (isNumber ? 'right' : 'left')),
    })
    table.push(...lines.slice(start, start + rowsAtOnce))
    for (const line of table.toString().split('\n')) text += `${line.trimEnd()}\n`
  }
  return text
}

// Lays out a table of a page, whose cells are whole sentences: the widest columns become narrower, and their text wraps.
import stringWidth from 'string-width'
import {wrapWords} from '../output/wrap-text.ts'

const gap = 2
const columnWidthMin = 12

const printableAscii = /^[ -~]*$/
const measure = (text: string) => (printableAscii.test(text) ? text.length : stringWidth(text))

function fitWidths(natural: readonly number[], widthMax: number): number[] {
  const widths = [...natural]
  let excess = widths.reduce((sum, width) => sum + width, gap * (widths.length - 1)) - widthMax
  for (; excess > 0; excess--) {
    const widest = Math.max(...widths)
    if (widest <= columnWidthMin) break
    widths[widths.indexOf(widest)] = widest - 1
  }
  return widths
}

// A word that is wider than its column moves the rest of its line; it is never broken.
function renderRow(cells: readonly string[], widths: readonly number[]): string {
  const wrapped = cells.map((cell, index) => wrapWords(cell, widths[index] ?? columnWidthMin))
  const height = Math.max(...wrapped.map((lines) => lines.length))
  let text = ''
  for (let line = 0; line < height; line++) {
    const parts = wrapped.map((lines, index) => {
      const part = lines[line] ?? ''
      return part + ' '.repeat(Math.max(0, (widths[index] ?? 0) - measure(part)))
    })
    text += `${parts.join(' '.repeat(gap)).trimEnd()}\n`
  }
  return text
}

export function renderDocsTable(rows: ReadonlyArray<readonly string[]>, widthMax: number): string {
  const count = Math.max(...rows.map((row) => row.length))
  const natural = Array.from({length: count}, (_, index) =>
    Math.max(1, ...rows.map((row) => measure(row[index] ?? ''))),
  )
  const widths = fitWidths(natural, widthMax)
  return rows.map((row) => renderRow(row, widths)).join('')
}

// Breaks text into lines of a given width, between words.
import {wrapAnsi} from 'fast-wrap-ansi'

// Words of printable ASCII and quotation marks with one space between them: each character takes one column. Help is made
// of such text, and to measure it by the rules of Unicode takes ten times as long.
const plainText = /^[!-~‘-”]+(?: [!-~‘-”]+)*$/

function wrapPlain(text: string, width: number): string[] {
  const lines: string[] = []
  let start = 0
  let end = -1
  for (let at = text.indexOf(' '); ; at = text.indexOf(' ', at + 1)) {
    const wordEnd = at === -1 ? text.length : at
    // The word does not fit behind what is on the line.
    if (end !== -1 && wordEnd - start > width) {
      lines.push(text.slice(start, end))
      start = end + 1
    }
    end = wordEnd
    if (at === -1) return [...lines, text.slice(start)]
  }
}

// A word that is wider than a line is cut, for screens that are drawn again.
export function wrapText(text: string, width: number): string[] {
  if (text.length <= width && plainText.test(text)) return [text]
  return wrapAnsi(text, width, {hard: true}).split('\n')
}

// A word that is wider than a line is never cut, so that it can be copied.
export const wrapWords = (text: string, width: number): string[] =>
  plainText.test(text) ? wrapPlain(text, width) : wrapAnsi(text, width).split('\n')

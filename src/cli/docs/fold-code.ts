// Fits the lines of a code block into a terminal without breaking what is meant to be copied: a command continues after a
// backslash, its explanation and a message of svc are wrapped between words, and every other line stays whole.
import stringWidth from 'string-width'
import {wrapWords} from '../output/wrap-text.ts'

const indentMax = 4
const continuation = ' \\'
const hangingIndent = '    '
// Beside a command there must be room for a few words of its explanation.
const explanationWidthMin = 24

const explained = /^((?:\$ )?(?:svc|export) .*?\S|\S.*?\S(?= +# ))( {2,}| +(?=# ))(\S.*)$/
const command = /^(?:\$ )?svc /
const message = /^svc: /

// Indented as far as the longest line that stays whole allows.
export function foldCode(lines: readonly string[], width: number): string[] {
  const whole = lines.filter((line) => foldLine(line, width - indentMax).length === 1).map((line) => stringWidth(line))
  const longest = Math.max(0, ...whole.filter((each) => each <= width))
  const indent = ' '.repeat(Math.min(indentMax, width - longest))
  return lines.flatMap((line) => foldLine(line, width - indent.length)).map((line) => `${indent}${line}`.trimEnd())
}

// Spaces in quotes are part of a command, and do not end it.
const endsInQuotes = (code: string) => code.split("'").length % 2 === 0

function foldLine(line: string, width: number): string[] {
  if (stringWidth(line) <= width) return [line]
  if (message.test(line)) return wrapWords(line, width)
  const [, code = '', gap = '', explanation = ''] = explained.exec(line) ?? []
  if (explanation !== '' && !endsInQuotes(code)) return foldExplained({code, gap, explanation}, width)
  return command.test(line) ? foldCommand(line, width) : [line]
}

// The explanation keeps its column, or stands below the command if that leaves too little room.
function foldExplained(
  {code, gap, explanation}: Record<'code' | 'gap' | 'explanation', string>,
  width: number,
): string[] {
  const column = stringWidth(code) + gap.length
  const isBeside = width - column >= explanationWidthMin
  const margin = isBeside ? ' '.repeat(column) : hangingIndent
  const mark = explanation.startsWith('# ') ? '# ' : ''
  const room = width - margin.length - mark.length
  const shown = wrapWords(explanation.slice(mark.length), room).map((each) => `${mark}${each}`)
  if (!isBeside) return [...foldCommand(code, width), ...shown.map((each) => `${margin}${each}`)]
  return shown.map((each, index) => (index === 0 ? `${code}${gap}${each}` : `${margin}${each}`))
}

// Words in quotes are one word, and so are a flag and its value.
const splitWords = (line: string) =>
  (line.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []).reduce<string[]>((words, word) => {
    const last = words.at(-1) ?? ''
    if (/^--?\w\S*$/.test(last) && /^[^-|;&<>]/.test(word)) words[words.length - 1] = `${last} ${word}`
    else words.push(word)
    return words
  }, [])

// A word that is wider than the terminal stays whole.
function foldCommand(line: string, width: number): string[] {
  const [first = '', ...words] = splitWords(line)
  const lines = [first]
  for (const word of words) {
    const longer = `${lines.at(-1)} ${word}`
    if (stringWidth(longer) + continuation.length <= width) lines[lines.length - 1] = longer
    else lines.push(`${hangingIndent}${word}`)
  }
  return lines.map((each, index) => (index < lines.length - 1 ? `${each}${continuation}` : each))
}

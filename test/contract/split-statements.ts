// Splits the description of the interface into its statements: one per row of a table, and one per sentence or clause.

export interface Statement {
  section: string
  text: string
}

const isSeparator = (line: string) => /^\|[-|\s]+\|$/.test(line)

// A table cell cannot contain a bar, so the cells of a row are joined by another sign.
const joinCells = (line: string) =>
  line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim())
    .filter((cell) => cell !== '')
    .join(' · ')

// Ends of sentences and clauses count only outside of parentheses.
function splitClauses(line: string): string[] {
  const parts: string[] = []
  let depth = 0
  let start = 0
  for (let index = 0; index < line.length; index++) {
    const sign = line.charAt(index)
    if (sign === '(') depth++
    if (sign === ')') depth--
    if (depth > 0 || !'.;'.includes(sign) || line[index + 1] !== ' ') continue
    parts.push(line.slice(start, index + 1))
    start = index + 2
  }
  return [...parts, line.slice(start)]
}

const splitSentences = (line: string): string[] =>
  splitClauses(line.replace(/^\s*(?:\d+\.|-)\s+/, ''))
    .map((part) => part.trim())
    // What only announces a table or a list states nothing.
    .filter((part) => part !== '' && !/^[\w ]+:$/.test(part))

export function splitStatements(text: string): Statement[] {
  const lines = text.split('\n')
  let section = ''
  return lines.flatMap((line, index): Statement[] => {
    if (line.startsWith('#')) section = line.replace(/^#+\s*/, '')
    const isHeader = isSeparator(lines[index + 1] ?? '')
    if (line.startsWith('#') || line.trim() === '' || isSeparator(line) || isHeader) return []
    const parts = line.startsWith('|') ? [joinCells(line)] : splitSentences(line)
    return parts.map((part) => ({section, text: part}))
  })
}

// Writes text for man: roff gives a meaning to dots at the start of a line, to backslashes, hyphens and quotes.

// What groff and mandoc would print as another character, or not at all. A hyphen becomes a minus sign that can be copied.
const characters: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '"': '\\(dq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
}

const toUnicode = (character: string) =>
  `\\[u${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`

// Text that is not at the start of a line.
const escapeInside = (text: string) =>
  text.replace(/[\\'"`^~-]|[^\t\n -~]/gu, (found) => characters[found] ?? toUnicode(found))

// A line of text. A dot at its start would be a request.
export const escapeLine = (line: string) => escapeInside(line).replace(/^(?=\.)/, '\\&')

export const bold = (text: string) => `\\fB${escapeInside(text)}\\fR`
export const italic = (text: string) => `\\fI${escapeInside(text)}\\fR`

const sourceWidthMax = 80

// Breaks text between words, since tools for man pages expect short lines. A line may then start with a dot.
function breakSource(text: string): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > sourceWidthMax) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line].map((each) => each.replace(/^(?=\.)/, '\\&')).join('\n')
}

// Text with commands in backquotes, which are printed in bold. Lines of the source are paragraphs.
export function renderProse(text: string): string {
  return text
    .split(/\n+/)
    .map((paragraph) => {
      const parts = paragraph.split(/`([^`]+)`/)
      return breakSource(parts.map((part, index) => (index % 2 === 1 ? bold(part) : escapeInside(part))).join(''))
    })
    .join('\n.PP\n')
}

export const renderSection = (title: string, body: string) => (body === '' ? '' : `.SH ${title}\n${body}\n`)

// A name in bold or as it is, and what it means, indented.
export const renderEntry = (term: string, text: string) => `.TP\n${term}\n${text === '' ? '\\&' : renderProse(text)}`

export const renderCode = (lines: readonly string[]) =>
  ['.PP', '.RS 4', '.EX', ...lines.map(escapeLine), '.EE', '.RE'].join('\n')

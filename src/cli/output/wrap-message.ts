// Wraps errors and notices at the width of the terminal, between words. What is meant to be copied stays in one piece.

// A command in backquotes, behind a colon or with its variables, or a flag that continues a list. Anything else breaks at
// spaces.
const piece = /(?:`[^`]*`|(?<=: )svc [a-z].*$|(?:SVC_\w+=\S+ )+svc(?: [\w-]+)*|--page-token[ =]\S+|[^\s`])+/g

// East Asian characters and emoji take two columns. Every command loads this file, so it does without a package.
const wide =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE4F\uFF00-\uFF60\uFFE0-\uFFE6]|[\u{10000}-\u{10FFFF}]/gu
const measure = (text: string) => text.replace(wide, '  ').length

// Lines after the first are indented as the first one is. In a pipe there is no width, and nothing is wrapped.
export function wrapMessage(text: string, width: number | undefined): string {
  if (width === undefined || measure(text) <= width) return text
  const indent = /^ */.exec(text)?.[0] ?? ''
  let [lines, line, end] = ['', '', 0]
  for (const match of text.matchAll(piece)) {
    const space = text.slice(end, match.index)
    end = match.index + match[0].length
    const longer = line + space + match[0]
    if (line === '' || measure(longer) <= width) line = longer
    else {
      lines += `${line}\n`
      line = indent + match[0]
    }
  }
  return lines + line
}

// Breaks a shell command over several lines, so that it can still be copied and run.

// Words as the shell sees them. Quoted text is never broken.
export const splitShellWords = (command: string) => command.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []

const joinsNext = /^(--?[a-z][^=]*|[|<>]|&&)$/i

// A flag stays with its value, and a pipe with the command after it.
function splitAtBreaks(command: string): string[] {
  const parts: string[] = []
  let joinNext = false
  for (const word of splitShellWords(command)) {
    if (joinNext && !word.startsWith('-')) parts.push(`${parts.pop()} ${word}`)
    else parts.push(word)
    joinNext = joinsNext.test(word)
  }
  return parts
}

const lineEnd = ' \\'

const indent = '  '

export function breakCommand(command: string, width: number): string[] {
  if (command.length <= width) return [command]
  const lines: string[] = []
  let line = ''
  for (const part of splitAtBreaks(command)) {
    const longer = line === '' ? part : `${line} ${part}`
    if (line !== '' && longer.length + lineEnd.length > width) {
      lines.push(line + lineEnd)
      line = indent + part
    } else line = longer
  }
  return [...lines, line]
}

// Breaks a command of the shell over several lines, such that what is copied from them is still the same command.

// Words as the shell sees them: what stands in quotes is never broken.
export const splitShellWords = (command: string) => command.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []

const joinsNext = /^(--?[a-z][^=]*|[|<>]|&&)$/i

// A flag stays with its value, and what a pipe leads to with the pipe.
function splitAtBreaks(command: string): string[] {
  const whole: string[] = []
  let open = false
  for (const word of splitShellWords(command)) {
    if (open && !word.startsWith('-')) whole.push(`${whole.pop()} ${word}`)
    else whole.push(word)
    open = joinsNext.test(word)
  }
  return whole
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

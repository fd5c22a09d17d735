// Answers a shell that completes a command line: reads what it passes, and writes one line per value.
import {type Candidate, type Completion, type CompletionSource, completeWords} from './complete.ts'

interface Request {
  shell: string
  // The words before the one that is typed, without `svc`.
  words: string[]
  current: string
  // The part of the current word that the shell replaces. Bash starts words behind = and colons too.
  replaced: string
}

const piece = /'([^']*)(?:'|$)|"((?:[^"\\]|\\.)*)(?:"|$)|\\(.?)|([^\s'"\\]+)|(\s+)/gsy

// Splits a line into words as a shell does. The last quote may still be open, since the line is being typed.
export function splitLine(line: string): string[] {
  const words: string[] = []
  let word: string | undefined
  for (const [, single, double, escaped, plain, blank] of line.matchAll(piece)) {
    if (blank === undefined) word = (word ?? '') + (single ?? double ?? escaped ?? plain ?? '')
    else if (word !== undefined) {
      words.push(word)
      word = undefined
    }
  }
  return [...words, word ?? '']
}

// The whole line, with `svc` and variables in front of it.
function readLine(line: string): {words: string[]; current: string} {
  const all = splitLine(line)
  const programAt = all.findIndex((word) => !/^\w+=/.test(word))
  const typed = all.slice(programAt + 1)
  return {words: typed.slice(0, -1), current: typed.at(-1) ?? ''}
}

function readRequest(argv: readonly string[]): Request {
  const end = argv.indexOf('--')
  const options = end === -1 ? argv : argv.slice(0, end)
  const read = (name: string) => options.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3)
  const shell = read('shell') ?? ''
  const line = read('line')
  if (line !== undefined) {
    const {words, current} = readLine(line)
    return {shell, words, current, replaced: (read('word') ?? current).replace(/^['"]/, '')}
  }
  const current = read('current') ?? ''
  return {shell, words: end === -1 ? [] : argv.slice(end + 1), current, replaced: current}
}

// Shells give other characters a meaning.
const plainWord = /^[\w.,:@%+/=-]+$/

// These shells choose from all values themselves: they also find those with other capitals, or with letters left out.
const filteringShells = new Set(['zsh', 'fish'])

const toLine = ({value, description = ''}: Candidate) => `${value}\t${description.replaceAll(/\s+/g, ' ')}`

function renderAnswer(completion: Completion, {shell, current, replaced}: Request): string[] {
  if (completion.kind === 'files') return [`files\t${completion.prefix}`]
  const {prefix, candidates} = completion
  const plain = candidates.filter(({value}) => plainWord.test(value))
  if (filteringShells.has(shell)) return [`values\t${prefix}`, ...plain.map(toLine)]
  const fitting = plain.filter(({value}) => `${prefix}${value}`.startsWith(current))
  if (shell !== 'bash') return [`values\t${prefix}`, ...fitting.map(toLine)]
  const kept = Math.max(0, current.length - replaced.length)
  return [`values\t${prefix}`, ...fitting.map(({value}) => `${prefix}${value}`.slice(kept))]
}

// `argv` is what follows `svc autocomplete complete`.
export async function answerShell(argv: readonly string[], source: CompletionSource): Promise<string> {
  const request = readRequest(argv)
  const completion = await completeWords(request.words, request.current, source)
  return `${renderAnswer(completion, request).join('\n')}\n`
}

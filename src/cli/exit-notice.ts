// What is said when the process is told to stop in the middle of something: what may have happened, and what to do next.
import {getExitCode} from '../errors.ts'
import {toJsonLine} from './output/formats.ts'
import {writeErr} from './output/streams.ts'

export interface ExitNotice {
  // What is known of it, as a sentence without its full stop.
  message: string
  // What to do next, as a sentence of its own.
  hint?: string
}

// Asked at the very end, since only then is it known how far the work has come.
type ExitNoticeSource = () => ExitNotice | undefined

const sources = new Set<ExitNoticeSource>()

// Stands ready until it is told that the work is done.
export function registerExitNotice(words: ExitNoticeSource): () => void {
  sources.add(words)
  return () => sources.delete(words)
}

export async function withExitNotice<T>(words: ExitNoticeSource, work: Promise<T>): Promise<T> {
  const done = registerExitNotice(words)
  try {
    return await work
  } finally {
    done()
  }
}

const errorNames: Readonly<Record<number, string>> = {
  [getExitCode('interrupted')]: 'INTERRUPTED',
  [getExitCode('terminated')]: 'TERMINATED',
}

// Whoever began first speaks for what it began in turn: a payment knows more than the request that it has sent.
function findExitNotice(): ExitNotice | undefined {
  for (const words of sources) {
    const said = words()
    if (said) return said
  }
  return undefined
}

// Only for who is told to stop: whatever ends by itself has said so already.
export function printExitNotice(exitCode: number, isJson: boolean): void {
  const error = errorNames[exitCode]
  const words = error && findExitNotice()
  if (!words) return
  const {message, hint} = words
  if (isJson) writeErr(toJsonLine({error, message: `${message}.`, ...(hint && {hint: `${hint}.`}), exitCode}))
  else writeErr(`${message}.${hint ? ` ${hint}.` : ''}\n`)
}

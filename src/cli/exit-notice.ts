// What is said when the process is told to stop in the middle of something: what may have happened, and what to do next.
import {getExitCode} from '../errors.ts'
import {toJsonLine} from './output/formats.ts'
import {writeErr} from './output/streams.ts'

export interface Words {
  // What is known of it, as a sentence without its full stop.
  message: string
  // What to do next, as a sentence of its own.
  hint?: string
}

// Asked at the very end, since only then is it known how far the work has come.
type LastWords = () => Words | undefined

const speakers = new Set<LastWords>()

// Stands ready until it is told that the work is done.
export function standBy(words: LastWords): () => void {
  speakers.add(words)
  return () => speakers.delete(words)
}

export async function withLastWords<T>(words: LastWords, work: Promise<T>): Promise<T> {
  const done = standBy(words)
  try {
    return await work
  } finally {
    done()
  }
}

const errorsByCode: Readonly<Record<number, string>> = {
  [getExitCode('interrupted')]: 'INTERRUPTED',
  [getExitCode('terminated')]: 'TERMINATED',
}

// Whoever began first speaks for what it began in turn: a payment knows more than the request that it has sent.
function firstWords(): Words | undefined {
  for (const words of speakers) {
    const said = words()
    if (said) return said
  }
  return undefined
}

// Only for who is told to stop: whatever ends by itself has said so already.
export function sayLastWords(exitCode: number, isJson: boolean): void {
  const error = errorsByCode[exitCode]
  const words = error && firstWords()
  if (!words) return
  const {message, hint} = words
  if (isJson) writeErr(toJsonLine({error, message: `${message}.`, ...(hint && {hint: `${hint}.`}), exitCode}))
  else writeErr(`${message}.${hint ? ` ${hint}.` : ''}\n`)
}

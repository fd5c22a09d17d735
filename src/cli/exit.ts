// The end of a command: what svc prints when it is interrupted or terminated in the middle of something, such as a write, work
// that waits until everything is printed, and the wait for a signal to stop.
import {getExitCode} from '../errors.ts'
import {toJsonLine} from './output/formats.ts'
import {getTraits, writeErr, writeErrLines} from './output/streams.ts'

export interface ExitNotice {
  // What is known so far, as a sentence without its full stop.
  message: string
  // What to do next, as a sentence of its own.
  hint?: string
}

// Called when the process exits, because only then is it known how far the work got.
type ExitNoticeSource = () => ExitNotice | undefined

const sources = new Set<ExitNoticeSource>()

// Returns a function that removes the notice again. Call it when the work is done.
export function registerExitNotice(source: ExitNoticeSource): () => void {
  sources.add(source)
  return () => sources.delete(source)
}

// A write whose outcome stays unknown keeps its notice until the command ends, so a command starts by removing all of them:
// one process may run several commands.
export function clearExitNotices(): void {
  sources.clear()
}

let printAtExit: ((exitCode: number) => void) | undefined

// For a command that begins. Its listener replaces that of the command before it, so that one process can run many commands.
export function startExitNotices(isJson: boolean): void {
  clearExitNotices()
  if (printAtExit) process.off('exit', printAtExit)
  printAtExit = (exitCode) => printExitNotice(exitCode, isJson)
  process.once('exit', printAtExit)
}

export async function withExitNotice<T>(source: ExitNoticeSource, work: Promise<T>): Promise<T> {
  const unregister = registerExitNotice(source)
  try {
    return await work
  } finally {
    unregister()
  }
}

const errorNames: Readonly<Record<number, string>> = {
  [getExitCode('interrupted')]: 'INTERRUPTED',
  [getExitCode('terminated')]: 'TERMINATED',
}

// The source that was registered first wins: a payment knows more than the request that it sent.
function findExitNotice(): ExitNotice | undefined {
  for (const source of sources) {
    const notice = source()
    if (notice) return notice
  }
  return undefined
}

// Prints only after a signal. A command that ends by itself has already printed its outcome.
function printExitNotice(exitCode: number, isJson: boolean): void {
  const error = errorNames[exitCode]
  const notice = error && findExitNotice()
  if (!notice) return
  const {message, hint} = notice
  if (isJson) writeErr(toJsonLine({error, message: `${message}.`, ...(hint && {hint: `${hint}.`}), exitCode}))
  else writeErrLines([`${message}.${hint ? ` ${hint}.` : ''}`])
}

// Work that waits until a command has printed everything: it must not hold up what the command is for.
const tasks: Array<() => Promise<void>> = []

export const runAfterOutput = (task: () => Promise<void>): void => void tasks.push(task)

// The command has ended already, so a signal ends only this work, with the exit code of the command.
export async function finishAfterOutput(): Promise<void> {
  if (tasks.length === 0) return
  const end = () => process.exit()
  process.prependListener('SIGINT', end)
  process.prependListener('SIGTERM', end)
  try {
    for (let task = tasks.shift(); task; task = tasks.shift()) await task()
  } finally {
    process.off('SIGINT', end)
    process.off('SIGTERM', end)
  }
}

const stopSignals = ['SIGINT', 'SIGTERM'] as const

// A signal is the normal end of a server or an endless watch, so the listeners that would exit with an error are removed. A second signal ends
// the process at once. With a limit, the wait ends by itself too.
export function waitForStopSignal(limitMs?: number): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      // A terminal shows ^C at the start of the line.
      if (getTraits('stderr').isTTY) writeErr('\n')
      resolve()
    }
    for (const signal of stopSignals) process.removeAllListeners(signal).once(signal, stop)
    // The timer alone does not keep the process running.
    if (limitMs !== undefined) setTimeout(resolve, limitMs).unref()
  })
}

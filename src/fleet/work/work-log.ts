// What a worker says while it works: lines of JSON for a log collector, or sentences for a person. Neither has personal data.
import {SvcError} from '../../errors.ts'
import type {PayoutResult} from '../../payouts/run/result.ts'
import type {BatchRow} from '../batches/batch.ts'

interface RowEvent {
  state: string
  result: PayoutResult
  delayMs?: number | undefined
  tookMs: number
}

export interface WorkLog {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void
  // Something that the worker tries again by itself.
  problem(message: string, error: unknown): void
  row(row: BatchRow, event: RowEvent): void
}

// Messages of the service may name a person; codes do not.
function describeError(error: unknown): Record<string, unknown> {
  if (error instanceof SvcError) return {error: error.error, kind: error.kind}
  if (!(error instanceof Error)) return {error: 'UNEXPECTED'}
  return {error: error.name, ...('problem' in error ? {problem: error.problem} : {message: error.message})}
}

export function createJsonLog(write: (line: string) => void, base: Readonly<Record<string, unknown>>): WorkLog {
  const log = (level: string, message: string, fields: object) =>
    write(JSON.stringify({time: new Date().toISOString(), level, message, ...base, ...fields}))
  return {
    info: (message, fields = {}) => log('info', message, fields),
    problem: (message, error) => log('warn', message, describeError(error)),
    row({batchId, line, key}, {state, result, delayMs, tookMs}) {
      log(state === 'CREATED' || state === 'WAITING' ? 'info' : 'warn', 'row', {
        batch: batchId,
        line,
        key,
        state,
        ...(result.transaction !== undefined && {transaction: result.transaction}),
        ...(result.error && {error: result.error.error}),
        ...(delayMs !== undefined && {retryInMs: delayMs}),
        tookMs: Math.round(tookMs),
      })
    },
  }
}

// A problem is said once, until the worker has found something else to say.
export function createPlainLog(notice: (text: string) => void): WorkLog {
  let last = ''
  const say = (text: string) => {
    if (text !== last) notice(text)
    last = text
  }
  return {
    info: (message) => say(`${message}.`),
    problem(message, error) {
      const {error: code, problem} = describeError(error)
      say(`Trying again: ${message} (${String(problem ?? code)}).`)
    },
    row({line, key, batchId}, {state, result, delayMs}) {
      if (state === 'CREATED' || (delayMs !== undefined && state === 'WAITING')) return
      const reason = result.error ? `: ${result.error.message}` : ''
      const again = delayMs === undefined ? '' : `; tried again in ${Math.round(delayMs / 1000)} s`
      say(`${state}  ${batchId} line ${line}, ${key}${reason}${again}.`)
    },
  }
}

// What a worker counts: for its reports to the fleet, its health, and its metrics.
const rateWindowMs = 10_000

export class WorkStatistics {
  inFlight: () => number = () => 0
  // When the database was last heard of, on the clock of performance.now().
  contactMs = performance.now()
  ended = 0
  retries = 0
  takeovers = 0
  readonly #endedAt: number[] = []

  addEnded(): void {
    this.ended += 1
    this.#endedAt.push(performance.now())
  }

  addRetry(): void {
    this.retries += 1
  }

  addTakeover(): void {
    this.takeovers += 1
  }

  // Over the last seconds.
  computeRate(): number {
    const now = performance.now()
    while (this.#endedAt.length > 0 && now - (this.#endedAt[0] ?? now) > rateWindowMs) this.#endedAt.shift()
    return this.#endedAt.length / (rateWindowMs / 1000)
  }

  // Returns what was counted since the last call.
  #reported = {ended: 0, retries: 0, takeovers: 0}
  drain(): Record<string, number> {
    const {ended, retries, takeovers} = this
    const before = this.#reported
    this.#reported = {ended, retries, takeovers}
    return {rows: ended - before.ended, retries: retries - before.retries, takeovers: takeovers - before.takeovers}
  }
}

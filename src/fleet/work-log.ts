// What a worker says while it works: lines of JSON for a log collector, or sentences for a person. Neither has personal data.
import {SvcError} from '../errors.ts'

// `debug` is what went as it should, which a person need not read.
export type WorkLog = (
  level: 'debug' | 'info' | 'warn',
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void

// Messages of the service may name a person; codes do not.
export function describeError(error: unknown): Record<string, unknown> {
  if (error instanceof SvcError) return {error: error.error, kind: error.kind}
  if (!(error instanceof Error)) return {error: 'UNEXPECTED'}
  return {error: error.name, ...('problem' in error ? {problem: error.problem} : {message: error.message})}
}

export const createJsonLog =
  (write: (line: string) => void): WorkLog =>
  (level, message, fields) =>
    write(JSON.stringify({time: new Date().toISOString(), level, message, pid: process.pid, ...fields}))

// The same is not said twice in a row.
export function createTextLog(notice: (text: string) => void): WorkLog {
  let last = ''
  return (level, message, fields = {}) => {
    const details = Object.entries(fields).map(([name, value]) => `${name} ${String(value)}`)
    const text = `${message}${details.length > 0 ? ` (${details.join(', ')})` : ''}.`
    if (level !== 'debug' && text !== last) notice(text)
    last = text
  }
}

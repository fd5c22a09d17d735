// Reads the CPU time, user and system, that processes have used so far, where the system tells it.
import fs from 'node:fs'

const clockTickMs = 10
// Of the fields that follow the name of the program: those of the process, and those of its children that have ended.
const ownFields = [11, 12]
const endedFields = [13, 14]

function readFields(pid: number | undefined): string[] | undefined {
  try {
    return fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')
  } catch {
    return undefined
  }
}

const sum = (fields: readonly string[], which: readonly number[]) =>
  which.reduce((total, field) => total + Number(fields[field] ?? 0), 0) * clockTickMs

// Of one process alone.
export function readCpuMs(pid: number | undefined): number {
  const fields = readFields(pid)
  return fields ? sum(fields, ownFields) : Number.NaN
}

function listChildren(pid: number): number[] {
  try {
    return fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

// Of a server with a process for each session: its own, those that have ended, and those that are there.
export function readServerCpuMs(pid: number | undefined): number {
  const fields = readFields(pid)
  if (pid === undefined || !fields) return Number.NaN
  const sessions = listChildren(pid).reduce((total, child) => total + sum(readFields(child) ?? [], ownFields), 0)
  return sum(fields, [...ownFields, ...endedFields]) + sessions
}

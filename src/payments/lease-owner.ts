// Who holds a lease: a process, known well enough to tell whether it is gone.
import fs from 'node:fs'
import os from 'node:os'
import {randomUUID} from 'node:crypto'

export interface LeaseOwner {
  host: string
  // The start of the machine and the container in it: process numbers mean something only there. Empty where unknown.
  boot: string
  container: string
  pid: number
  // When the process began, on the clock of its machine: a number that is used again belongs to another process.
  began: string
  // One for each run, since a process may work on several payments at once.
  run: string
}

const stateField = 0
const startField = 19
// A process that has ended and was not yet collected by its parent.
const endedStates = new Set(['Z', 'X'])

function readOrEmpty(read: () => string): string {
  try {
    return read().trim()
  } catch {
    return ''
  }
}

// Linux says when a process began, in ticks since the machine did; elsewhere its number has to be enough.
function readProcessStart(pid: number): {began: string; hasEnded: boolean} {
  const stat = readOrEmpty(() => fs.readFileSync(`/proc/${pid}/stat`, 'utf8'))
  // The name of the program stands in brackets and may hold anything, so the fields are counted from behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return {began: fields[startField] ?? '', hasEnded: endedStates.has(fields[stateField] ?? '')}
}

const describeMachine = () => ({
  host: os.hostname(),
  boot: readOrEmpty(() => fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
  container: readOrEmpty(() => fs.readlinkSync('/proc/self/ns/pid')),
})

export const describeThisProcess = (): LeaseOwner => ({
  ...describeMachine(),
  pid: process.pid,
  began: readProcessStart(process.pid).began,
  run: randomUUID(),
})

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Someone else's process may not be signalled, but it is there.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

// Whether the process of a lease has ended. Of another machine or another container nothing is known.
export function isGone({host, boot, container, pid, began}: LeaseOwner): boolean {
  const here = describeMachine()
  if (host !== here.host) return false
  if (boot !== here.boot) return true
  if (container !== here.container) return false
  if (!isRunning(pid)) return true
  const now = readProcessStart(pid)
  return now.hasEnded || now.began !== began
}

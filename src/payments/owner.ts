// Who holds a lease: a process, known well enough to tell whether it is gone.
import fs from 'node:fs'
import os from 'node:os'
import {randomUUID} from 'node:crypto'

export interface Owner {
  host: string
  pid: number
  // When the process began, on the clock of its machine: a number that is used again belongs to another process.
  began: string
  // One for each run, since a process may work on several payments at once.
  run: string
}

const fieldOfStart = 19

// Linux says when a process began, in ticks since the machine did; elsewhere its number has to be enough.
function beganOf(pid: number): string {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
    const boot = fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    // The name of the program stands in brackets and may hold anything, so the fields are counted from behind it.
    return `${boot}:${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[fieldOfStart]}`
  } catch {
    return ''
  }
}

export const thisProcess = (): Owner => ({
  host: os.hostname(),
  pid: process.pid,
  began: beganOf(process.pid),
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

// Whether the process of a lease has ended. Of another machine nothing is known.
export function isGone({host, pid, began}: Owner): boolean {
  if (host !== os.hostname()) return false
  return !isRunning(pid) || beganOf(pid) !== began
}

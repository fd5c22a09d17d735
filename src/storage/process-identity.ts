// Identifies a process, so that others can tell whether it has ended.
import fs from 'node:fs'
import os from 'node:os'

export interface ProcessIdentity {
  host: string
  // The id of the installation: two machines may have one name. Empty if unknown, as in containers.
  machine: string
  // The boot of the machine and the container: a process id is unique only within them. Empty if
  // unknown.
  boot: string
  container: string
  pid: number
  // When the process started. It tells a process from a later one with the same id.
  began: string
}

const stateField = 0
const startField = 19
// The states of a process that has ended but was not yet reaped by its parent.
const endedStates = new Set(['Z', 'X'])

function readOrEmpty(read: () => string): string {
  try {
    return read().trim()
  } catch {
    return ''
  }
}

// Linux reports when a process started, in ticks since boot. On other systems only its id is
// compared.
function readProcessStart(pid: number): {began: string; hasEnded: boolean} {
  const stat = readOrEmpty(() => fs.readFileSync(`/proc/${pid}/stat`, 'utf8'))
  // The name of the program is in brackets and may contain anything, so the fields are counted
  // after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return {began: fields[startField] ?? '', hasEnded: endedStates.has(fields[stateField] ?? '')}
}

// The namespace of the processes that run in no container, by a number that Linux never changes.
const hostNamespace = 'pid:[4026531836]'

// All containers of an image have its id, if it has one. Before its first start, an installation has
// a word in its place.
export const toMachineId = (text: string, container: string): string =>
  container === hostNamespace && /^[\da-f]{32}$/.test(text) ? text : ''

const readContainer = () => readOrEmpty(() => fs.readlinkSync('/proc/self/ns/pid'))

// Read once, since none of it changes while the process runs.
let ownProcess: ProcessIdentity | undefined

export const identifyThisProcess = (): ProcessIdentity =>
  (ownProcess ??= {
    host: os.hostname(),
    machine: toMachineId(
      readOrEmpty(() => fs.readFileSync('/etc/machine-id', 'utf8')),
      readContainer(),
    ),
    boot: readOrEmpty(() => fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
    container: readContainer(),
    pid: process.pid,
    began: readProcessStart(process.pid).began,
  })

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // A process of another user may not be signalled, but it exists.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

// Whether the process has certainly ended. This is unknown, so false, for other machines and other
// containers. Another boot is another machine of the same name, unless both have the same id.
export function hasEnded(
  {host, machine, boot, container, pid, began}: ProcessIdentity,
  here = identifyThisProcess(),
): boolean {
  if (host !== here.host) return false
  if (boot !== here.boot) return machine !== '' && machine === here.machine
  if (container !== here.container) return false
  if (pid === here.pid) return began !== here.began
  if (!isRunning(pid)) return true
  const now = readProcessStart(pid)
  return now.hasEnded || now.began !== began
}

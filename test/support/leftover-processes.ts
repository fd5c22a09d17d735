// Ends the processes that tests left running. One that still holds a worker's output would keep vitest from ending.
import fs from 'node:fs'
import path from 'node:path'
import type {Reporter} from 'vitest/node'

const root = path.resolve(import.meta.dirname, '../..')
// A process that was asked to stop may need a moment, so it is ended only if it is seen twice.
const graceMs = 2000

interface Process {
  pid: number
  parent: number
  group: number
  words: string
}

function readProcess(pid: number): Process | undefined {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const words = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim()
    return {pid, parent: Number(parent), group: Number(group), words}
  } catch {
    return undefined
  }
}

function listAncestors(pid: number): number[] {
  const parent = readProcess(pid)?.parent
  return parent ? [pid, ...listAncestors(parent)] : [pid]
}

// The processes of this project in the same group whose parent is gone. Systems without /proc have none.
function findOrphans(): Process[] {
  const own = readProcess(process.pid)
  if (!own) return []
  const ancestors = new Set(listAncestors(process.pid))
  const all = fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && !ancestors.has(Number(name)))
    .flatMap((name) => readProcess(Number(name)) ?? [])
  const groups = new Map([own, ...all].map(({pid, group}) => [pid, group]))
  return all.filter(
    ({parent, group, words}) => group === own.group && groups.get(parent) !== own.group && words.includes(root),
  )
}

export default class LeftoverProcesses implements Reporter {
  // Vitest ends its workers after this, so the check is repeated until vitest itself ends.
  onTestRunEnd(): void {
    let seen = new Set<number>()
    const check = () => {
      const orphans = findOrphans()
      for (const {pid, words} of orphans.filter(({pid: id}) => seen.has(id))) {
        process.stderr.write(`Left running by a test, and ended now: ${words}\n`)
        process.kill(pid, 'SIGKILL')
      }
      seen = new Set(orphans.map(({pid}) => pid))
    }
    setInterval(check, graceMs).unref()
  }
}

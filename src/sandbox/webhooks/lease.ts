// Leases: while one process makes an attempt at an endpoint, no other makes one there.
import {randomBytes} from 'node:crypto'
import {hostname} from 'node:os'

interface Lease {
  leaseHolder: string | null
  leaseUntil: number | null
}

const incarnationBytes = 8

// A number of a process comes back, in a container at once, so that a process is known by a word of its own as well.
const incarnation = randomBytes(incarnationBytes).toString('hex')
export const leaseHolder = `${hostname()}:${process.pid}:${incarnation}`

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}

// On the same machine it is plain to see that a holder was killed; elsewhere only the time tells.
function isGone(holder: string): boolean {
  const [host, pid, word] = holder.split(':')
  if (host !== hostname()) return false
  return Number(pid) === process.pid ? word !== incarnation : !isRunning(Number(pid))
}

// In wall time: an attempt takes as long as it takes, whatever the virtual clock shows.
export const isLeaseFree = ({leaseHolder: holder, leaseUntil}: Lease) =>
  holder === null || leaseUntil === null || leaseUntil < Date.now() || isGone(holder)

// Leases on endpoints: only the process that holds one sends to the endpoint.
import {randomBytes} from 'node:crypto'
import {hostname} from 'node:os'
import {getSystemCode} from '../../../errors.ts'

interface Lease {
  leaseHolder: string | null
  leaseUntil: number | null
}

const processTokenBytes = 8

// Process ids are reused, in containers at once, so a random value identifies the process as well.
const processToken = randomBytes(processTokenBytes).toString('hex')
export const leaseHolder = `${hostname()}:${process.pid}:${processToken}`

// The process of a holder, for people.
export const describeHolder = (holder: string) => `process ${holder.split(':')[1]} on ${holder.split(':')[0]}`

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return getSystemCode(error) !== 'ESRCH'
  }
}

// Whether a holder is gone can only be checked on the same machine. On another one, its lease has to expire.
export function isGone(holder: string): boolean {
  const [host, pid, token] = holder.split(':')
  if (host !== hostname()) return false
  return Number(pid) === process.pid ? token !== processToken : !isRunning(Number(pid))
}

// Leases use real time, because an attempt takes real time, whatever the virtual clock shows.
export const isLeaseFree = ({leaseHolder: holder, leaseUntil}: Lease) =>
  holder === null || leaseUntil === null || leaseUntil < Date.now() || isGone(holder)

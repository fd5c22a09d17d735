// Identifies the process that holds a lease.
import {randomUUID} from 'node:crypto'
import {type ProcessIdentity, hasEnded, identifyThisProcess} from '../../storage/process-identity.ts'

export interface LeaseOwner extends ProcessIdentity {
  // One id per run, because a process may work on several payments at once.
  run: string
}

export const describeThisProcess = (): LeaseOwner => ({...identifyThisProcess(), run: randomUUID()})

// A lease that is not renewed for this long expires.
export const leaseTimeoutMs = 120_000

export const isLeaseFree = (holder: LeaseOwner, renewedAt: number, nowMs: number): boolean =>
  hasEnded(holder) || nowMs - renewedAt > leaseTimeoutMs

export const readOwner = (text: string) => JSON.parse(text) as LeaseOwner

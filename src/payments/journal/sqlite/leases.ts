// Reads a payment of an SQLite journal with its lease, and says whether another process may take the lease over.
import type {SqliteConnection} from '../../../storage/sqlite.ts'
import {type LeaseOwner, hasEnded} from '../../protocol/lease-owner.ts'
import type {Lease} from '../journal.ts'
import {paymentColumns} from './write-payment.ts'

// A lease that is not renewed for this long expires.
const leaseTimeoutMs = 120_000

interface LeaseRow extends Record<string, unknown> {
  epoch: number
  owner: string | null
  renewedAt: number | null
}

export function findLeaseRow(connection: SqliteConnection, serviceId: string, key: string): LeaseRow | undefined {
  const sql = `select ${paymentColumns}, epoch, owner, renewedAt from payments where serviceId = ? and key = ?`
  return connection.prepare(sql).get(serviceId, key) as LeaseRow | undefined
}

// Undefined if the lease is held by another process now.
export function readRenewedAt(connection: SqliteConnection, {serviceId, key, epoch}: Lease): number | undefined {
  const sql = 'select renewedAt from payments where serviceId = ? and key = ? and epoch = ?'
  const row = connection.prepare(sql).get(serviceId, key, epoch)
  return row && Number(row['renewedAt'] ?? 0)
}

// The process of the holder has ended, or the lease has expired.
export const isLeaseFree = (holder: LeaseOwner, renewedAt: number, nowMs: number): boolean =>
  hasEnded(holder) || nowMs - renewedAt > leaseTimeoutMs

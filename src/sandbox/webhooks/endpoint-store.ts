// Webhook endpoints: who is told of events, with which secret, and how badly on purpose.
import {ControlError} from '../control-error.ts'
import type {Database} from '../store/database.ts'
import {deriveDigest, createOpaqueId} from '../store/ids.ts'
import {readSettings} from '../store/settings.ts'
import {toTimestamp} from '../time/clock.ts'
import type {RequestContext} from '../request-context.ts'

export interface EndpointRow {
  endpointId: string
  url: string
  secret: string
  isEnabled: number
  // How often each event is delivered.
  copies: number
  // Whether events arrive in pairs with the later one first; the event that is held back for that.
  reorders: number
  heldEventId: string | null
  createdAt: number
  leaseHolder: string | null
  leaseUntil: number | null
}

export interface WebhookEndpoint {
  endpointId: string
  url: string
  status: 'ENABLED' | 'DISABLED'
  secret: string
  copies: number
  reorder: boolean
  createdAt: string
}

export interface NewEndpoint {
  url: string
  copies?: number | undefined
  reorder?: boolean | undefined
  // Events leave this machine only for somebody who said so.
  allowRemote?: boolean | undefined
}

const copiesMax = 10
const secretPrefix = 'whsec_'
const secretCharactersShown = 4

// The URL parser has brought every way to write an address into its usual form.
const isLoopback = (hostname: string) => /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname)

function validateUrl(text: string, allowRemote: boolean): string {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new ControlError(`"${text}" is no address for webhooks: give one that begins with http:// or https://`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new ControlError('The address carries a credential, which would be kept and shown: leave it out')
  }
  if (isLoopback(url.hostname)) return url.href
  if (!allowRemote) {
    throw new ControlError(
      `${url.hostname} is another machine: the sandbox sends to this one (localhost, 127.0.0.1), unless it is allowed with --allow-remote`,
    )
  }
  if (url.protocol === 'https:') return url.href
  throw new ControlError(`Events to another machine leave over https:// only: ${url.hostname} was given with http://`)
}

// The seed of a database is random unless one was given, and so is what follows from it.
const deriveSecret = (seed: string, endpointId: string) =>
  secretPrefix + Buffer.from(deriveDigest(seed, 'webhook secret', endpointId), 'hex').toString('base64')

export function insertEndpoint({database, now}: RequestContext, endpoint: NewEndpoint): EndpointRow {
  const {url, copies = 1, reorder = false, allowRemote = false} = endpoint
  if (!Number.isSafeInteger(copies) || copies < 1 || copies > copiesMax) {
    throw new ControlError(`An event is delivered once, or up to ${copiesMax} times`)
  }
  const href = validateUrl(url, allowRemote)
  const endpointId = createOpaqueId(database, 'we')
  database.run(
    'insert into webhookEndpoints (endpointId, url, secret, copies, reorders, createdAt) values (?, ?, ?, ?, ?, ?)',
    endpointId,
    href,
    deriveSecret(readSettings(database).seed, endpointId),
    copies,
    reorder ? 1 : 0,
    now,
  )
  return getEndpointRow(database, endpointId)
}

export const listEndpointRows = (database: Database) =>
  database.all<EndpointRow>('select * from webhookEndpoints order by seq')

export const listEnabledEndpoints = (database: Database) =>
  database.all<EndpointRow>('select * from webhookEndpoints where isEnabled = 1 order by seq')

export function getEndpointRow(database: Database, endpointId: string): EndpointRow {
  const row = database.one<EndpointRow>('select * from webhookEndpoints where endpointId = ?', endpointId)
  if (row) return row
  throw new ControlError(`There is no webhook endpoint ${endpointId}`, {notFound: true})
}

const dropAttempts = "delete from queue where kind = 'webhook.attempt' and payload ->> 'endpointId' = ?"

// Everything about it goes, also what waits for it. Events stay: other endpoints may have them.
export function deleteEndpoint(database: Database, endpointId: string) {
  database.run(dropAttempts, endpointId)
  database.run('delete from webhookDeliveries where endpointId = ?', endpointId)
  database.run('delete from webhookEndpoints where endpointId = ?', endpointId)
}

// It answered that it is gone: what still waits for it has failed.
export function disableEndpoint(database: Database, endpointId: string) {
  database.run(dropAttempts, endpointId)
  database.run("update webhookDeliveries set status = 'FAILED' where endpointId = ? and status = 'PENDING'", endpointId)
  database.run('update webhookEndpoints set isEnabled = 0, heldEventId = null where endpointId = ?', endpointId)
}

// Enough to tell two secrets apart, and no more.
const maskSecret = (secret: string) => `${secretPrefix}…${secret.slice(-secretCharactersShown)}`

export const toEndpoint = (row: EndpointRow, showSecret: boolean): WebhookEndpoint => ({
  endpointId: row.endpointId,
  url: row.url,
  status: row.isEnabled === 1 ? 'ENABLED' : 'DISABLED',
  secret: showSecret ? row.secret : maskSecret(row.secret),
  copies: row.copies,
  reorder: row.reorders === 1,
  createdAt: toTimestamp(row.createdAt),
})

// Stores webhook endpoints, with their secrets, the delivery problems that they simulate, and the leases of processes that send to them.
import {randomBytes} from 'node:crypto'
import {hostname} from 'node:os'
import {getSystemCode} from '../../../errors.ts'
import {isLoopbackHost} from '../../../values/urls.ts'
import {ControlError} from '../../operations/control-error.ts'
import type {Result} from '../../../sandbox-results.ts'
import type {Database} from '../../store/database.ts'
import {createOpaqueId, deriveDigest} from '../../store/ids.ts'
import {readSettings} from '../../store/settings.ts'
import {toTimestamp} from '../../time/clock.ts'
import type {RequestContext} from '../request-context.ts'

export interface EndpointRow {
  endpointId: string
  url: string
  secret: string
  isEnabled: number
  // How many times each event is delivered.
  copies: number
  // Whether pairs of events are swapped, and the event that is held back for that.
  reorders: number
  heldEventId: string | null
  // The process that removes the endpoint when it ends.
  owner: string | null
  createdAt: number
  leaseHolder: string | null
  leaseUntil: number | null
}

export interface NewEndpoint {
  url: string
  copies?: number | undefined
  reorder?: boolean | undefined
  // Without this, events are only sent to this machine.
  allowRemote?: boolean | undefined
  // Whether this process removes it when it ends.
  isOwned?: boolean | undefined
}

const copiesMax = 10
const secretPrefix = 'whsec_'
const secretCharactersShown = 4

function validateUrl(text: string, allowRemote: boolean): string {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new ControlError(`"${text}" is not a URL for webhooks: give one that starts with http:// or https://`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new ControlError('The URL contains a credential, which would be stored and shown: leave it out')
  }
  if (isLoopbackHost(url.hostname)) return url.href
  if (!allowRemote) {
    throw new ControlError(
      `${url.hostname} is another machine: the sandbox sends to this one (localhost, 127.0.0.1), unless it is allowed with --allow-remote`,
    )
  }
  if (url.protocol === 'https:') return url.href
  throw new ControlError(
    `Events to another machine are sent over https:// only: ${url.hostname} was given with http://`,
  )
}

// The seed is random unless one was given, and so is the secret. That of an endpoint with an owner is the same every time,
// so that the code it forwards to can keep it.
const deriveSecret = (seed: string, endpointId: string) =>
  secretPrefix + Buffer.from(deriveDigest(seed, 'webhook secret', endpointId), 'hex').toString('base64')

const listenerName = 'svc events listen'

// That of the endpoints which `svc events listen` makes, also while there is none.
export const deriveListenerSecret = (database: Database) => deriveSecret(readSettings(database).seed, listenerName)

export function insertEndpoint({database, now}: RequestContext, endpoint: NewEndpoint): EndpointRow {
  const {url, copies = 1, reorder = false, allowRemote = false, isOwned = false} = endpoint
  if (!Number.isSafeInteger(copies) || copies < 1 || copies > copiesMax) {
    throw new ControlError(`An event is delivered from 1 to ${copiesMax} times`)
  }
  const href = validateUrl(url, allowRemote)
  const endpointId = createOpaqueId(database, 'we')
  database.run(
    'insert into webhookEndpoints (endpointId, url, secret, copies, reorders, owner, createdAt) values (?, ?, ?, ?, ?, ?, ?)',
    endpointId,
    href,
    isOwned ? deriveListenerSecret(database) : deriveSecret(readSettings(database).seed, endpointId),
    copies,
    reorder ? 1 : 0,
    isOwned ? leaseHolder : null,
    now,
  )
  return getEndpointRow(database, endpointId)
}

// A removed endpoint stays, disabled and without its secret, for the history of its deliveries.
const isPresent = "secret <> ''"

export const listEndpointRows = (database: Database) =>
  database.all<EndpointRow>(`select * from webhookEndpoints where ${isPresent} order by seq`)

export const listEnabledEndpoints = (database: Database) =>
  database.all<EndpointRow>('select * from webhookEndpoints where isEnabled = 1 order by seq')

export function getEndpointRow(database: Database, endpointId: string): EndpointRow {
  const row = database.one<EndpointRow>(
    `select * from webhookEndpoints where endpointId = ? and ${isPresent}`,
    endpointId,
  )
  if (row) return row
  throw createUnknownError(endpointId)
}

const createUnknownError = (endpointId: string) =>
  new ControlError(`There is no webhook endpoint ${endpointId}`, {notFound: true})

// An endpoint that was removed has deliveries too.
export function checkHasDeliveries(database: Database, endpointId: string): void {
  const row = database.one('select 1 from webhookEndpoints where endpointId = ?', endpointId)
  if (!row) throw createUnknownError(endpointId)
}

const dropAttempts = "delete from queue where kind = 'webhook.attempt' and payload ->> 'endpointId' = ?"

const failPending = `
  update webhookDeliveries set status = 'FAILED', lastOutcome = coalesce(lastOutcome, ?)
  where endpointId = ? and status = 'PENDING'`

const forgetUnused = `
  delete from webhookEndpoints
  where endpointId = ?1 and not exists (select 1 from webhookDeliveries where endpointId = ?1)`

// Nothing is sent to the endpoint any more. What was sent to it stays on record.
export function removeEndpoint(database: Database, endpointId: string) {
  database.run(dropAttempts, endpointId)
  database.run(failPending, 'ENDPOINT_REMOVED', endpointId)
  database.run(forgetUnused, endpointId)
  database.run(
    `update webhookEndpoints
     set secret = '', isEnabled = 0, owner = null, heldEventId = null, leaseHolder = null, leaseUntil = null
     where endpointId = ?`,
    endpointId,
  )
}

// Removes the endpoints whose process was killed before it could.
export function removeLeftovers(database: Database): EndpointRow[] {
  const leftovers = listEndpointRows(database).filter(({owner}) => owner !== null && isGone(owner))
  for (const {endpointId} of leftovers) removeEndpoint(database, endpointId)
  return leftovers
}

// The endpoint replied 410 Gone, so its pending deliveries have failed.
export function disableEndpoint(database: Database, endpointId: string) {
  database.run(dropAttempts, endpointId)
  database.run("update webhookDeliveries set status = 'FAILED' where endpointId = ? and status = 'PENDING'", endpointId)
  database.run('update webhookEndpoints set isEnabled = 0, heldEventId = null where endpointId = ?', endpointId)
}

// Enough to tell two secrets apart.
const maskSecret = (secret: string) => `${secretPrefix}…${secret.slice(-secretCharactersShown)}`

export const toEndpoint = (row: EndpointRow, showSecret: boolean): Result<'WebhookEndpoint'> => ({
  endpointId: row.endpointId,
  url: row.url,
  status: row.isEnabled === 1 ? 'ENABLED' : 'DISABLED',
  secret: showSecret ? row.secret : maskSecret(row.secret),
  copies: row.copies,
  reorder: row.reorders === 1,
  ...(row.owner !== null && {owner: describeHolder(row.owner)}),
  createdAt: toTimestamp(row.createdAt),
})

// Leases on endpoints: only the process that holds one sends to the endpoint.
interface Lease {
  leaseHolder: string | null
  leaseUntil: number | null
}

const processTokenBytes = 8

// Process ids are reused, in containers at once, so a random value identifies the process as well.
const processToken = randomBytes(processTokenBytes).toString('hex')
export const leaseHolder = `${hostname()}:${process.pid}:${processToken}`

// The process of a holder, for people.
const describeHolder = (holder: string) => `process ${holder.split(':')[1]} on ${holder.split(':')[0]}`

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return getSystemCode(error) !== 'ESRCH'
  }
}

// Whether a holder is gone can only be checked on the same machine. On another one, its lease has to expire.
function isGone(holder: string): boolean {
  const [host, pid, token] = holder.split(':')
  if (host !== hostname()) return false
  return Number(pid) === process.pid ? token !== processToken : !isRunning(Number(pid))
}

// Leases use real time, because an attempt takes real time, whatever the virtual clock shows.
export const isLeaseFree = ({leaseHolder: holder, leaseUntil}: Lease) =>
  holder === null || leaseUntil === null || leaseUntil < Date.now() || isGone(holder)

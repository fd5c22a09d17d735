// Stores webhook endpoints with their secrets. An endpoint with an owner belongs to a listener,
// which removes it when it ends.
import {isLoopbackHost} from '../../../values/urls.ts'
import {ControlError} from '../../operations/control-error.ts'
import type {Result} from '../../../sandbox-results.ts'
import {type ProcessIdentity, hasEnded, identifyThisProcess} from '../../../storage/process-identity.ts'
import {type Database, parseStored} from '../../store/database.ts'
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
  // The process of the listener that removes the endpoint when it ends.
  owner: string | null
  createdAt: number
}

export interface NewEndpoint {
  url: string
  copies?: number | undefined
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
  const {url, copies = 1, allowRemote = false, isOwned = false} = endpoint
  if (!Number.isSafeInteger(copies) || copies < 1 || copies > copiesMax) {
    throw new ControlError(`An event is delivered from 1 to ${copiesMax} times`)
  }
  const href = validateUrl(url, allowRemote)
  const endpointId = createOpaqueId(database, 'we')
  database.insertRow('webhookEndpoints', {
    endpointId,
    url: href,
    secret: isOwned ? deriveListenerSecret(database) : deriveSecret(readSettings(database).seed, endpointId),
    copies,
    owner: isOwned ? JSON.stringify(identifyThisProcess()) : null,
    createdAt: now,
  })
  return getEndpointRow(database, endpointId)
}

const readOwner = (text: string) => parseStored<ProcessIdentity>(text)

// A listener that was killed could not remove its endpoint, and another program may listen at that
// address by now.
const isLeftBehind = ({owner}: EndpointRow) => owner !== null && hasEnded(readOwner(owner))

const selectRows = (database: Database) => database.all<EndpointRow>('select * from webhookEndpoints order by seq')

export const listEndpointRows = (database: Database) => selectRows(database).filter((row) => !isLeftBehind(row))

export const listEnabledEndpoints = (database: Database) =>
  listEndpointRows(database).filter(({isEnabled}) => isEnabled === 1)

export function removeEndpointsLeftBehind(database: Database): void {
  for (const row of selectRows(database)) if (isLeftBehind(row)) removeEndpoint(database, row.endpointId)
}

export function getEndpointRow(database: Database, endpointId: string): EndpointRow {
  const row = database.one<EndpointRow>('select * from webhookEndpoints where endpointId = ?', endpointId)
  if (row) return row
  throw new ControlError(`There is no webhook endpoint ${endpointId}`, {notFound: true})
}

const dropAttempts = "delete from queue where kind = 'webhook.attempt' and payload ->> 'endpointId' = ?"

// Its deliveries go with it. The events stay, and can be sent to other endpoints.
export function removeEndpoint(database: Database, endpointId: string) {
  database.run(dropAttempts, endpointId)
  database.run('delete from webhookDeliveries where endpointId = ?', endpointId)
  database.run('delete from webhookEndpoints where endpointId = ?', endpointId)
}

// The endpoint replied 410 Gone, so its pending deliveries have failed.
export function disableEndpoint(database: Database, endpointId: string) {
  database.run(dropAttempts, endpointId)
  database.run("update webhookDeliveries set status = 'FAILED' where endpointId = ? and status = 'PENDING'", endpointId)
  database.run('update webhookEndpoints set isEnabled = 0 where endpointId = ?', endpointId)
}

// Enough to tell two secrets apart.
const maskSecret = (secret: string) => `${secretPrefix}…${secret.slice(-secretCharactersShown)}`

export const toEndpoint = (row: EndpointRow, showSecret: boolean): Result<'WebhookEndpoint'> => ({
  endpointId: row.endpointId,
  url: row.url,
  status: row.isEnabled === 1 ? 'ENABLED' : 'DISABLED',
  secret: showSecret ? row.secret : maskSecret(row.secret),
  copies: row.copies,
  ...(row.owner !== null && {owner: `${listenerName}, process ${readOwner(row.owner).pid}`}),
  createdAt: toTimestamp(row.createdAt),
})

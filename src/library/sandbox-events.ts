// The events of an imported sandbox: what the service would send to a webhook endpoint, to be listed, or handed to a handler.
import {Webhook} from 'standardwebhooks'
import {deriveDigest} from '../sandbox/store/ids.ts'
import type {Database} from '../sandbox/store/database.ts'
import {readSettings} from '../sandbox/store/settings.ts'
import type {Sandbox} from '../sandbox/sandbox.ts'
import type {SandboxEvents} from './sandbox-types.ts'

const eventsMax = 100_000
const urlDefault = 'http://localhost/webhooks'

const createSecret = (database: Database) =>
  `whsec_${Buffer.from(deriveDigest(readSettings(database).seed, 'webhook secret', 'library'), 'hex').toString('base64')}`

export function createEvents({webhooks}: Pick<Sandbox, 'webhooks'>, database: Database) {
  const getSecret = () => createSecret(database)
  const controls: SandboxEvents = {
    list: ({customerId} = {}) =>
      webhooks
        .events({customerId, limit: eventsMax})
        .events.toReversed()
        .map(({eventId, type, customerId: about, createdAt, body}) => ({
          eventId,
          type,
          customerId: about,
          createdAt,
          body,
        })),
    toRequest: ({eventId, body}, url = urlDefault) => {
      const sentAt = new Date()
      return new Request(url, {
        method: 'POST',
        body,
        headers: {
          'content-type': 'application/json',
          'webhook-id': eventId,
          'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
          'webhook-signature': new Webhook(getSecret()).sign(eventId, sentAt, body),
        },
      })
    },
  }
  return {controls, getSecret}
}

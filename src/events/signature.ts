// Verifies the signatures of events according to Standard Webhooks (docs/assumptions.md, W12), with its public library.
import {isUtf8} from 'node:buffer'
import {timingSafeEqual} from 'node:crypto'
import {Webhook} from 'standardwebhooks'
import {badSettings, badUsage} from '../errors.ts'
import {readNamedFile} from '../storage/read-regular-file.ts'

export const signatureHeaders = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const

// Tells a receiver that removes duplicates that the event was asked for again. The signature does not cover it.
export const resendHeader = 'svc-event-resend'

// That of Standard Webhooks, in both directions.
const toleranceSeconds = 5 * 60

export type EventHeaders = Readonly<Record<string, string>>

export type SignatureCheck = {verified: true} | {verified: false; reason: string}

const timestampPattern = /^\d{1,12}$/

const fail = (reason: string): SignatureCheck => ({verified: false, reason})

export class WebhookSecrets {
  readonly #webhooks: Webhook[]

  // There are several while one secret is being replaced by another.
  constructor(secrets: readonly string[], origin: string) {
    try {
      this.#webhooks = secrets.map((secret) => new Webhook(secret))
    } catch (cause) {
      // The library's message could contain the secret, so it is left out.
      throw badSettings(
        `${origin} holds no secret in the format of Standard Webhooks`,
        'Give it as it was issued: whsec_ and base64, one a line',
        cause,
      )
    }
  }

  // The headers of an event that is sent now, signed with the first secret.
  sign(id: string, body: string): Record<string, string> {
    const sentAt = new Date()
    return {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
      'webhook-signature': this.#webhooks[0]?.sign(id, sentAt, body) ?? '',
    }
  }

  // The age of the signature is measured when the event arrived, unless nobody knows when that was.
  verify(headers: EventHeaders, body: Buffer, arrivedAt: number | 'unknown' = Date.now()): SignatureCheck {
    const [id, timestamp, signature] = signatureHeaders.map((name) => headers[name])
    if (!id || !timestamp || !signature) return fail('it is not signed')
    if (!timestampPattern.test(timestamp)) return fail('its timestamp cannot be read')
    // The library signs text. It would replace bytes that are not UTF-8 before it compares the signatures.
    if (!isUtf8(body)) return fail('its body is not UTF-8')
    const seconds = Number(timestamp)
    const offSeconds = arrivedAt === 'unknown' ? 0 : Math.abs(Math.floor(arrivedAt / 1000) - seconds)
    if (offSeconds > toleranceSeconds) return fail('its timestamp is more than five minutes off its arrival')
    const given = signature.split(' ').map((one) => Buffer.from(one))
    const isSigned = this.#webhooks.some((webhook) => {
      const expected = Buffer.from(webhook.sign(id, new Date(seconds * 1000), body))
      return given.some((one) => one.length === expected.length && timingSafeEqual(one, expected))
    })
    return isSigned ? {verified: true} : fail('its signature does not match')
  }
}

const readSecretFile = (file: string): string[] =>
  readNamedFile(file, (code, cause) =>
    badUsage(`The secret file ${file} cannot be read (${code})`, 'Check the path', cause),
  )
    .toString()
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

// Arguments are visible to other processes, so a secret comes from a file or from the environment. The file has precedence.
export function findSecrets(file: string | undefined): WebhookSecrets | undefined {
  if (file !== undefined) {
    const secrets = readSecretFile(file)
    if (secrets.length === 0) throw badSettings(`The secret file ${file} is empty`, 'Put the secret into it')
    return new WebhookSecrets(secrets, `The secret file ${file}`)
  }
  const secret = process.env['SVC_WEBHOOK_SECRET']
  if (secret === undefined) return undefined
  // An empty variable is probably a lost secret. Ignoring it would accept events from anybody.
  if (secret.trim() === '')
    throw badUsage('SVC_WEBHOOK_SECRET is empty', 'Set it to the secret, or unset it to verify nothing')
  return new WebhookSecrets([secret.trim()], 'SVC_WEBHOOK_SECRET')
}

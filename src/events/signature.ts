// Whether an event is signed with a secret that is known here, after Standard Webhooks (docs/assumptions.md, W12), by its
// public library.
import {timingSafeEqual} from 'node:crypto'
import fs from 'node:fs'
import {Webhook} from 'standardwebhooks'
import {badSettings, badUsage, getSystemCode} from '../errors.ts'

export const signatureHeaders = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const

// As in the library, which judges what arrives; what is stored is judged by the time at which it arrived.
const toleranceSeconds = 5 * 60

export type EventHeaders = Readonly<Record<string, string>>

export type SignatureCheck = {verified: true} | {verified: false; reason: string}

const createFailedCheck = (reason: string): SignatureCheck => ({verified: false, reason})

// The library signs text. Bytes that are none would be replaced by others before they are judged.
function isText(body: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', {fatal: true}).decode(body)
    return true
  } catch {
    return false
  }
}

export class WebhookSecrets {
  readonly #webhooks: Webhook[]

  // Several, while one is being replaced by another.
  constructor(secrets: readonly string[], origin: string) {
    try {
      this.#webhooks = secrets.map((secret) => new Webhook(secret))
    } catch (cause) {
      // The library's words could carry the secret, so they are left out.
      throw badSettings(
        `${origin} holds no secret of Standard Webhooks`,
        'Give it as it was issued: whsec_ and base64, one a line',
        cause,
      )
    }
  }

  // What has just arrived.
  verify(headers: EventHeaders, body: Buffer): SignatureCheck {
    if (signatureHeaders.some((name) => !headers[name])) return createFailedCheck('it is not signed')
    if (!isText(body)) return createFailedCheck('its body is not UTF-8')
    let reason = ''
    for (const webhook of this.#webhooks) {
      try {
        webhook.verify(body, {...headers}, {jsonParse: false})
        return {verified: true}
      } catch (error) {
        reason = error instanceof Error ? error.message : String(error)
      }
    }
    return createFailedCheck(reasonByLibraryMessage.get(reason) ?? 'its signature cannot be checked')
  }

  // What arrived before. Without a time of arrival the age is not judged.
  verifyStored(headers: EventHeaders, body: Buffer, receivedAtMs: number | undefined): SignatureCheck {
    const [id, timestamp, signature] = signatureHeaders.map((name) => headers[name])
    if (!id || !timestamp || !signature) return createFailedCheck('it is not signed')
    if (!isText(body)) return createFailedCheck('its body is not UTF-8')
    const seconds = Number(timestamp)
    if (!/^\d{1,12}$/.test(timestamp)) return createFailedCheck('its timestamp cannot be read')
    const offSeconds = receivedAtMs === undefined ? 0 : Math.abs(Math.floor(receivedAtMs / 1000) - seconds)
    if (offSeconds > toleranceSeconds)
      return createFailedCheck('its timestamp is more than five minutes off its arrival')
    const given = signature.split(' ').map((one) => Buffer.from(one))
    const isSigned = this.#webhooks.some((webhook) => {
      const expected = Buffer.from(webhook.sign(id, new Date(seconds * 1000), body))
      return given.some((one) => one.length === expected.length && timingSafeEqual(one, expected))
    })
    return isSigned ? {verified: true} : createFailedCheck('its signature does not match')
  }
}

// The library's messages, in ours.
const reasonByLibraryMessage = new Map([
  ['Missing required headers', 'it is not signed'],
  ['Invalid Signature Headers', 'its timestamp cannot be read'],
  ['Message timestamp too old', 'its timestamp is more than five minutes old'],
  ['Message timestamp too new', 'its timestamp is more than five minutes ahead'],
  ['No matching signature found', 'its signature does not match'],
])

function readSecretFile(file: string): string[] {
  try {
    return fs
      .readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
  } catch (cause) {
    throw badUsage(
      `The secret file ${file} cannot be read (${getSystemCode(cause) ?? 'unknown'})`,
      'Check the path',
      cause,
    )
  }
}

// A secret is never an argument: it comes from a file or from the environment, and the file that was named wins.
export function findSecrets(file: string | undefined): WebhookSecrets | undefined {
  if (file !== undefined) {
    const secrets = readSecretFile(file)
    if (secrets.length === 0) throw badSettings(`There is nothing in the secret file ${file}`, 'Put the secret into it')
    return new WebhookSecrets(secrets, `The secret file ${file}`)
  }
  const secret = process.env['SVC_WEBHOOK_SECRET']
  if (secret === undefined) return undefined
  // Set and yet empty is a secret that was lost, and without it anybody's events would be taken.
  if (secret.trim() === '')
    throw badUsage('SVC_WEBHOOK_SECRET is empty', 'Set it to the secret, or unset it to verify nothing')
  return new WebhookSecrets([secret.trim()], 'SVC_WEBHOOK_SECRET')
}

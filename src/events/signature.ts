// Verifies the signatures of events according to Standard Webhooks (docs/assumptions.md, W12), with its public library.
import {timingSafeEqual} from 'node:crypto'
import {Webhook} from 'standardwebhooks'
import {SvcError, badSettings, badUsage, getSystemCode} from '../errors.ts'
import {readRegularFile} from '../storage/read-regular-file.ts'

export const signatureHeaders = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const

// Tells a receiver that removes duplicates that the event was asked for again. The signature does not cover it.
export const resendHeader = 'svc-event-resend'

// The library has the same tolerance for new events. Stored events are compared with the time at which they arrived.
const toleranceSeconds = 5 * 60

export type EventHeaders = Readonly<Record<string, string>>

export type SignatureCheck = {verified: true} | {verified: false; reason: string}

const timestampPattern = /^\d{1,12}$/

const fail = (reason: string): SignatureCheck => ({verified: false, reason})

// The library signs text. It would replace bytes that are not UTF-8 before it compares the signatures.
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

  // For an event that has just arrived.
  verify(headers: EventHeaders, body: Buffer): SignatureCheck {
    if (signatureHeaders.some((name) => !headers[name])) return fail('it is not signed')
    // The library would read the digits at the beginning and ignore the rest.
    if (!timestampPattern.test(headers['webhook-timestamp'] ?? '')) return fail('its timestamp cannot be read')
    if (!isText(body)) return fail('its body is not UTF-8')
    let reason = ''
    for (const webhook of this.#webhooks) {
      try {
        webhook.verify(body, {...headers}, {jsonParse: false})
        return {verified: true}
      } catch (error) {
        reason = error instanceof Error ? error.message : String(error)
      }
    }
    return fail(reasonByLibraryMessage.get(reason) ?? 'its signature cannot be checked')
  }

  // For an event that arrived earlier. Without its time of arrival, the age of the signature is not checked.
  verifyStored(headers: EventHeaders, body: Buffer, receivedAtMs: number | undefined): SignatureCheck {
    const [id, timestamp, signature] = signatureHeaders.map((name) => headers[name])
    if (!id || !timestamp || !signature) return fail('it is not signed')
    if (!isText(body)) return fail('its body is not UTF-8')
    const seconds = Number(timestamp)
    if (!timestampPattern.test(timestamp)) return fail('its timestamp cannot be read')
    const offSeconds = receivedAtMs === undefined ? 0 : Math.abs(Math.floor(receivedAtMs / 1000) - seconds)
    if (offSeconds > toleranceSeconds) return fail('its timestamp is more than five minutes off its arrival')
    const given = signature.split(' ').map((one) => Buffer.from(one))
    const isSigned = this.#webhooks.some((webhook) => {
      const expected = Buffer.from(webhook.sign(id, new Date(seconds * 1000), body))
      return given.some((one) => one.length === expected.length && timingSafeEqual(one, expected))
    })
    return isSigned ? {verified: true} : fail('its signature does not match')
  }
}

// The library has no error codes, so its messages are looked up as a whole.
const reasonByLibraryMessage = new Map([
  ['Missing required headers', 'it is not signed'],
  ['Invalid Signature Headers', 'its timestamp cannot be read'],
  ['Message timestamp too old', 'its timestamp is more than five minutes old'],
  ['Message timestamp too new', 'its timestamp is more than five minutes ahead'],
  ['No matching signature found', 'its signature does not match'],
])

function readSecretFile(file: string): string[] {
  try {
    return readRegularFile(file)
      .toString()
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
  } catch (cause) {
    if (cause instanceof SvcError) throw cause
    throw badUsage(
      `The secret file ${file} cannot be read (${getSystemCode(cause) ?? 'unknown'})`,
      'Check the path',
      cause,
    )
  }
}

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

// A person is asked for the secret to sign with; a script has to give it.
export async function askSecrets(canAsk: boolean, notice: (text: string) => void): Promise<WebhookSecrets> {
  if (!canAsk) throw badUsage('Missing --secret-file', 'Or set SVC_WEBHOOK_SECRET: the event is signed for this URL')
  const {askSecret} = await import('../cli/prompts/ask.ts')
  notice(
    'The event is signed with the secret that your code verifies events with. It begins with whsec_, and is shown where the endpoint was set up; for the sandbox `svc sandbox webhooks list --show-secret` shows it.',
  )
  return new WebhookSecrets([(await askSecret('Webhook secret')).trim()], 'What you typed')
}

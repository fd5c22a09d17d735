// Finds the secret that code behind a URL already verifies the events of the sandbox with.
import type {Sandbox} from '../transport.ts'
import {WebhookSecrets} from './signature.ts'

export interface SandboxSecret {
  secrets: WebhookSecrets
  // Whose secret it is, for people.
  origin: string
}

// That of the endpoint with this URL, or else that of a running `svc events listen`, which forwards with its own signature.
export function findSandboxSecret({webhooks}: Sandbox, urls: readonly string[]): SandboxSecret | undefined {
  const enabled = webhooks.list({showSecrets: true}).filter(({status}) => status === 'ENABLED')
  const own = urls.length === 1 ? enabled.find(({url}) => url === urls[0]) : undefined
  const listener = enabled.find(({owner}) => owner !== undefined)
  const secret = (own ?? listener)?.secret
  if (secret === undefined) return undefined
  const origin = own ? 'the endpoint with this URL' : '`svc events listen` on this sandbox'
  return {secrets: new WebhookSecrets([secret], 'The sandbox'), origin}
}

export const formatSecretNotice = ({origin}: SandboxSecret) =>
  `Signed with the secret of ${origin}. --secret-file or SVC_WEBHOOK_SECRET gives another.`

// Lets the client call a sandbox in the same process. Only the fetch differs from a connection over the network.
import {type Fetch, WireError} from './client/http.ts'
import type {SandboxResponse} from './sandbox/http/exchange.ts'
import type {Sandbox} from './sandbox/sandbox.ts'
import {isSuccess} from './values/urls.ts'

export const embeddedUrl = 'http://localhost'

// Waits for the delay of a simulated fault.
const wait = async (ms: number) => (await import('node:timers/promises')).setTimeout(ms)

// A simulated fault reaches the client as the same WireError that it would be on a network.
async function applyFault({fault}: SandboxResponse, timeoutMs: number): Promise<void> {
  if (!fault) return
  const {delayMs, breaks} = fault
  const isSilent = breaks === 'hang' || delayMs >= timeoutMs
  await wait(isSilent ? timeoutMs : delayMs)
  if (isSilent) throw new WireError('TIMEOUT', `no complete reply came within ${timeoutMs / 1000} s`, true)
  if (breaks === 'truncate') throw new WireError('TRUNCATED', 'the reply ended too early', true)
  if (breaks) throw new WireError('ECONNRESET', 'the connection was closed', true)
}

export const createEmbeddedFetch =
  ({handle}: Pick<Sandbox, 'handle'>): Fetch =>
  async (url, {method, headers, body, timeoutMs}) => {
    const headerValues = new Map(headers)
    const response = await handle({
      method,
      target: url.slice(embeddedUrl.length),
      header: (name) => headerValues.get(name),
      body: async () => Buffer.from(body ?? ''),
    })
    await applyFault(response, timeoutMs)
    return {
      status: response.status,
      statusText: '',
      ok: isSuccess(response.status),
      body: true,
      headers: {get: (name) => response.headers[name.toLowerCase()] ?? null},
      text: async () => response.body,
    }
  }

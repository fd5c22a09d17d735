// Makes the sandbox send its events to a listener while it runs, without an endpoint or a secret that somebody has to set up.
import type {Caller} from '../profiles/caller.ts'
import {findSandbox} from '../transport.ts'
import {isLoopbackHost} from '../values/urls.ts'

export interface Subscription {
  stop(): Promise<void>
}

// Calls `onSecret` with the secret that the events are signed with.
export type Subscribe = (url: string, onSecret: (secret: string) => void) => Promise<Subscription>

// The sandbox sends over http to loopback addresses only.
export const isOwnHost = (host: string) => isLoopbackHost(host) || host === '0.0.0.0' || host === '::'

// A listener on all addresses is also at the loopback address.
const toOwnUrl = (url: string) =>
  url.replace(/^http:\/\/0\.0\.0\.0(?=[:/])/, 'http://127.0.0.1').replace(/^http:\/\/\[::\](?=[:/])/, 'http://[::1]')

// Undefined if the caller is not the sandbox of this machine: any other service has its own way to set up an endpoint.
export async function createSubscribe(
  caller: Caller | undefined,
  notice: (text: string) => void,
): Promise<Subscribe | undefined> {
  const sandbox = caller && (await findSandbox(caller))
  if (!sandbox) return undefined
  return async (listenerUrl, onSecret) => {
    const subscription = await sandbox.subscribe({url: toOwnUrl(listenerUrl), onSecret, notice})
    return {
      async stop() {
        try {
          await subscription.stop()
        } catch {
          // The sandbox was removed or is busy. What is left of the endpoint goes with the next listener.
          notice('The endpoint could not be removed from the sandbox. The next `svc events listen` removes it.')
        } finally {
          sandbox.close()
        }
      },
    }
  }
}

// An endpoint of this process: added when it starts to listen, delivered to by the process itself, removed when it stops.
import {runOperation} from '../operation.ts'
import type {SandboxEnvironment} from '../request-context.ts'
import {type DeliverySettings, startDelivery} from './delivery.ts'
import {insertEndpoint, listEndpointRows, removeEndpoint, removeLeftovers} from './endpoint-store.ts'

export interface SubscriptionOptions {
  url: string
  // Called when the endpoint is added, and again if somebody reset the sandbox: the new one has another secret.
  onSecret: (secret: string) => void
  notice: (text: string) => void
  // Called before events are sent, so that links in them lead to a server that was started later.
  beforeDelivery: () => Promise<void>
}

export interface Subscription {
  stop(): Promise<void>
}

export function startSubscription(
  environment: SandboxEnvironment,
  {url, onSecret, notice, beforeDelivery}: SubscriptionOptions,
  overrides: Partial<DeliverySettings> = {},
): Subscription {
  let endpointId = ''

  function addEndpoint() {
    const {database} = environment
    const endpoint = runOperation(environment, (context) => {
      removeLeftovers(database)
      return insertEndpoint(context, {url, isOwned: true})
    })
    endpointId = endpoint.endpointId
    onSecret(endpoint.secret)
  }

  // A reset or a restored snapshot removes the endpoint, and nobody would notice that no more events arrive.
  function checkEndpoint() {
    if (listEndpointRows(environment.database).some((row) => row.endpointId === endpointId)) return
    addEndpoint()
    notice('The sandbox no longer had the endpoint, so it was added again. Earlier events are gone.')
  }

  addEndpoint()
  const delivery = startDelivery(environment, () => {}, {
    ...overrides,
    beforeTick: checkEndpoint,
    beforeDelivery,
    sendsTo: (id) => id === endpointId,
  })
  return {
    async stop() {
      await delivery.stop()
      runOperation(environment, ({database}) => removeEndpoint(database, endpointId))
    },
  }
}

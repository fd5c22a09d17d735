// What waits in the queue for webhooks.
import type {RequestContext} from '../request-context.ts'

export interface WebhookTasks {
  // Taken by delivery.ts in a running server; every other process leaves it where it is.
  'webhook.attempt': {deliveryId: string; endpointId: string}
}

// Nothing: an attempt takes time, so it is not made inside a transaction as other tasks are.
export const webhookTasks: {
  [K in Exclude<keyof WebhookTasks, 'webhook.attempt'>]: (turn: RequestContext, payload: WebhookTasks[K]) => void
} = {}

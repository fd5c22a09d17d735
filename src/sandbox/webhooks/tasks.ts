// What waits in the queue for webhooks, and what each task does when it is due.
import type {Turn} from '../turn.ts'

export interface WebhookTasks {}

export const webhookTasks: {[K in keyof WebhookTasks]: (turn: Turn, payload: WebhookTasks[K]) => void} = {}

// The kinds of tasks that wait in the queue, with what each needs.
import type {EndpointName} from '../../contract/endpoints.ts'
import type {AddressMismatch} from '../../values/verification-data.ts'
import type {Magic} from '../service/customers/magic-values.ts'

// What a submission brings to its own review besides the data, which later reviews use as well.
export interface ReviewInput {
  magic?: readonly Magic[]
  // Values that do not fit the country of the address. They are found when the data arrives.
  mismatches?: readonly AddressMismatch[]
}

interface Review extends ReviewInput {
  customerId: string
  // Reviews of a customer are numbered from one.
  review: number
}

interface TransactionTask {
  transactionId: string
}

// `svc sandbox faults set --transaction-outcome` chose how it ends.
export interface TransactionEnd extends TransactionTask {
  as: 'FAILED' | 'CANCELLED' | 'EXPIRED'
}

// The endpoint and the validated input of a request that was answered before it is carried out.
export interface LateCommit {
  endpoint: EndpointName
  input: unknown
}

// Every kind of task, with its payload.
export interface TaskPayloads {
  'verification.start': {customerId: string} & ReviewInput
  'verification.decide': Review
  'verification.deactivate': {customerId: string; review: number}
  'transaction.process': TransactionTask
  'transaction.fund': TransactionTask
  'transaction.expire': TransactionTask
  'transaction.settle': TransactionTask
  'transaction.end': TransactionEnd
  'request.commit': LateCommit
  'rule.fire': {ruleId: string}
  'rule.cross': {ruleId: string}
  // An attempt takes time, so only a running server makes it, outside any transaction (see webhooks/deliver.ts).
  'webhook.attempt': {deliveryId: string; endpointId: string}
}

export type TaskKind = keyof TaskPayloads

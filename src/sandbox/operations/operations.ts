// What can be done to a running or an embedded sandbox from outside: one table, from which its commands, the endpoints of control,
// their OpenAPI document and the forms of the console are made.
import {clock, state} from './clock.ts'
import type {Controls} from './controls.ts'
import type {Operation} from './define.ts'
import {faults} from './faults.ts'
import {money, verification} from './money.ts'
import {requests} from './requests.ts'
import {snapshots} from './snapshots.ts'
import {webhooks} from './webhooks.ts'

// Each is named after its command: `clock.advance` is `svc sandbox clock advance` and /clock/advance.
const operations = {
  ...state,
  ...clock,
  ...snapshots,
  ...faults,
  ...verification,
  ...money,
  ...requests,
  ...webhooks,
}

type Operations = typeof operations
export type OperationName = keyof Operations
export type OperationInput<N extends OperationName> = Parameters<Operations[N]['run']>[1]
export type OperationReturn<N extends OperationName> = ReturnType<Operations[N]['run']>
export type OperationOutput<N extends OperationName> =
  Operations[N] extends Operation<never, infer Output> ? Awaited<Output> : never

export const operationNames = Object.keys(operations) as OperationName[]

// The definition, whatever its input is.
export const getOperation = (name: OperationName): Operation<unknown, unknown> => operations[name]

// Calls an operation, in this process or at a running server.
export type CallOperation = <N extends OperationName>(name: N, input: OperationInput<N>) => Promise<OperationOutput<N>>

// In this process, with input that a command has checked.
export const createCall = (controls: Controls): CallOperation =>
  (async (name: OperationName, input: unknown) => getOperation(name).run(controls, input)) as CallOperation

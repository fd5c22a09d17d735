// The inputs of operations, from which flags and schemas are made.
import type {Idempotency} from '../service/faults/behaviour-table.ts'

// One input of an operation, as plain data, so that a command loads no schemas.
export interface Field {
  readonly type:
    | 'text'
    | 'texts'
    | 'choice'
    | 'boolean'
    | 'count'
    // Above 0 and up to 1.
    | 'share'
    | 'amount'
    // An instant, such as 2030-01-01T00:00:00Z.
    | 'time'
    // Such as 5m, and the same as a number of milliseconds or of seconds.
    | 'duration'
    | 'milliseconds'
    | 'seconds'
    | 'idempotency'
  // What it is, in the help and in the OpenAPI document.
  readonly says: string
  readonly isRequired?: true
  // The numbers that are possible; of a duration, in milliseconds.
  readonly min?: number
  readonly max?: number
  readonly choices?: readonly string[]
  // The name on the command line, if it is not that of the field.
  readonly flag?: string
  readonly isArgument?: true
  // Only programs give it, over HTTP.
  readonly isForPrograms?: true
  // What the command finds by less than an id.
  readonly finds?: 'customer' | 'account' | 'transaction' | 'endpoint' | 'event'
}

export type Fields = Readonly<Record<string, Field>>

type FieldValue<F> = F extends {readonly choices: ReadonlyArray<infer Choice>}
  ? Choice
  : F extends {readonly type: 'count' | 'share' | 'milliseconds' | 'seconds'}
    ? number
    : F extends {readonly type: 'boolean'}
      ? boolean
      : F extends {readonly type: 'texts'}
        ? readonly string[]
        : F extends {readonly type: 'idempotency'}
          ? Idempotency
          : string

type RequiredNames<F> = {[K in keyof F]: F[K] extends {readonly isRequired: true} ? K : never}[keyof F]

export type InputOf<F> = {[K in RequiredNames<F>]: FieldValue<F[K]>} & {
  [K in Exclude<keyof F, RequiredNames<F>>]?: FieldValue<F[K]> | undefined
}

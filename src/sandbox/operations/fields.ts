// The inputs of operations, as plain data from which flags and schemas are made.
import type {Idempotency} from '../service/faults/behaviour-table.ts'

// One input of an operation, as plain data, so that a command needs no schemas.
export interface Field {
  readonly type:
    | 'text'
    // The id of a payment account, which the interface leaves open.
    | 'id'
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
  readonly isRequired?: true
  // The numbers that are possible, or the length of a text.
  readonly min?: number
  readonly max?: number
  // What is possible on the command line, where it is less.
  readonly flagMin?: number
  readonly flagMax?: number
  readonly isSigned?: true
  readonly choices?: readonly string[]
  // Other words for a choice on the command line.
  readonly aliases?: Readonly<Record<string, string>>
  // What it is in the OpenAPI document.
  readonly description?: string

  // In a command, if it has a summary there: its name, if that is not the name of the field, and how it is written.
  readonly name?: string
  readonly summary?: string
  readonly isArgument?: true
  readonly isFlagRequired?: true
  readonly helpValue?: string
  // What the command finds by less than an id.
  readonly refersTo?: 'customer' | 'account' | 'transaction' | 'endpoint' | 'event'

  // Above the column, if the result has the same field and no view of its own.
  readonly header?: string
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

export interface NamedField {
  // In the input of the operation.
  field: string
  // On the command line and in the forms of the console: `allowRemote` is --allow-remote.
  name: string
  definition: Field
}

export const nameFields = (fields: Fields): NamedField[] =>
  Object.entries(fields).map(([field, definition]) => ({
    field,
    name: definition.name ?? field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    definition,
  }))

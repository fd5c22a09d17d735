// What an operation of the sandbox is. Each is defined once: its command, its endpoint of control and the OpenAPI
// document are made from the definition.
import type {z} from 'zod'
import type {Ending} from '../../errors.ts'
import type {Controls} from './controls.ts'
import type {Fields, InputOf} from './fields.ts'
import type {ResultName} from '../../sandbox-results.ts'
import type {SchemaKit} from './schema-kit.ts'

// What the command has besides the fields. An operation without it has a command that is written by hand, or none.
interface CommandDefinition {
  // If it is not that of the operation.
  summary?: string
  description?: string
  // Commands by what they do.
  examples: Readonly<Record<string, string>>
  exits?: readonly Ending[]
  // The name of a view, and the field of the result that is a list of such items.
  view?: string
  list?: string
  isSortable?: true
}

export interface Operation<Input, Output> {
  // A read is a GET with its input in the query, everything else a POST with its input in the body.
  isRead?: true
  summary: string
  input: Fields
  // Inputs that work in a new sandbox, beside none at all. {endpointId} stands for the endpointId of an earlier result.
  examples?: readonly object[]
  // The schema of the result, or its name.
  output: ResultName | ((kit: SchemaKit) => z.ZodType)
  command?: CommandDefinition
  run(controls: Controls, input: Input): Output | Promise<Output>
}

export const defineOperation = <const F extends Fields, Output>(
  operation: Omit<Operation<InputOf<F>, Output>, 'input' | 'examples'> & {
    input: F
    examples?: ReadonlyArray<InputOf<F>>
  },
): Omit<Operation<InputOf<F>, Output>, 'input'> & {input: F} => operation

export const getMethod = ({isRead}: {isRead?: true}): 'GET' | 'POST' => (isRead ? 'GET' : 'POST')

// A schema is made once, since the OpenAPI document knows it by its id.
export function defineSchema<Schema>(build: (kit: SchemaKit) => Schema): (kit: SchemaKit) => Schema {
  let built: Schema | undefined
  return (kit) => (built ??= build(kit))
}

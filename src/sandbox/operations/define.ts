// What an operation of the sandbox is. Each is defined once: its command, its endpoint of control and the OpenAPI
// document are made from the definition.
import type {z} from 'zod'
import type {ResultName} from '../../sandbox-results.ts'
import type {Controls} from './controls.ts'
import type {Fields, InputOf} from './fields.ts'
import type {SchemaKit} from './schema-kit.ts'

export interface Operation<Input, Output> {
  // One sentence for the command and the endpoint.
  says: string
  // What else a person should know, for the help of the command.
  more?: string
  // A read is a GET with its input in the query, everything else a POST with its input in the body.
  isRead?: true
  input?: Fields
  // The schema of the result, or its name.
  output: ResultName | ((kit: SchemaKit) => z.ZodType)
  // The view of the command, and the field of the result that is a list of such items.
  view?: string
  list?: string
  // Commands by what they do. An operation without any has no command.
  examples?: Readonly<Record<string, string>>
  run(controls: Controls, input: Input): Output
}

export const op = <const F extends Fields, Output>(
  operation: Omit<Operation<InputOf<F>, Output>, 'input'> & {input?: F},
): Operation<InputOf<F>, Output> => operation

export const getMethod = ({isRead}: {isRead?: true}): 'GET' | 'POST' => (isRead ? 'GET' : 'POST')

// A schema is made once, since the OpenAPI document knows it by its id.
export function defineSchema<Schema>(build: (kit: SchemaKit) => Schema): (kit: SchemaKit) => Schema {
  let built: Schema | undefined
  return (kit) => (built ??= build(kit))
}

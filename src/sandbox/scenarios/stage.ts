// What the steps of a scenario work on, and what they return.
import type {Sandbox} from '../sandbox.ts'
import type {Receivers} from './receivers.ts'
import type {ThingKind} from './step-schemas.ts'

export interface Stage {
  sandbox: Sandbox
  // What the steps so far made, by name.
  things: Map<string, Thing>
  receivers: Receivers
  // The snapshots of a sandbox in memory, which has no folder for them.
  images: Map<string, Uint8Array>
}

export interface StepOutcome {
  // What is shown of the step.
  result?: Record<string, unknown>
  made?: {name: string; thing: Thing}
}

// A step did not go as the scenario says.
export class StepFailure extends Error {
  override name = 'StepFailure'
  readonly expected: string
  readonly found: string
  // The line of the expectation, if it is not that of the step.
  readonly line: number | undefined

  constructor(expected: string, found: string, line?: number) {
    super(`expected ${expected}, found ${found}`)
    this.expected = expected
    this.found = found
    this.line = line
  }
}

// References to what earlier steps made: $ada is its id and $ada.email a field of it. Inside a text they are in braces, ${ada}.
interface Thing {
  kind: ThingKind
  id: string
  // The thing as the service or the sandbox showed it when the step ran.
  fields: object
}

export interface Reference {
  name: string
  // The fields after the name.
  path: readonly string[]
}

const namePattern = '[A-Za-z][\\w-]{0,63}'
const pathPattern = '((?:\\.[A-Za-z]\\w*|\\[\\d+\\])*)'
const whole = new RegExp(`^\\$(${namePattern})${pathPattern}$`)
const embedded = new RegExp(`\\$\\{(${namePattern})${pathPattern}\\}`, 'g')

const toReference = (name = '', path = ''): Reference => ({
  name,
  path: path.split(/[.[\]]+/).filter((key) => key !== ''),
})

export const isReference = (value: unknown): value is string => typeof value === 'string' && whole.test(value)

// All references in a value, however deep.
export function listReferences(value: unknown): Reference[] {
  if (typeof value === 'string') {
    const found = whole.exec(value)
    if (found) return [toReference(found[1], found[2])]
    return [...value.matchAll(embedded)].map(([, name, path]) => toReference(name, path))
  }
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return []
  return Object.values(value).flatMap(listReferences)
}

// The reference is to something that was not made, or to a field that it does not have.
export class UnresolvedReference extends Error {
  override name = 'UnresolvedReference'
}

function resolveOne(things: ReadonlyMap<string, Thing>, {name, path}: Reference): unknown {
  const thing = things.get(name)
  if (!thing) throw new UnresolvedReference(`$${name} was not made`)
  if (path.length === 0 || (path.length === 1 && path[0] === 'id' && !('id' in thing.fields))) return thing.id
  return path.reduce<unknown>((value, key) => {
    if (typeof value === 'object' && value !== null && Object.hasOwn(value, key)) {
      return (value as Record<string, unknown>)[key]
    }
    throw new UnresolvedReference(`$${name} has no field ${path.join('.')}`)
  }, thing.fields)
}

// The same value with its references replaced.
export function resolveReferences(things: ReadonlyMap<string, Thing>, value: unknown): unknown {
  if (typeof value === 'string') {
    const found = whole.exec(value)
    if (found) return resolveOne(things, toReference(found[1], found[2]))
    return value.replaceAll(embedded, (_, name: string, path: string) =>
      String(resolveOne(things, toReference(name, path))),
    )
  }
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return value
  if (Array.isArray(value)) return value.map((item) => resolveReferences(things, item))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolveReferences(things, item)]))
}

// Recognizes valid bodies without zod, which takes longer to load than the rest of a payment to run. Whatever it does not recognize is
// validated by zod, which also says what is wrong with it.
import {check} from './shape.ts'
import {bodies, definitions} from './wire.frozen.ts'

// Whether the body of this endpoint is valid for certain. False for endpoints whose bodies only zod can check.
export function isValidBody(endpoint: string, body: unknown): boolean {
  const shape = Object.hasOwn(bodies, endpoint) ? bodies[endpoint] : undefined
  return shape !== undefined && check(body, shape, {definitions, strict: true}).length === 0
}

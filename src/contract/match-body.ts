// Recognizes valid bodies of a payment's two requests without zod, which takes longer to load than the rest of a payment to run.
// Whatever it does not recognize is validated by zod, which also says what is wrong with it.
import {amountPattern} from './vocabulary.ts'
import {type BodyShape, paymentBodies} from './payment-bodies.frozen.ts'
import {uuidPattern} from './ids.ts'

function matchesText(text: string, shape: BodyShape): boolean {
  if (shape.enum && !shape.enum.includes(text)) return false
  if (shape.isUuid && !uuidPattern.test(text)) return false
  if (shape.isAmount && !amountPattern.test(text)) return false
  return text.length >= (shape.minLength ?? 0)
}

// A number with all of its digits is an object to JavaScript, without this prototype.
export const isPlainObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

function matchesBody(value: unknown, shape: BodyShape): boolean {
  if (shape.type === 'string') return typeof value === 'string' && matchesText(value, shape)
  if (shape.type === 'boolean') return typeof value === 'boolean'
  if (!isPlainObject(value)) return false
  const {properties = {}, required = []} = shape
  const isKnown = ([name, inner]: [string, unknown]) => {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined
    return field !== undefined && (inner === undefined ? !required.includes(name) : matchesBody(inner, field))
  }
  return required.every((name) => Object.hasOwn(value, name)) && Object.entries(value).every(isKnown)
}

// Whether the body of this endpoint is valid for certain. False for endpoints that no payment uses.
export function isValidPaymentBody(endpoint: string, body: unknown): boolean {
  const shape = Object.hasOwn(paymentBodies, endpoint) ? paymentBodies[endpoint] : undefined
  return shape !== undefined && matchesBody(body, shape)
}

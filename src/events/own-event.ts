// Builds an event of one's own: a customer as it is, with what is to be different, in the envelope of the sandbox.
import {applyUntypedAssignment} from '../cli/body/assignments.ts'
import {customer as customerSchema} from '../contract/customers.ts'
import {badUsage} from '../errors.ts'
import {parseJson} from '../values/json.ts'

export const eventTypes = ['customer.updated', 'customer.update'] as const

const envelopeFields: readonly string[] = ['type', 'timestamp', 'data']
const customerFields = Object.keys(customerSchema.shape)

// Only the first name of a path is checked: a handler must cope with anything below.
function checkPath(assignment: string): void {
  const [, name = ''] = /^([^.[=:]+)/.exec(assignment) ?? []
  if (name === '' || envelopeFields.includes(name)) return
  const isCustomerField = customerFields.includes(name)
  throw badUsage(
    `The body of an event has no field ${name}`,
    isCustomerField
      ? `The customer is in data: write --set data.${assignment.replace(/=.*$/s, '=…')}`
      : `Its fields are ${envelopeFields.join(', ')}, and data holds the customer`,
  )
}

// The names below `data` that the interface does not have, for a notice: the event is sent with them.
export const findUnknownFields = (assignments: readonly string[]): string[] =>
  assignments
    .flatMap((assignment) => /^data\.([^.[=:]+)/.exec(assignment)?.[1] ?? [])
    .filter((name) => !customerFields.includes(name))

export function buildOwnEvent(type: string, customer: object, nowMs: number, assignments: readonly string[]): string {
  for (const assignment of assignments) checkPath(assignment)
  const timestamp = new Date(nowMs).toISOString().replace(/\.\d+Z$/, 'Z')
  const body: Record<string, unknown> = {type, timestamp, data: parseJson(JSON.stringify(customer))}
  for (const assignment of assignments) applyUntypedAssignment(body, assignment)
  return JSON.stringify(body)
}

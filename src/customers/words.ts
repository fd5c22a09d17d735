// What is said of a customer by its status: what a person does next, and why its data is not taken.
import type {Result} from '../cli/output/result.ts'
import {describeUnservedLink, isUnservedLink, toText} from '../cli/output/view.ts'
import type {Client} from '../client/client.ts'
import {type LooseCustomer, readCode} from '../contract/loose.ts'
import {type CustomerStatus, patchableStatuses} from '../contract/vocabulary.ts'
import {SvcError} from '../errors.ts'
import {lookUp} from '../values/records.ts'
import {svc} from '../values/text.ts'

const supportStep = 'the service takes no more data of this customer; its support can say more'

// The next step for each status, as the end of a sentence.
const steps: Readonly<Record<CustomerStatus, (id: string) => string>> = {
  CREATED: (id) =>
    `the customer fills in the form, which ${svc`open ${id}`} opens, or ${svc`customers update ${id}`} submits the data`,
  UNDER_REVIEW: (id) =>
    `${svc`customers watch ${id}`} waits for the outcome, which takes minutes, or days if a person reviews it`,
  NEEDS_ADDITIONAL_INFORMATION: (id) =>
    `${svc`customers fix ${id}`} corrects it, step by step; ${svc`open ${id}`} opens the form in which the customer can`,
  ACTIVE: (id) => `${svc`accounts list --customer ${id}`} shows its accounts, and ${svc`pay --customer ${id}`} pays`,
  REJECTED: () => supportStep,
  DEACTIVATED: () => supportStep,
}

export const describeStep = (status: CustomerStatus, id: string) => steps[status](id)

// After a refusal. There is nothing to say of a customer that was not refused.
export function describeCorrection({customerId, customerStatus}: LooseCustomer): string[] {
  const status = readCode(customerStatus)
  if (status !== 'REJECTED' && status !== 'NEEDS_ADDITIONAL_INFORMATION') return []
  return [`Next: ${describeStep(status, toText(customerId))}.`]
}

// The service answers CREATED to every new customer, also to one whose data it was given (docs/assumptions.md, V1).
const sentNote = 'The data was sent and is reviewed from now on; the service calls every new customer CREATED at first.'

// Whole sentences about the customer that is the result of a write, which may have carried verification data.
export function describeNextStep(result: Result, isSubmitted: boolean): string[] {
  const {customerId, customerStatus}: LooseCustomer = result?.kind === 'item' ? result.value : {}
  const id = toText(customerId)
  const isNew = readCode(customerStatus) === 'CREATED' && isSubmitted
  const status = isNew ? 'UNDER_REVIEW' : readCode(customerStatus)
  const step = lookUp(steps, status)?.(id)
  return [...(isNew ? [sentNote] : []), ...(step === undefined ? [] : [`Next: ${step}.`])]
}

// Rejects data for a customer whose status takes none, as the service would, before anything is sent. A status that the contract does
// not name is left to the service (docs/assumptions.md, C11).
export function rejectIfLocked(customerId: string, customerStatus: unknown): void {
  const status = readCode(customerStatus)
  const step = patchableStatuses.some((each) => each === status) ? undefined : lookUp(steps, status)
  if (step === undefined) return
  throw new SvcError({
    error: 'PATCH_NOT_ALLOWED',
    kind: 'refused',
    statusCode: 400,
    message: `The customer is ${status}, and data is accepted only while it is ${patchableStatuses.join(' or ')}`,
    hint:
      status === 'ACTIVE'
        ? 'It is verified, so there is nothing to correct; if its data has changed, contact the service’s support; nothing was sent'
        : `Nothing was sent; ${step(customerId)}`,
  })
}

// Says how to open a link that no browser can open, or nothing.
export const describeDeadForm = ({customerId, verificationLink}: LooseCustomer): string[] =>
  isUnservedLink(verificationLink) ? [describeUnservedLink(svc`open ${toText(customerId)}`)] : []

export async function requireVerificationLink(client: Client, customerId: string): Promise<string> {
  const {verificationLink} = await client.customers.get({customerId})
  if (typeof verificationLink === 'string' && verificationLink !== '') return verificationLink
  throw new SvcError({
    error: 'NOT_FOUND',
    kind: 'notFound',
    message: 'The customer has no verification link',
    hint: `${svc`customers get ${customerId}`} shows the customer`,
  })
}

// What a person would do next, after a customer was created, submitted or corrected.
import type {Result} from '../cli/output/result.ts'
import {toText} from '../cli/output/view.ts'
import {issueCodes} from '../contract/issue-codes.ts'
import {type LooseCustomer, readCode} from '../contract/loose.ts'
import {quoteForShell} from '../values/text.ts'

interface Written {
  // Whether the write carried verification data.
  isSubmitted: boolean
  // In the embedded sandbox nobody reviews anything, and its forms are served only on request.
  isSandbox: boolean
}

function describeForm(id: string, isSandbox: boolean): string[] {
  if (!isSandbox) {
    return [
      `Next: the customer fills in the form (\`svc open ${id}\` opens it), or \`svc customers update ${id}\` submits the data.`,
    ]
  }
  return [
    `Next: \`svc open ${id}\` serves the form and opens it (the link works only then), or \`svc customers update ${id}\` submits the data.`,
    `In the sandbox, \`svc sandbox verify ${id} --outcome approved\` approves the customer without either.`,
  ]
}

// The service answers CREATED to every new customer, also to one whose data it was given (docs/assumptions.md, V1).
const sentNote = 'The data was sent and is reviewed from now on; the service calls every new customer CREATED at first.'

function describeReview(id: string, isSandbox: boolean): string[] {
  if (!isSandbox) {
    return [
      `Next: verification takes minutes, or days if a person reviews it. \`svc customers watch ${id}\` waits for the outcome.`,
    ]
  }
  return [
    `Next: the sandbox decides within a minute. \`svc customers watch ${id}\` waits for the outcome; \`svc sandbox clock advance 1m\` brings it at once.`,
  ]
}

// After a refusal. There is nothing to say of a customer that was not refused.
export function describeCorrection({customerId, customerStatus, verificationIssues}: LooseCustomer): string[] {
  const id = quoteForShell(toText(customerId))
  const status = readCode(customerStatus)
  if (status === 'REJECTED') return ['Next: the service takes no more data of this customer; its support can say more.']
  if (status !== 'NEEDS_ADDITIONAL_INFORMATION') return []
  const codes = Array.isArray(verificationIssues) ? verificationIssues.map((issue) => issue?.code) : []
  const isForSupport = (code: unknown) => issueCodes.some((each) => each.code === code && each.resolver === 'SUPPORT')
  if (codes.length > 0 && codes.every(isForSupport)) {
    return [`Next: only the service’s support can resolve it; \`svc customers fix ${id}\` shows what to tell them.`]
  }
  return [
    `Next: \`svc customers fix ${id}\` corrects it, step by step; \`svc open ${id}\` opens the form in which the customer can.`,
  ]
}

// Whole sentences about the customer that is the result of the write.
export function describeNextStep(result: Result, {isSubmitted, isSandbox}: Written): string[] {
  const customer: LooseCustomer = result?.kind === 'item' ? result.value : {}
  const id = quoteForShell(toText(customer.customerId))
  const status = readCode(customer.customerStatus)
  if (status === 'ACTIVE') {
    return [`Next: \`svc accounts list --customer ${id}\` shows its accounts, and \`svc pay --customer ${id}\` pays.`]
  }
  if (status === 'CREATED' && isSubmitted) return [sentNote, ...describeReview(id, isSandbox)]
  if (status === 'UNDER_REVIEW') return describeReview(id, isSandbox)
  return status === 'CREATED' ? describeForm(id, isSandbox) : describeCorrection(customer)
}

// Makes sure that the plan of `svc pay` was approved where the profile wants it, and says how to have it approved.
import {needsApproval} from '../../controls/check-spending.ts'
import {digestItem} from '../../controls/fields.ts'
import {type ApprovalSubject, digestParts} from '../../controls/statement.ts'
import {SvcError, badUsage} from '../../errors.ts'
import type {Caller} from '../../profiles/caller.ts'
import type {ServiceTraits} from '../../profiles/service-knowledge.ts'
import {findPaidKeys} from '../journal/entries.ts'
import type {Plan} from './plan.ts'
import {getMostSent} from '../protocol/limits.ts'
import {listPaymentFields} from './payment-fields.ts'
import type {Approval} from '../controls/require-approval.ts'

export interface PlanToApprove {
  caller: Caller
  traits: ServiceTraits
  plan: Plan
  // The file of -f. Flags alone cannot be approved.
  file: string | undefined
  // The only key that the run pays. Absent if it may pay others, too.
  key?: string | undefined
}

const sumPlan = (plan: Plan) => [{currency: plan.content.source.sourceCurrency, amount: getMostSent(plan)}]

const onlyFlags = ({label, approvals}: Caller) =>
  new SvcError({
    error: 'NOT_APPROVED',
    kind: 'limit',
    message: `This payment needs ${approvals?.required} ${approvals?.required === 1 ? 'approval' : 'approvals'} with ${label}, and only a file can be approved`,
    hint: 'Write it to a file with --write-plan FILE, have others approve that with `svc approve FILE`, and pay it with `svc pay -f FILE`; nothing was sent',
  })

// For a payment that needs approvals whatever it is, before anything is asked.
export function rejectFlagsAlone(caller: Caller, file: string | undefined): void {
  const {approvals} = caller
  if (file === undefined && approvals && approvals.required > 0 && !approvals.above) throw onlyFlags(caller)
}

// Whoever approves a payment knows how much leaves at most: for what is to arrive, the price alone would say it, and later.
export function rejectOpenAmount(payment: Plan): void {
  if (getMostSent(payment) !== '') return
  throw badUsage(
    `The payment ${payment.key} says what is to arrive, and not how much may be sent at most, so nobody can approve it`,
    'Add maxSend (with `svc pay`: --max-send); nothing was sent',
  )
}

const nothingApproved: Approval = {approvals: [], isApproved: false}

// A payment that was made is only reported, whether its approval still counts or not.
async function isMade({serviceId, journal}: ServiceTraits, key: string | undefined): Promise<boolean> {
  if (key === undefined) return false
  return (await findPaidKeys({serviceId, journal}, [key])).has(key)
}

export async function requirePlanApproval({caller, traits, plan, file, key}: PlanToApprove): Promise<Approval> {
  const sums = sumPlan(plan)
  if (caller.approvals && caller.approvals.required > 0) rejectOpenAmount(plan)
  if (file === undefined) {
    if (needsApproval(caller, sums)) throw onlyFlags(caller)
    return nothingApproved
  }
  if (!caller.approvals) return nothingApproved
  const subject = createPaymentSubject(traits.serviceId, plan)
  const {requireApproval} = await import('../controls/require-approval.ts')
  try {
    return await requireApproval({caller, journal: traits.journal, subject, sums, file})
  } catch (error) {
    const isMissing = error instanceof SvcError && error.kind === 'limit'
    if (isMissing && (await isMade(traits, key))) return nothingApproved
    throw error
  }
}

// What people approve of a payment: its key, its content and its limits, whatever their spelling.
export const digestPayment = (payment: Plan): Buffer => digestItem({fields: listPaymentFields(payment)})

export const createPaymentSubject = (serviceId: string, payment: Plan): ApprovalSubject => ({
  kind: 'payment',
  serviceId,
  digest: digestParts([digestPayment(payment)]),
})

// The rows of a file or a batch, in any order.
export const createPayoutsSubject = (serviceId: string, rows: readonly Plan[]): ApprovalSubject => ({
  kind: 'payouts',
  serviceId,
  digest: digestParts(rows.map(digestPayment)),
})

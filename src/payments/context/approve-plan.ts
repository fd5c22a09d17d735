// Makes sure that the plan of `svc pay` was approved where the policy wants it, and shows it to
// those who approve.
import {type NameAccount, readAccountNames} from '../../accounts/parties.ts'
import {rejectProblems} from '../../cli/body/reject-problems.ts'
import type {Client} from '../../client/client.ts'
import {type Approvable, type ApprovalFact, linesShownMax} from '../../controls/approvable.ts'
import type {ApprovalStore} from '../../controls/approval-store.ts'
import type {Approval} from '../../controls/approvals.ts'
import {needsApproval} from '../../controls/check-spending.ts'
import {createRefusal} from '../../controls/limits.ts'
import {type PayeeJournal, describePayees, listNewPayees} from '../../controls/new-payees.ts'
import type {ApprovalSubject} from '../../controls/statement.ts'
import {badUsage} from '../../errors.ts'
import type {Caller} from '../../profiles/caller.ts'
import {createOpenChoiceError} from '../../quotes/complete-route.ts'
import {type JournalAddress, isDatabase} from '../../storage/journal-address.ts'
import {countNoun, svc} from '../../values/text.ts'
import type {Journal} from '../journal/journal.ts'
import {getMostSent} from '../protocol/limits.ts'
import {decideRoute} from '../pay/decide-route.ts'
import {type PaymentContextSettings, type PayRun, withPaymentContext} from './open-context.ts'
import {createPaymentItem, createPaymentSubject, describePayee} from './payment-fields.ts'
import {type Plan, readPlan, toPlan} from '../pay/plan.ts'
import {readZoneTime, resolveKey, zoneDefault} from '../pay/slots.ts'

const createFlagsOnlyError = ({label, approvals}: Caller) =>
  createRefusal(
    'NOT_APPROVED',
    `This payment needs ${countNoun(approvals?.required ?? 0, 'approval')} with ${label}, and only a file can be approved`,
    `Write it to a file (\`svc template payment\`), have others approve that with ${svc`approve FILE`}, and pay it with ${svc`pay -f FILE`}; nothing was sent`,
  )

// Refuses flags without a file where every payment needs approvals, before anything is asked.
export function requirePlanFile(caller: Caller, file: string | undefined): void {
  const {approvals} = caller
  if (file === undefined && approvals && approvals.required > 0 && !approvals.above) throw createFlagsOnlyError(caller)
}

// The approvers of a payment have to know how much leaves at most. A payment that says what is to
// arrive tells them only with maxSend.
function requireMostSent(payment: Plan): void {
  if (getMostSent(payment) !== '') return
  throw badUsage(
    `The payment ${payment.key} says what is to arrive, and not how much may be sent at most, so nobody can approve it`,
    `Add maxSend (with ${svc`pay`}: --max-send); nothing was sent`,
  )
}

// Opens the approvals of a file, or of a batch without one: in the database of the journal if there
// is one, else beside the file. A run that has the journal open reads them over its connections,
// since a new connection may have to ask for a password.
export async function openApprovalStore(
  address: JournalAddress,
  subject: ApprovalSubject,
  file: string | undefined,
  journal: Pick<Journal, 'withDatabase'> | undefined,
): Promise<ApprovalStore> {
  const {createDatabaseStore, createFileStore} = await import('../../controls/approval-store.ts')

  if (isDatabase(address)) {
    const {withJournalDatabase} = await import('../journal/postgres/open-postgres-journal.ts')
    return createDatabaseStore(subject, (work) => journal?.withDatabase?.(work) ?? withJournalDatabase(address, work))
  }
  if (file !== undefined && file !== '-') return createFileStore(file)
  const reject = async () => {
    throw badUsage(
      'Approvals are kept beside a file, and this comes from standard input',
      `Write it to a file, and have that approved with ${svc`approve FILE`}; nothing was sent`,
    )
  }
  return {place: 'standard input', list: reject, add: reject}
}

// Makes sure that the plan was approved where the policy wants that. `key` is the plan's, with its
// slot. Flags without a file cannot be approved. A payment that was made is only reported, whether
// its approval still counts or not.
export async function requirePlanApproval(
  {caller, traits, flags: {file}, journal, clock}: PayRun,
  plan: Plan,
  key: string,
): Promise<Approval> {
  const {serviceId} = traits
  const nothingApproved = {approvals: [], isApproved: false}

  if (!caller.approvals || (await journal.find(serviceId, key))?.state === 'CREATED') return nothingApproved
  if (caller.approvals.required > 0) requireMostSent(plan)
  const sums = [{currency: plan.content.source.sourceCurrency, amount: getMostSent(plan)}]
  if (file === undefined) {
    if (needsApproval(caller, sums)) throw createFlagsOnlyError(caller)
    return nothingApproved
  }

  const subject = createPaymentSubject(serviceId, plan)
  const {requireApproval} = await import('../../controls/approvals.ts')
  const store = await openApprovalStore(traits.journal, subject, file, journal)
  return requireApproval({caller, subject, store, sums, name: file, clock})
}

export interface PayeeReading {
  serviceId: string
  client: Client
  journal: PayeeJournal
  // Whether the whole list is shown, however long.
  isAll?: boolean | undefined
}

const getPayee = ({content}: Plan) => content.destination.destinationPaymentAccountId

// The payees of payments as people see them before they approve: names and banks, and who is new.
export async function describePaymentPayees(
  reading: PayeeReading,
  payments: readonly Plan[],
  shown: readonly Plan[],
): Promise<{facts: ApprovalFact[]; nameAccount: NameAccount}> {
  const newPayees = await listNewPayees(reading, payments, getPayee)
  const named = [...shown, ...(reading.isAll ? newPayees : newPayees.slice(0, linesShownMax))]
  const nameAccount = await readAccountNames(
    reading.client,
    named.map(({content}) => content.customerId),
  )
  const newOnes = newPayees.map((payment) => describePayee(payment, nameAccount))
  return {nameAccount, facts: describePayees(new Set(payments.map(getPayee)).size, newOnes)}
}

// Reads the plan of a payment for those who approve it, with its route as it would be paid. Flags
// are not read, since they cannot be approved.
export async function readApprovablePlan(
  file: string,
  settings: Pick<PaymentContextSettings, 'connect' | 'traits'>,
): Promise<Approvable> {
  const {problems, fields} = await readPlan({file})
  rejectProblems(problems, fields)
  const {serviceId} = settings.traits
  return withPaymentContext(settings, async (context) => {
    const {client, journal} = context
    const {key} = resolveKey(toPlan(fields).key, readZoneTime(zoneDefault))
    const {body, choices} = await decideRoute(context, {serviceId, key}, fields)
    if (choices.length > 0) throw createOpenChoiceError(choices)

    const plan = toPlan(body)
    requireMostSent(plan)
    const {facts, nameAccount} = await describePaymentPayees({serviceId, client, journal}, [plan], [plan])
    const content = {fields: [], list: {noun: 'payment', items: [createPaymentItem(plan, nameAccount)]}}
    return {subject: createPaymentSubject(serviceId, plan), name: file, file, facts, content}
  })
}

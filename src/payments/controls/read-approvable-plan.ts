// Reads the plan of a payment for those who approve it, with its route as it would be paid.
import {createIdResolver} from '../../accounts/find-account.ts'
import {type WarningPolicy, rejectUnlessAccepted} from '../../cli/body/reject-problems.ts'
import type {Client} from '../../client/client.ts'
import type {Approvable} from '../../controls/approvable.ts'
import {badUsage} from '../../errors.ts'
import type {ServiceTraits} from '../../profiles/service-knowledge.ts'
import {createOpenChoiceError, lacksDetails} from '../../quotes/complete-route.ts'
import {resolveIds} from '../../quotes/resolve-route.ts'
import type {Journal} from '../journal/journal.ts'
import {decideRoute, readAccountNames} from '../plan/decide-route.ts'
import {type Plan, readPlan} from '../plan/plan.ts'
import {resolveKey, zoneDefault} from '../plan/slots.ts'
import {type PaymentContextSettings, withPaymentContext} from '../run/open-context.ts'
import {createPaymentSubject} from './approve-plan.ts'

export interface PlanReading {
  file: string
  traits: ServiceTraits
  connect: PaymentContextSettings['connect']
  warningPolicy: WarningPolicy
}

export async function readApprovablePlan({file, traits, connect, warningPolicy}: PlanReading): Promise<Approvable> {
  const {missing, problems, body: given, plan: known, complete} = await readPlan({file, set: undefined})
  if (missing.length > 0 && missing.length === problems.length) {
    throw badUsage(
      `${file} lacks ${missing.join(', ')}`,
      'Add it to the file: what a flag would say cannot be approved',
    )
  }
  await rejectUnlessAccepted(problems, given, warningPolicy)
  const {serviceId} = traits
  return withPaymentContext({traits, connect}, async (context) => {
    const {client, journal} = context
    const whole = await resolveIds(
      createIdResolver(async () => client),
      given,
      {prefix: ''},
    )
    if (!lacksDetails(whole, '')) {
      return describePlan({serviceId, plan: complete({body: whole, key: known.key}), file, client, journal})
    }
    const {key} = resolveKey(known.key, {atMs: Date.now(), zone: zoneDefault})
    const {body, choices} = await decideRoute(context, {serviceId, key}, whole)
    if (choices.length > 0) throw createOpenChoiceError(choices)
    return describePlan({serviceId, plan: complete({body, key: known.key}), file, client, journal})
  })
}

// What people see of a single payment before they approve it.
interface PlanToDescribe {
  serviceId: string
  plan: Plan
  file: string
  client: Client
  journal: Pick<Journal, 'listPayees'>
}

function describeLimits({limits: {feeMax, rateMin, receivedMin}, isGuaranteed}: Plan): string[] {
  const fee = feeMax && ('amount' in feeMax ? feeMax.amount : `${feeMax.percent}%`)
  return [
    ...(fee === undefined ? [] : [`fees of at most ${fee}`]),
    ...(rateMin === undefined ? [] : [`a rate of at least ${rateMin}`]),
    ...(receivedMin === undefined ? [] : [`at least ${receivedMin} received`]),
    ...(isGuaranteed ? ['a guaranteed amount'] : []),
  ]
}

async function describePlan({serviceId, plan, file, client, journal}: PlanToDescribe): Promise<Approvable> {
  const {key, content} = plan
  const {source, destination, developerFee} = content
  const account = destination.destinationPaymentAccountId
  const nameAccount = await readAccountNames(client, [content])
  const [known] = await journal.listPayees(serviceId, [account])
  const amount = `${source.sourceAmount} ${source.sourceCurrency.toUpperCase()}`
  const fee = developerFee ? `${developerFee.developerFeeAmount} ${developerFee.developerFeeType}` : ''
  const limits = describeLimits(plan)
  return {
    subject: createPaymentSubject(serviceId, plan),
    name: file,
    file,
    facts: [
      {label: 'Key', lines: [key.includes('{') ? `${key}, once for each of its dates` : key]},
      {label: 'Amount', lines: [amount]},
      {label: 'From', lines: [source.sourcePaymentAccountId]},
      {label: 'To', lines: [nameAccount(content)]},
      {label: 'New payee', lines: [known?.isPaid ? 'no: it was paid before' : 'yes: this journal never paid it']},
      {label: 'Your fee', lines: fee === '' ? [] : [fee]},
      {label: 'Only with', lines: limits},
    ],
    snapshot: {
      amount,
      to: account,
      from: source.sourcePaymentAccountId,
      customer: content.customerId,
      fee,
      limits: limits.join(', '),
    },
  }
}

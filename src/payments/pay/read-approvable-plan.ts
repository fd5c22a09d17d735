// Reads the plan of a payment for those who approve it, with its route as it would be paid.
import {readAccountNames} from '../../accounts/account-names.ts'
import {createIdResolver} from '../../accounts/find-account.ts'
import {type WarningPolicy, rejectUnlessAccepted} from '../../cli/body/reject-problems.ts'
import type {Client} from '../../client/client.ts'
import type {Approvable} from '../../controls/approvable.ts'
import {badUsage} from '../../errors.ts'
import type {ServiceTraits} from '../../profiles/service-knowledge.ts'
import {createOpenChoiceError, lacksDetails} from '../../quotes/complete-route.ts'
import {resolveIds} from '../../quotes/resolve-route.ts'
import type {Journal} from '../journal/journal.ts'
import {decideRoute} from './decide-route.ts'
import {type Plan, readPlan, toPlan} from './plan.ts'
import {resolveKey, zoneDefault} from './slots.ts'
import {type PaymentContextSettings, withPaymentContext} from './open-context.ts'
import {createPaymentSubject, rejectOpenAmount} from './approve-plan.ts'
import {createPaymentItem} from './payment-fields.ts'

export interface PlanReading {
  file: string
  traits: ServiceTraits
  connect: PaymentContextSettings['connect']
  warningPolicy: WarningPolicy
}

export async function readApprovablePlan({file, traits, connect, warningPolicy}: PlanReading): Promise<Approvable> {
  const {missing, problems, fields: given} = await readPlan({file, set: undefined})
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
      return describePlan({serviceId, plan: toPlan(whole), file, client, journal})
    }
    const {key} = resolveKey(toPlan(whole).key, {atMs: Date.now(), zone: zoneDefault})
    const {body, choices} = await decideRoute(context, {serviceId, key}, whole)
    if (choices.length > 0) throw createOpenChoiceError(choices)
    return describePlan({serviceId, plan: toPlan(body), file, client, journal})
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

async function describePlan({serviceId, plan, file, client, journal}: PlanToDescribe): Promise<Approvable> {
  const {content} = plan
  rejectOpenAmount(plan)
  const nameAccount = await readAccountNames(client, [content.customerId])
  const [known] = await journal.listPayees(serviceId, [content.destination.destinationPaymentAccountId])
  return {
    subject: createPaymentSubject(serviceId, plan),
    name: file,
    file,
    facts: [
      {label: 'New payee', lines: [known?.isPaid ? 'no: it was paid before' : 'yes: this journal never paid it']},
    ],
    content: {fields: [], list: {noun: 'payment', items: [createPaymentItem(plan, nameAccount)]}},
  }
}

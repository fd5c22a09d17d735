// Reads the plan of a payment for those who approve it, with its route as it would be paid.
import type {Approvable} from '../../controls/approvable.ts'
import {type WarningPolicy, rejectUnlessAccepted} from '../../cli/body/accept-warnings.ts'
import {badUsage} from '../../errors.ts'
import {createIdResolver} from '../../accounts/id-resolver.ts'
import {createOpenChoiceError, lacksDetails} from '../../quotes/complete-route.ts'
import {resolveIds} from '../../quotes/resolve-ids.ts'
import type {ServiceTraits} from '../../profiles/service-traits.ts'
import {describePlan} from './approvable-plan.ts'
import {decideRoute} from '../plan/decide-route.ts'
import {type PaymentContextSettings, withPaymentContext} from '../run/open-context.ts'
import {readPlan} from '../plan/plan.ts'
import {resolveKey} from '../plan/slots.ts'
import {zoneDefault} from '../plan/slot-time.ts'

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

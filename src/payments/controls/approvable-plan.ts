// What people see of a single payment before they approve it.
import type {Approvable} from '../../controls/approvable.ts'
import type {Client} from '../../client/client.ts'
import {createPaymentSubject} from './approval-subject.ts'
import type {Journal} from '../journal/journal.ts'
import {readAccountNames} from '../plan/name-accounts.ts'
import type {Plan} from '../plan/plan.ts'

export interface PlanToDescribe {
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

export async function describePlan({serviceId, plan, file, client, journal}: PlanToDescribe): Promise<Approvable> {
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

// What people see of the payees of many payments before they approve them: their names and banks, and who is new.
import {type NameAccount, customersNamedMax, readAccountNames} from '../../accounts/account-names.ts'
import type {Client} from '../../client/client.ts'
import {type ApprovalFact, describePayeeCount, linesMax} from '../../controls/approvable.ts'
import type {Journal} from '../journal/journal.ts'
import type {Plan} from './plan.ts'
import {describePayee} from './payment-fields.ts'

export interface PayeeReading {
  serviceId: string
  client: Client
  journal: Pick<Journal, 'listPayees'>
  // Whether everything is shown, however long it is.
  isAll?: boolean | undefined
}

const getPayee = ({content}: Plan) => content.destination.destinationPaymentAccountId

// One payment for each account that this journal has never paid.
async function listNewPayees({serviceId, journal}: PayeeReading, payments: readonly Plan[]): Promise<Plan[]> {
  const byPayee = new Map(payments.map((payment) => [getPayee(payment), payment]))
  const known = await journal.listPayees(serviceId, [...byPayee.keys()])
  for (const {destination, isPaid} of known) if (isPaid) byPayee.delete(destination)
  return [...byPayee.values()]
}

export async function describePayees(
  reading: PayeeReading,
  payments: readonly Plan[],
  shown: readonly Plan[],
): Promise<{facts: ApprovalFact[]; nameAccount: NameAccount}> {
  const {client, isAll = false} = reading
  const newPayees = await listNewPayees(reading, payments)
  const count = new Set(payments.map(getPayee)).size
  const customerIds = [...shown, ...(isAll ? newPayees : newPayees.slice(0, linesMax))].map(
    ({content}) => content.customerId,
  )
  const nameAccount = await readAccountNames(client, customerIds)
  const facts = [
    {label: 'Payees', lines: [describePayeeCount(count, newPayees.length)]},
    {
      label: 'New payees',
      lines: newPayees.map(({content}) => describePayee(content, nameAccount)),
      noun: 'new payee',
    },
    {
      label: 'Names',
      lines:
        new Set(customerIds).size > customersNamedMax
          ? [`of ${customersNamedMax} customers; the accounts of the others are shown by their ids`]
          : [],
    },
  ]
  return {facts, nameAccount}
}

// What a scenario needs besides the other controls: it looks at things without sending a request, so that no fault acts on it, and
// it plays the receivers of webhooks.
import type {Customer} from '../../contract/customers.ts'
import {type CustomerRow, findCustomerRow, toCustomer} from '../service/customers/customer-store.ts'
import {type AccountRow, findAccountRow} from '../service/money/accounts.ts'
import {findTransaction} from '../service/money/transaction-store.ts'
import {runOperation} from '../service/operation.ts'
import type {RequestContext, SandboxEnvironment} from '../service/request-context.ts'
import {findRuleRow} from '../service/rules/rule-store.ts'
import {findNextDue} from '../time/queue.ts'
import {type Outcome, claimAttempt, recordOutcome} from '../service/webhooks/attempts.ts'
import {insertEndpoint, listEndpointRows, removeEndpoint, toEndpoint} from '../service/webhooks/endpoint-store.ts'

export type AccountFacts = Pick<AccountRow, 'accountId' | 'customerId' | 'paymentAccountType' | 'method' | 'currency'>

export type Countable = 'customers' | 'accounts' | 'transactions' | 'rules' | 'events' | 'deliveries'

interface CountFilter {
  // The id of a customer, or of an account for its transactions and rules.
  of?: string | undefined
  status?: string | undefined
}

const selectByName = `
  select customerId from customers where name = ?1 or email = ?1 order by createdAt, seq limit 1`

function findCustomer(context: RequestContext, nameOrEmail: string): Customer | undefined {
  const found = context.database.one<{customerId: string}>(selectByName, nameOrEmail)
  const row = found && findCustomerRow(context.database, found.customerId)
  return row && toCustomer(context, row)
}

function readCustomer(context: RequestContext, customerId: string): Customer | undefined {
  const row: CustomerRow | undefined = findCustomerRow(context.database, customerId)
  return row && toCustomer(context, row)
}

interface Source {
  from: string
  // The columns, or the queries for a row, that may have the id of what is counted for.
  of: readonly string[]
  status: string
}

const sources: Readonly<Record<Countable, Source>> = {
  customers: {from: 'customers', of: ['customerId'], status: 'customerStatus'},
  accounts: {from: 'accounts', of: ['customerId'], status: 'paymentAccountStatus'},
  transactions: {
    from: 'transactions',
    of: [
      'lower((select customerId from customers where customers.seq = customerSeq))',
      'lower((select accountId from accounts where accounts.seq = sourceAccountSeq))',
      'lower((select accountId from accounts where accounts.seq = destinationAccountSeq))',
    ],
    status: 'transactionStatus',
  },
  rules: {from: 'rules', of: ['customerId', 'sourcePaymentAccountId'], status: 'triggerType'},
  events: {from: 'webhookEvents', of: ['customerId'], status: "body ->> '$.data.customerStatus'"},
  deliveries: {
    from: 'webhookDeliveries d join webhookEvents e using (eventId)',
    of: ['e.customerId'],
    status: 'd.status',
  },
}

function count({database}: RequestContext, what: Countable, {of, status}: CountFilter): number {
  const source = sources[what]
  const row = database.one<{count: number}>(
    `select count(*) as count from ${source.from}
     where (?1 is null or ?1 in (${source.of.join(', ')})) and (?2 is null or ${source.status} = ?2)`,
    of ?? null,
    status ?? null,
  )
  return row?.count ?? 0
}

// An attempt is recorded at once, so the lease never has to last.
const leaseMs = 60_000

function deliver(environment: SandboxEnvironment, endpointId: string, reply: () => Outcome): void {
  for (;;) {
    const attempt = claimAttempt(environment, endpointId, leaseMs)
    if (!attempt) return
    recordOutcome(environment, attempt, reply())
  }
}

const hasEndpoint = ({database}: RequestContext, endpointId: string) =>
  listEndpointRows(database).some((row) => row.endpointId === endpointId)

export const createScenarioControls = (environment: SandboxEnvironment) => ({
  // Whether events are stored although no endpoint gets them. Returns whether they were before.
  keepEvents(isKept: boolean) {
    const before = environment.keepsEvents ?? false
    environment.keepsEvents = isKept
    return before
  },
  // By name or email. The oldest, if there are several.
  findCustomer: (nameOrEmail: string) => runOperation(environment, (context) => findCustomer(context, nameOrEmail)),
  readCustomer: (customerId: string) => runOperation(environment, (context) => readCustomer(context, customerId)),
  readAccount: (accountId: string): AccountFacts | undefined =>
    runOperation(environment, ({database}) => findAccountRow(database, accountId)),
  readTransaction: (transactionId: string) =>
    runOperation(environment, ({database}) => findTransaction(database, transactionId)),
  countFirings: (ruleId: string) =>
    runOperation(environment, ({database}) => findRuleRow(database, ruleId)?.firedCount),
  count: (what: Countable, filter: CountFilter) => runOperation(environment, (context) => count(context, what, filter)),
  // An endpoint whose replies the scenario decides. Nothing is sent over a network, and a server leaves it alone.
  addReceiver: (name: string, options: {copies?: number | undefined; reorder?: boolean | undefined}) =>
    runOperation(environment, (context) =>
      toEndpoint(insertEndpoint(context, {url: name, ...options, isPlayed: true}), false),
    ),
  // Makes the attempts that are due, at the time of the clock, with these replies.
  deliver: (endpointId: string, reply: () => Outcome) => deliver(environment, endpointId, reply),
  removeReceiver: (endpointId: string) =>
    runOperation(environment, (context) => {
      if (hasEndpoint(context, endpointId)) removeEndpoint(context.database, endpointId)
    }),
  // When the next task is due, in milliseconds since 1970. `foreground` leaves out rules and webhook attempts.
  findNextDue: (among: 'everything' | 'foreground') => findNextDue(environment.database, among),
})

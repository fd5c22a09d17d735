// Reads everything that the console shows in one operation.
import {parseStored} from '../store/database.ts'
import {
  countCustomersByStatus,
  toCustomer,
  readCustomerPage,
  findCustomerRow,
} from '../service/customers/customer-store.ts'
import {behavioursDefault, readBehaviours} from '../service/faults/behaviours.ts'
import {listFaults} from '../service/faults/faults.ts'
import {listAccountRows, listNewestAccountRows} from '../service/money/accounts.ts'
import {toAccountWithBalances} from '../service/money/controls.ts'
import {readTransactionPage} from '../service/money/transaction-store.ts'
import type {Transaction} from '../service/money/transitions.ts'
import {listRuleRows} from '../service/rules/rule-store.ts'
import {listSnapshots} from '../store/snapshots.ts'
import {readClockStatus} from '../time/clock.ts'
import {readQueueStatus, listWaitingTasks} from '../time/queue.ts'
import type {RequestContext} from '../service/request-context.ts'
import {listDeliveries} from '../service/webhooks/event-store.ts'
import {toEndpoint, listEndpointRows} from '../service/webhooks/endpoint-store.ts'
import {listLatestRequests} from '../service/log/controls.ts'

export interface Selection {
  customer?: string | undefined
  account?: string | undefined
  transaction?: string | undefined
}

// The console shows the newest rows; svc lists everything.
export const rowsMax = 25

export function readConsoleState(context: RequestContext, selection: Selection) {
  const {database} = context
  const found = selection.customer === undefined ? undefined : findCustomerRow(database, selection.customer)
  const customerId = found?.customerId
  const query = {customerId, pageSize: rowsMax}
  const accounts = found ? listAccountRows(database, found.customerId) : listNewestAccountRows(database, rowsMax)
  return {
    clock: readClockStatus(database),
    queue: {waiting: readQueueStatus(database).waiting, tasks: listWaitingTasks(database, rowsMax)},
    counts: countCustomersByStatus(database),
    customers: readCustomerPage(context, {pageSize: rowsMax}, behavioursDefault).rows.map((row) =>
      toCustomer(context, row),
    ),
    // The selected customer. Accounts, transactions and rules of others are left out.
    customer: found && toCustomer(context, found),
    getCustomerName: (id: string) => findCustomerRow(database, id)?.name ?? id,
    accounts: accounts.map((row) => toAccountWithBalances(context, row)),
    transactions: readTransactionPage(context, query, behavioursDefault).rows.map(({reply}) =>
      parseStored<Transaction>(reply),
    ),
    rules: listRuleRows(database, {customerId}).slice(0, rowsMax),
    endpoints: listEndpointRows(database).map((row) => toEndpoint(row, false)),
    deliveries: listDeliveries(database, {limit: rowsMax}).deliveries,
    requests: listLatestRequests(database, rowsMax),
    faults: listFaults(database),
    behaviours: readBehaviours(database),
    snapshots: listSnapshots(database),
  }
}

export type ConsoleState = ReturnType<typeof readConsoleState>

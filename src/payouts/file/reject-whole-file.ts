// Rejects a payout file with everything that is wrong with it at once: what svc sees in the file itself, and what the service says
// about its customers and accounts. So nobody has to correct a file twice.
import {SvcError} from '../../errors.ts'
import {type PaymentContextSettings, withPaymentContext} from '../../payments/run/open-context.ts'
import type {ServiceTraits} from '../../profiles/service-traits.ts'
import {createAccountReader} from './account-lists.ts'
import {completeRows} from './complete-rows.ts'
import {readJournalState} from '../run/journal-state.ts'
import type {OpenBatch} from '../run/open-batch.ts'
import {type ReadinessCheck, customersCheckedMax, findUnreadyRows} from './readiness.ts'
import type {FileProblem} from './records.ts'
import {type PayoutFile, type PayoutRow, readPayoutFile, rejectFile} from './rows.ts'

export interface ServiceAccess {
  traits: ServiceTraits
  connect: PaymentContextSettings['connect']
}

const concurrentReads = 4

async function listUnready(check: ReadinessCheck): Promise<FileProblem[]> {
  const unready = (await findUnreadyRows(check)) ?? []
  return unready.map(({row: {line}, reason}) => ({line, message: reason}))
}

async function listServiceProblems(access: ServiceAccess, rows: readonly PayoutRow[]): Promise<FileProblem[]> {
  const {serviceId} = access.traits
  return withPaymentContext({...access, isOnlyRead: true}, async (context) => {
    const {client, journal} = context
    const file = {rows, readAccounts: createAccountReader(client), concurrency: concurrentReads}
    const completed = await completeRows({...file, context, serviceId})
    const journalState = await readJournalState(journal, serviceId, completed.rows)
    return [...completed.problems, ...(await listUnready({...file, client, rows: completed.rows, journalState}))]
  })
}

// A service that cannot be asked speaks against no row: the file is wrong in any case.
async function listMore(rows: readonly PayoutRow[], openAccess: () => Promise<ServiceAccess>): Promise<FileProblem[]> {
  const customers = new Set(rows.map(({content}) => content.customerId))
  if (customers.size === 0 || customers.size > customersCheckedMax) return []
  try {
    return await listServiceProblems(await openAccess(), rows)
  } catch (error) {
    if (error instanceof SvcError && error.kind !== 'interrupted') return []
    throw error
  }
}

// Reads a file without problems of its own.
export async function readValidPayouts(file: string, openAccess: () => Promise<ServiceAccess>): Promise<PayoutFile> {
  const {rows, remarks, problems, routedRows} = await readPayoutFile(file)
  if (problems.length > 0) rejectFile(file, [...problems, ...(await listMore(routedRows, openAccess))], remarks)
  return {rows, remarks}
}

// Throws if ids or routes of the file cannot be completed, or if keys of it belong to other payments.
export async function rejectWrongRows(file: string, batch: OpenBatch, others = batch.journalState.problems) {
  const problems = [...batch.routeProblems, ...others]
  if (problems.length === 0) return
  rejectFile(file, [...problems, ...(await listUnready({...batch, client: batch.context.client}))])
}

// Reads the payments that a comparison with the service needs, so that one of the last day does not read a journal of years:
// those of the time, those that are unsettled, and those to which the transactions belong.
import type {LooseTransaction} from '../contract/loose.ts'
import {getPaymentIds} from './find-transaction.ts'
import type {Journal} from './journal/journal.ts'
import {walkPayments} from './journal/walk-payments.ts'
import {type Payment, type PaymentState, notMadeStates, unsettledStates} from './payment.ts'
import {readText} from './read-text.ts'
import {type Scope, checkStuck, createOwnerLookup, isInScope, isSince, svcCorrelationId} from './reconcile.ts'

// How long before the service made it a payment may have been armed, whatever the clocks of hosts say.
const armedBeforeMaxMs = 2 * 24 * 3_600_000
const lookupMax = 500

const isMarkedAsOwn = ({correlationId}: LooseTransaction) => svcCorrelationId.test(readText(correlationId))

class ComparedPayments {
  readonly #scope: Scope
  readonly #payments = new Map<string, Payment>()
  // The transactions of which the payment whose ids they carry is known.
  readonly #recognized = new Set<LooseTransaction>()

  constructor(scope: Scope) {
    this.#scope = scope
  }

  get all(): Payment[] {
    return [...this.#payments.values()]
  }

  isRecognized = (transaction: LooseTransaction) => this.#recognized.has(transaction)

  add(payments: readonly Payment[]): void {
    for (const payment of payments) this.#payments.set(JSON.stringify([payment.serviceId, payment.key]), payment)
  }

  // Adds those of the payments to which one of the transactions belongs, if that can lead to a finding.
  addOwners(payments: readonly Payment[], transactions: readonly LooseTransaction[]): void {
    const findOwners = createOwnerLookup(payments)
    for (const transaction of transactions) {
      const owners = [...findOwners(transaction)]
      const isCarrier = (owner: Payment) => getPaymentIds(owner).correlationId === transaction.correlationId
      if (owners.some(isCarrier)) this.#recognized.add(transaction)
      this.add(owners.filter((owner) => this.isShown(transaction) || isInScope(owner, this.#scope)))
    }
  }

  isShown(transaction: LooseTransaction): boolean {
    return isSince(transaction.createdAt, this.#scope.sinceMs) || checkStuck(transaction, '', this.#scope).length > 0
  }

  // An old transaction matters as well if it may be of a payment that is in scope because it was changed since.
  isRelevant(transaction: LooseTransaction): boolean {
    return isMarkedAsOwn(transaction) || this.isShown(transaction)
  }
}

// Finds the payments whose mark the transactions carry among all with these states, a page at a time.
async function findByCorrelationId(
  journal: Journal,
  {serviceId, states}: {serviceId: string; states: readonly PaymentState[]},
  transactions: readonly LooseTransaction[],
): Promise<Payment[]> {
  if (transactions.length === 0) return []
  const marks = new Set(transactions.map(({correlationId}) => readText(correlationId)))
  const found: Payment[] = []
  for await (const page of walkPayments(journal, {serviceId, states})) {
    found.push(...page.filter((payment) => marks.has(getPaymentIds(payment).correlationId)))
  }
  return found
}

export async function readComparedPayments(
  journal: Journal,
  serviceId: string,
  transactions: readonly LooseTransaction[],
  scope: Scope,
): Promise<Payment[]> {
  const compared = new ComparedPayments(scope)
  compared.add(await journal.list({serviceId, sinceMs: scope.sinceMs}))
  compared.add(await journal.listSpentSince(serviceId, scope.sinceMs - armedBeforeMaxMs))
  compared.add(await journal.list({serviceId, states: unsettledStates}))
  const relevant = transactions.filter((transaction) => compared.isRelevant(transaction))
  compared.addOwners(compared.all, relevant)
  for (let start = 0; start < relevant.length; start += lookupMax) {
    const part = relevant.slice(start, start + lookupMax)
    const transactionIds = part.map(({transactionId}) => readText(transactionId)).filter((id) => id !== '')
    compared.addOwners(await journal.list({serviceId, transactionIds}), part)
  }
  // A payment that was not made does not know its transaction. Where the journal made everything, none is left to look for.
  const others = relevant.filter((transaction) => isMarkedAsOwn(transaction) && !compared.isRecognized(transaction))
  compared.addOwners(await findByCorrelationId(journal, {serviceId, states: notMadeStates}, others), others)
  return compared.all
}

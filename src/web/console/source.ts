// What the console reads. The sandbox implements it with its database, a profile with its client and its journal.
import type {LooseCustomer, LoosePaymentAccount, LooseRule, LooseTransaction} from '../../contract/loose.ts'

export type {LooseCustomer, LooseRule, LooseTransaction}

export interface PageQuery {
  pageSize: number
  pageToken?: string | undefined
}

export interface ItemPage<Item> {
  items: readonly Item[]
  nextPageToken?: string | undefined
}

interface TransactionsQuery extends PageQuery {
  customerId?: string | undefined
  paymentAccountId?: string | undefined
}

// A change of status that was observed. Only the sandbox records them; the interface has no history.
export interface StatusChange {
  at: string
  from: string
  to: string
  // Whether somebody set it with a control of the sandbox.
  isMadeUp?: boolean
  // Why the data of a customer was refused.
  issues?: LooseIssues
}

export type LooseIssues = LooseCustomer['verificationIssues']

// An account, with the balances of a wallet if the source knows them.
export type ConsoleAccount = LoosePaymentAccount & {balances?: Readonly<Record<string, string>>}

// A payment of the journal. The fields are those of `svc journal show`.
export interface JournalPayment {
  key: string
  state: string
  customerId?: unknown
  transactionId?: string | undefined
  quoteId?: string | undefined
  ended?: string | undefined
  reason?: string | undefined
  sends?: number | undefined
  slot?: string | undefined
  note?: string | undefined
  updatedAt?: string | undefined
  dismissed?: boolean | undefined
  isUnderWay?: boolean | undefined
  source?: {sourcePaymentAccountId?: unknown; sourceAmount?: unknown; sourceCurrency?: unknown} | undefined
  destination?: {destinationPaymentAccountId?: unknown} | undefined
  history?: readonly JournalLine[]
}

export interface JournalLine {
  at?: string | undefined
  what: string
  detail?: Readonly<Record<string, unknown>>
}

// What was refused because too few people have approved it.
export interface WaitingApproval {
  // The name of a file, or the id of a batch.
  name: string
  sums: ReadonlyArray<{currency: string; amount: string}>
  needed: number
  given: number
  // The command that approves it.
  next: string
  at: string
}

export interface FleetState {
  waiting: number
  inFlight: number
  paused: ReadonlyArray<{id: string; name: string; waiting: number; submittedAt: string}>
  // When the oldest batch was submitted whose rows wait for a worker.
  oldestAt?: string | undefined
}

export interface ControlsSource {
  listApprovalsAsked(): Promise<readonly WaitingApproval[]>
  // Undefined if there is none.
  readFleet(): Promise<FleetState | undefined>
}

export interface JournalSource {
  // The clock of this machine, by which the journal is written. That of the service may differ, as that of a sandbox does which was advanced.
  readNow?: () => number
  controls?: ControlsSource | undefined
  // The newest payments of the service, newest first.
  listPayments(count: number): Promise<readonly JournalPayment[]>
  // All payments whose outcome is not known, however old, and all that were begun or refused since.
  listOpenPayments(sinceMs: number): Promise<readonly JournalPayment[]>
  // The transactions whose bad ending a person has dealt with.
  listDealtWith(): Promise<ReadonlySet<string>>
  findPayment(key: string): Promise<JournalPayment | undefined>
  // With its history, as findPayment reads it.
  findPaymentOf(transactionId: string): Promise<JournalPayment | undefined>
}

export interface ConsoleEvent {
  eventId: string
  type: string
  at: string
  customerId?: string | undefined
  customerStatus?: string | undefined
  issues?: LooseIssues
  // Whether the change that it reports was made with a control of the sandbox.
  isMadeUp?: boolean
  // How its deliveries stand, or whether its signature was verified.
  status: string
}

export interface EventSource {
  // Where the events come from, in one sentence.
  description: string
  // Newest first. Of one customer if it is given.
  listEvents(count: number, customerId?: string): Promise<readonly ConsoleEvent[]>
  findEvent(eventId: string): Promise<ConsoleEvent | undefined>
}

export interface ConsoleSource {
  // Names what is shown, such as Sandbox or Profile acme.
  title: string
  // One sentence beside the title.
  note: string
  isReadOnly: boolean
  // How many items the overview and the search read at most.
  readMax: number
  listCustomers(query: PageQuery): Promise<ItemPage<LooseCustomer>>
  findCustomer(customerId: string): Promise<LooseCustomer | undefined>
  // The names of these customers, as far as they are at hand.
  findNames(customerIds: readonly string[]): Promise<ReadonlyMap<string, string>>
  listAccounts(customerId: string): Promise<ItemPage<ConsoleAccount>>
  // The newest accounts of all customers. The interface lists those of one customer only.
  listNewestAccounts?(count: number): Promise<readonly ConsoleAccount[]>
  listTransactions(query: TransactionsQuery): Promise<ItemPage<LooseTransaction>>
  findTransaction?(transactionId: string): Promise<LooseTransaction | undefined>
  listRules(customerId?: string): Promise<readonly LooseRule[]>
  findRule(ruleId: string): Promise<LooseRule | undefined>
  // What only the sandbox knows of a rule: when it fired and fires next, and why it made no payment.
  listRuleFacts?(ruleId: string): Promise<ReadonlyArray<readonly [label: string, value: string]>>
  listStatusChanges?(id: string): Promise<readonly StatusChange[]>
  // Why a transaction ended as it did, where the source knows it. The interface does not say.
  explainEnding?(transaction: LooseTransaction): string | undefined
  // One sentence about a failed read; undefined for a fault in svc itself.
  describeFailure(error: unknown): string | undefined
  journal?: JournalSource | undefined
  events?: EventSource | undefined
}

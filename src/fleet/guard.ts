// Lets a worker pay the rows of a batch only as the policy in force wants it: while enough people approve exactly these rows, and to
// payees that need not wait. Otherwise the batch is paused.
import type {OpenPolicyJournal} from '../bind-policy.ts'
import type {Approvable} from '../controls/approvable.ts'
import {createDatabaseStore} from '../controls/approval-store.ts'
import {type Approval, NotApproved, recheckEveryMs, recordApprovals, requireApproval} from '../controls/approvals.ts'
import {enterApprovalAsked} from '../controls/approvals-asked.ts'
import {createPayeeWaitsError, findHeldPayees, getCoolDownRules} from '../controls/new-payees.ts'
import {SvcError} from '../errors.ts'
import type {Notifier} from '../notifications/notifier.ts'
import {notifyNotApproved} from '../notifications/notify-not-approved.ts'
import {
  type OpenPaymentContext,
  type PaymentContextSettings,
  withPaymentContext,
} from '../payments/context/open-context.ts'
import {learnTime} from '../payments/protocol/lists/walk-list.ts'
import {createPayoutsSubject, digestPayment} from '../payments/context/payment-fields.ts'
import {describeRows} from '../payouts/file/approve-file.ts'
import type {PayoutRow} from '../payouts/file/rows.ts'
import type {RowPayer} from '../payouts/run/pay-row.ts'
import {sumAmounts} from '../payouts/run/view.ts'
import type {Caller} from '../profiles/caller.ts'
import type {ServiceTraits} from '../profiles/service.ts'
import type {PostgresDatabase} from '../storage/postgres/database.ts'
import {svc} from '../values/text.ts'
import {type BatchRow, findBatch, walkRows} from './batches.ts'
import {pauseBatch} from './change-batch.ts'
import {withFleet} from './open-fleet.ts'
import {type WorkLog, describeError} from './work-log.ts'

export interface RowSettings {
  database: PostgresDatabase
  traits: ServiceTraits
  // Bound to the policy.
  caller: Caller
  // Reads the policy again.
  rebind: (openJournal: OpenPolicyJournal) => Promise<unknown>
  log: WorkLog
  // Who is told what needs a person, if anybody is.
  notifier?: Notifier | undefined
}

// The digest of the batch, if it was approved.
type Permit = Pick<RowPayer, 'approved'>

type GuardContext = Pick<OpenPaymentContext, 'journal' | 'clock' | 'service'>

// What was approved, and which rows that is.
interface KnownBatch {
  approval: Approval
  digests: ReadonlySet<string>
}

const isReadOnly = (batchId: string) =>
  new SvcError({
    error: 'READ_ONLY',
    kind: 'limit',
    message: `The batch ${batchId} is not paid: the policy or the profile is read-only`,
    hint: 'Resume it when that has changed; nothing was sent',
  })

const digestRow = (row: PayoutRow) => digestPayment(row).toString('base64url')

async function readRows(database: PostgresDatabase, batchId: string): Promise<PayoutRow[]> {
  const rows: PayoutRow[] = []
  for await (const page of walkRows(database, batchId)) rows.push(...page.map(({row}) => row))
  return rows
}

export class BatchGuard {
  // Why the last batch that was paused was, if any.
  refusal: SvcError | undefined
  readonly #settings: RowSettings
  readonly #context: GuardContext
  readonly #batches = new Map<string, Promise<KnownBatch>>()
  #boundAtMs = performance.now()

  constructor(settings: RowSettings, context: GuardContext) {
    this.#settings = settings
    this.#context = context
  }

  // Returns what allows to pay the row now. If nothing does, its batch is paused.
  async permit(row: BatchRow): Promise<Permit | undefined> {
    await this.#rebind()
    try {
      return await this.#check(row)
    } catch (error) {
      if (!(error instanceof SvcError) || error.kind !== 'limit') throw error
      this.#batches.delete(row.batchId)
      await this.#pause(row.batchId, error)
      return undefined
    }
  }

  forgetBatch(batchId: string): void {
    this.#batches.delete(batchId)
  }

  // After a payment that found another policy than this worker knew.
  expire(): void {
    this.#boundAtMs = Number.NEGATIVE_INFINITY
  }

  async #rebind(): Promise<void> {
    if (performance.now() - this.#boundAtMs < recheckEveryMs) return
    this.#boundAtMs = performance.now()
    const {caller, rebind} = this.#settings
    const before = caller.binding?.mark
    await rebind(async () => this.#context.journal)
    if (caller.binding?.mark !== before) this.#batches.clear()
  }

  async #check(row: BatchRow): Promise<Permit | undefined> {
    const {caller, traits} = this.#settings
    const {batchId, content} = row
    const {binding, readOnly, approvals, coolDownMs = 0} = caller
    const refused = binding?.refusal ?? binding?.payRefusal ?? (readOnly ? isReadOnly(batchId) : undefined)
    if (refused) throw refused
    if ((approvals?.required ?? 0) === 0 && coolDownMs === 0) return {}
    if (!this.#context.clock.isObserved()) await learnTime(this.#context, content.customerId)
    const {approval, digests} = await this.#rememberBatch(batchId)
    // A row that was changed in the database since belongs to other content, which is looked at anew.
    if (!digests.has(digestRow(row))) {
      this.#batches.delete(batchId)
      return undefined
    }
    const withdrawn = await approval.recheck?.()
    if (withdrawn) throw withdrawn
    const {destinationPaymentAccountId: destination} = content.destination
    const [held] = await findHeldPayees(
      this.#context,
      traits.serviceId,
      [destination],
      getCoolDownRules(caller, approval),
    )
    const hint = `Have it approved with ${svc`approve ${batchId}`}, or resume it then`
    if (held) throw createPayeeWaitsError(`The batch ${batchId}`, held, hint)
    return {approved: approval.subject?.digest}
  }

  // Read once, unless that failed: whatever fails later says nothing about what was approved.
  #rememberBatch(batchId: string): Promise<KnownBatch> {
    const known = this.#batches.get(batchId)
    if (known) return known
    const reading = this.#readBatch(batchId)
    this.#batches.set(batchId, reading)
    reading.catch(() => this.#batches.get(batchId) === reading && this.#batches.delete(batchId))
    return reading
  }

  async #readBatch(batchId: string): Promise<KnownBatch> {
    const {database, caller, traits} = this.#settings
    const rows = await readRows(database, batchId)
    const subject = createPayoutsSubject(traits.serviceId, rows)
    const approval = await requireApproval({
      caller,
      subject,
      store: createDatabaseStore(subject, (work) => work(database)),
      sums: sumAmounts(rows),
      name: batchId,
      isBatch: true,
      clock: this.#context.clock,
    })
    await recordApprovals(this.#context.journal, approval, {batch: batchId})
    return {approval, digests: new Set(rows.map(digestRow))}
  }

  async #pause(batchId: string, error: SvcError): Promise<void> {
    const {database, traits, log, notifier} = this.#settings
    this.refusal = error
    const batch = await findBatch(database, traits.serviceId, batchId)
    if (batch.state !== 'ACTIVE') return
    await pauseBatch(database, batch, error.error)
    const isUnapproved = error instanceof NotApproved
    const next = isUnapproved ? `approve it with \`${error.demand.command}\`, then` : 'when that has changed,'
    log('info', `${error.message}, so it is paused: ${next} ${svc`payouts resume ${batchId}`}`)
    if (!isUnapproved) return
    notifyNotApproved(notifier, error, {name: batchId, isBatch: true})
    // It stays paused whether this is written or not.
    await enterApprovalAsked(this.#context.journal, error, batchId).catch((failure: unknown) =>
      log('warn', 'The journal could not be written', describeError(failure)),
    )
  }
}

// Reads a batch of the fleet for those who approve it.
export async function readApprovableBatch(
  {traits, connect}: Pick<PaymentContextSettings, 'traits' | 'connect'>,
  reference: string,
  isAll: boolean,
): Promise<Approvable> {
  const {serviceId} = traits
  return withFleet(traits.journal, async (database) => {
    const {id} = await findBatch(database, serviceId, reference)
    const rows = await readRows(database, id)
    return withPaymentContext({traits, connect}, ({client, journal}) =>
      describeRows({serviceId, rows, name: id, client, journal, isAll}),
    )
  })
}

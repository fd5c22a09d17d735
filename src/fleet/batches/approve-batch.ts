// Lets a worker pay the rows of a batch only as the policy in force wants it: while enough people approve exactly these rows, and to
// payees that need not wait. Otherwise the batch is paused.
import type {Approvable} from '../../controls/approvable.ts'
import {createDatabaseStore} from '../../controls/approval-store.ts'
import {recheckEveryMs, recordApprovals, requireApproval} from '../../controls/approvals.ts'
import {createPayeeWaitsError, findHeldPayees, getCoolDownRules} from '../../controls/new-payees.ts'
import {type ApprovalSubject, digestParts} from '../../controls/statement.ts'
import {SvcError} from '../../errors.ts'
import {
  type OpenPaymentContext,
  type PaymentContextSettings,
  withPaymentContext,
} from '../../payments/pay/open-context.ts'
import {digestPayment} from '../../payments/pay/payment-fields.ts'
import {describeRows} from '../../payouts/file/approve-file.ts'
import type {PayoutRow} from '../../payouts/file/rows.ts'
import {sumAmounts} from '../../payouts/run/summary.ts'
import type {Caller} from '../../profiles/caller.ts'
import type {ServiceTraits} from '../../profiles/service.ts'
import type {PostgresDatabase} from '../../storage/postgres/database.ts'
import {addAmounts} from '../../values/money.ts'
import {type BatchRow, findBatch, walkRows} from './batch.ts'
import {pauseBatch} from './control.ts'
import {withFleet} from './open-fleet.ts'

export interface GuardSettings {
  database: PostgresDatabase
  context: Pick<OpenPaymentContext, 'journal' | 'clock'>
  // Bound to the policy, and bound again by `rebind`.
  caller: Caller
  rebind: () => Promise<unknown>
  serviceId: string
  // Called when this worker pauses a batch. `started` is how many of its rows the worker started after its last check.
  onPaused: (batchId: string, error: SvcError, started: number) => Promise<void>
}

const digestBytes = 32

interface KnownBatch {
  subject: ApprovalSubject
  // The digests of its rows, sorted, one after the other.
  digests: Buffer
  amounts: ReadonlyArray<{currency: string; amount: string}>
  // Whether enough people approve it, so that its payees need not wait.
  isApproved: boolean
  nextCheckMs: number
  // The last look at its approvals.
  checking: Promise<void>
  isRecorded: boolean
  // Rows that were started since the last check.
  started: number
}

function hasDigest(digests: Buffer, wanted: Buffer): boolean {
  let [low, high] = [0, digests.length / digestBytes - 1]
  while (low <= high) {
    const middle = (low + high) >> 1
    const order = digests.compare(wanted, 0, digestBytes, middle * digestBytes, (middle + 1) * digestBytes)
    if (order === 0) return true
    if (order < 0) low = middle + 1
    else high = middle - 1
  }
  return false
}

const sortDigests = (digests: readonly Buffer[]) => Buffer.concat(digests.toSorted((one, other) => one.compare(other)))

type Sums = Map<string, string>

function addSums(sums: Sums, rows: readonly BatchRow[]): void {
  for (const {currency, amount} of sumAmounts(rows)) {
    sums.set(currency, addAmounts([sums.get(currency) ?? '0', amount]) ?? 'unknown')
  }
}

const isReadOnly = (batchId: string) =>
  new SvcError({
    error: 'READ_ONLY',
    kind: 'limit',
    message: `The batch ${batchId} is not paid: the policy or the profile is read-only`,
    hint: 'Resume it when that has changed; nothing was sent',
  })

export class BatchGuard {
  // Why the last batch that was paused was, if any.
  refusal: SvcError | undefined
  readonly #settings: GuardSettings
  readonly #batches = new Map<string, Promise<KnownBatch>>()
  #boundAtMs = performance.now()

  constructor(settings: GuardSettings) {
    this.#settings = settings
  }

  // Whether the row may be paid now. Its batch is paused if not.
  async mayPay(row: BatchRow): Promise<boolean> {
    await this.#rebind()
    const {caller} = this.#settings
    const {batchId} = row
    const refused =
      caller.binding?.refusal ?? caller.binding?.payRefusal ?? (caller.readOnly ? isReadOnly(batchId) : undefined)
    if (refused) return this.#pause(batchId, refused, 0)
    const isApprovalWanted = (caller.approvals?.required ?? 0) > 0
    if (!isApprovalWanted && (caller.coolDownMs ?? 0) === 0) return true
    const reading = this.#batches.get(batchId) ?? this.#readBatch(batchId)
    this.#batches.set(batchId, reading)
    try {
      const batch = await reading
      // A row that was changed in the database since belongs to other content, which is looked at anew.
      if (!hasDigest(batch.digests, digestPayment(row))) {
        this.#batches.delete(batchId)
        return false
      }
      // Rows that come at the same time wait for the same look at the approvals.
      if (Date.now() >= batch.nextCheckMs) batch.checking = this.#check(batchId, batch)
      await batch.checking
      await this.#checkPayee(row, batch)
      batch.started += 1
      return true
    } catch (error) {
      this.#batches.delete(batchId)
      if (!(error instanceof SvcError) || error.kind !== 'limit') throw error
      return this.#pause(batchId, error, (await reading.catch(() => undefined))?.started ?? 0)
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
    await rebind()
    if (caller.binding?.mark !== before) this.#batches.clear()
  }

  async #readBatch(batchId: string): Promise<KnownBatch> {
    const {database, serviceId} = this.#settings
    const digests: Buffer[] = []
    const sums: Sums = new Map()
    for await (const rows of walkRows(database, batchId)) {
      digests.push(...rows.map(digestPayment))
      addSums(sums, rows)
    }
    return {
      subject: {kind: 'payouts', serviceId, digest: digestParts(digests)},
      digests: sortDigests(digests),
      amounts: [...sums].map(([currency, amount]) => ({currency, amount})),
      isApproved: false,
      nextCheckMs: 0,
      checking: Promise.resolve(),
      isRecorded: false,
      started: 0,
    }
  }

  async #check(batchId: string, batch: KnownBatch): Promise<void> {
    const {database, context, caller} = this.#settings
    const {subject} = batch
    batch.nextCheckMs = Date.now() + recheckEveryMs
    batch.started = 0
    batch.isApproved = false
    const {approvals, isApproved} = await requireApproval({
      caller,
      subject,
      store: createDatabaseStore(subject, (work) => work(database)),
      sums: batch.amounts,
      name: batchId,
      isBatch: true,
    })
    batch.isApproved = isApproved
    const expiries = approvals.map(({statement}) => statement?.expiresAt ?? 0)
    batch.nextCheckMs = Math.min(batch.nextCheckMs, ...expiries)
    if (!isApproved || batch.isRecorded) return
    batch.isRecorded = true
    await recordApprovals(context.journal, {approvals}, {about: {batch: batchId}, subject})
  }

  async #checkPayee({batchId, content}: BatchRow, batch: KnownBatch): Promise<void> {
    const {context, caller, serviceId} = this.#settings
    const rules = getCoolDownRules(caller, batch)
    const {destinationPaymentAccountId: destination} = content.destination
    const [held] = await findHeldPayees(context, serviceId, [destination], rules)
    const hint = `Have it approved with \`svc approve ${batchId}\`, or resume it then`
    if (held) throw createPayeeWaitsError(`The batch ${batchId}`, held, hint)
  }

  async #pause(batchId: string, error: SvcError, started: number): Promise<false> {
    const {database, serviceId, onPaused} = this.#settings
    this.refusal = error
    const batch = await findBatch(database, serviceId, batchId)
    if (batch.state !== 'ACTIVE') return false
    await pauseBatch(database, batch)
    await onPaused(batchId, error, started)
    return false
  }
}

// Reads a batch of the fleet for those who approve it.
export interface BatchReading {
  reference: string
  traits: ServiceTraits
  connect: PaymentContextSettings['connect']
  isAll: boolean
}

export async function readApprovableBatch({reference, traits, connect, isAll}: BatchReading): Promise<Approvable> {
  const {serviceId} = traits
  return withFleet(traits.journal, async ({database}) => {
    const {id} = await findBatch(database, serviceId, reference)
    const rows: PayoutRow[] = []
    for await (const page of walkRows(database, id)) rows.push(...page)
    return withPaymentContext({traits, connect}, ({client, journal}) =>
      describeRows({serviceId, rows, name: id, client, journal, isAll}),
    )
  })
}

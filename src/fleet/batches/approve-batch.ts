// Lets a worker pay the rows of a batch only while enough people approve exactly these rows. Otherwise the batch is paused.
import type {Approvable} from '../../controls/approvable.ts'
import {type NotApproved, isNotApproved, requireApprovals} from '../../controls/check-approvals.ts'
import {needsApproval} from '../../controls/check-spending.ts'
import {openDatabaseStore} from '../../controls/database-store.ts'
import {readSigners} from '../../controls/signers.ts'
import {type ApprovalSubject, digestParts} from '../../controls/statement.ts'
import {digestPayment} from '../../payments/controls/approve-plan.ts'
import {describeApproveCommand, recordApprovals} from '../../payments/controls/require-approval.ts'
import type {Journal} from '../../payments/journal/journal.ts'
import {type PaymentContextSettings, withPaymentContext} from '../../payments/run/open-context.ts'
import {describeRows} from '../../payouts/file/approve-file.ts'
import type {PayoutRow} from '../../payouts/file/rows.ts'
import {sumAmounts} from '../../payouts/run/summary.ts'
import type {Caller} from '../../profiles/caller.ts'
import type {ServiceTraits} from '../../profiles/service-knowledge.ts'
import type {PostgresDatabase} from '../../storage/postgres/database.ts'
import {addAmounts} from '../../values/money.ts'
import {type BatchRow, findBatch, walkRows} from './batch.ts'
import {pauseBatch} from './control.ts'
import {withFleet} from './open-fleet.ts'

export interface GuardSettings {
  database: PostgresDatabase
  journal: Journal
  caller: Caller
  serviceId: string
  // Called when a batch is paused, with how many rows this worker has started since the approvals were last looked at.
  onPaused: (batchId: string, error: NotApproved, started: number) => void
}

// How soon a worker notices that an approval was withdrawn.
export const checkEveryMs = 5_000
const digestBytes = 32

interface KnownBatch {
  subject: ApprovalSubject
  // The digests of its rows, sorted, one after the other.
  digests: Buffer
  isRequired: boolean
  nextCheckMs: number
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

type Sums = Map<string, string>

function addSums(sums: Sums, rows: readonly BatchRow[]): void {
  for (const {currency, amount} of sumAmounts(rows)) {
    sums.set(currency, addAmounts([sums.get(currency) ?? '0', amount]) ?? 'unknown')
  }
}

// Undefined if the profile wants no approvals.
export function createApprovalGuard(settings: GuardSettings): ApprovalGuard | undefined {
  const policy = settings.caller.approvals
  if (!policy || policy.required === 0) return undefined
  // A file that cannot be read is reported before the first row.
  readSigners(policy.signers)
  return new ApprovalGuard(settings, policy)
}

class ApprovalGuard {
  // Why the last batch that was paused was, if any.
  refusal: NotApproved | undefined
  readonly #settings: GuardSettings
  readonly #policy: NonNullable<Caller['approvals']>
  readonly #batches = new Map<string, Promise<KnownBatch>>()

  constructor(settings: GuardSettings, policy: NonNullable<Caller['approvals']>) {
    this.#settings = settings
    this.#policy = policy
  }

  // Whether the row may be paid now. Its batch is paused if not.
  async mayPay(row: BatchRow): Promise<boolean> {
    const {batchId} = row
    const reading = this.#batches.get(batchId) ?? this.#readBatch(batchId)
    this.#batches.set(batchId, reading)
    try {
      const batch = await reading
      // A row that was changed in the database since belongs to other content, which is looked at anew.
      if (!hasDigest(batch.digests, digestPayment(row))) {
        this.#batches.delete(batchId)
        return false
      }
      if (!batch.isRequired) return true
      if (Date.now() >= batch.nextCheckMs) await this.#check(batchId, batch)
      batch.started += 1
      return true
    } catch (error) {
      this.#batches.delete(batchId)
      if (!isNotApproved(error)) throw error
      await this.#pause(batchId, error, (await reading.catch(() => undefined))?.started ?? 0)
      return false
    }
  }

  forgetBatch(batchId: string): void {
    this.#batches.delete(batchId)
  }

  async #readBatch(batchId: string): Promise<KnownBatch> {
    const {database, caller, serviceId} = this.#settings
    const digests: Buffer[] = []
    const sums: Sums = new Map()
    for await (const rows of walkRows(database, batchId)) {
      digests.push(...rows.map(digestPayment))
      addSums(sums, rows)
    }
    const subject: ApprovalSubject = {kind: 'payouts', serviceId, digest: digestParts(digests)}
    const amounts = [...sums].map(([currency, amount]) => ({currency, amount}))
    const isRequired = needsApproval(caller, amounts) && !(await isSlot(database, batchId))
    const sorted = Buffer.concat(digests.toSorted((one, other) => one.compare(other)))
    return {subject, digests: sorted, isRequired, nextCheckMs: 0, isRecorded: false, started: 0}
  }

  async #check(batchId: string, batch: KnownBatch): Promise<void> {
    const {database, journal, caller} = this.#settings
    const {subject} = batch
    const approvals = await requireApprovals({
      subject,
      store: await openDatabaseStore(database, subject),
      required: this.#policy.required,
      signersFile: this.#policy.signers,
      what: `The batch ${batchId}`,
      command: describeApproveCommand(caller, batchId),
    })
    const expiries = approvals.map(({statement}) => statement?.expiresAt ?? 0)
    batch.nextCheckMs = Math.min(Date.now() + checkEveryMs, ...expiries)
    batch.started = 0
    if (batch.isRecorded) return
    batch.isRecorded = true
    await recordApprovals(journal, {approvals, isApproved: true}, {about: {batch: batchId}, subject})
  }

  async #pause(batchId: string, error: NotApproved, started: number): Promise<void> {
    const {database, serviceId, onPaused} = this.#settings
    this.refusal = error
    const batch = await findBatch(database, serviceId, batchId)
    if (batch.state !== 'ACTIVE') return
    await pauseBatch(database, batch)
    onPaused(batchId, error, started)
  }
}

// What a schedule pays was approved when the schedule was applied.
async function isSlot(database: PostgresDatabase, batchId: string): Promise<boolean> {
  const text = 'select exists (select from svc.schedule_runs where batch_id = $1) as "isSlot"'
  return (await database.read<{isSlot: boolean}>({text}, [batchId]))[0]?.isSlot === true
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

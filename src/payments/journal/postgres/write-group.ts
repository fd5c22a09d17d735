// Writes a group of payments in one transaction: locks their rows and chains, applies the writes to them in their order, and stores
// what has changed.
import {type Query, type SqlValue} from '../../../storage/postgres/database.ts'
import {policyApprovalSubject, policySubject} from '../../../controls/decisions.ts'
import {type Payment, spendingStates} from '../../protocol/payment.ts'
import {
  type ChainEntry,
  type ChainHead,
  type NewChainEntry,
  linkEntry,
  namePayment,
  pickDatabaseChain,
} from '../chain.ts'
import {
  type CommitCheck,
  type CommitFindings,
  readPaymentText,
  toColumns,
  toNewPayment,
  toPaymentText,
} from '../journal.ts'
import {readOwner} from '../owner.ts'
import {
  type Change,
  type LeasedRow,
  type Outcome,
  type PaymentWrite,
  type Write,
  createDecisionLine,
  getPaymentName,
} from '../queued-journal.ts'
import {type StatementName, getStatement} from './statements.ts'

// Payments as rows. Their times are columns of their own, since the database's clock writes them.
export type PaymentRow = {payment: string; created_at: number; updated_at: number}

export const toPayment = ({payment, created_at: createdAt, updated_at: updatedAt}: PaymentRow): Payment =>
  readPaymentText(payment, createdAt, updatedAt)

type LockedRow = PaymentRow & {
  service_id: string
  key: string
  epoch: number
  owner: string | null
  renewed_at: number | null
  write_id: string
  ms: number
}

// What one try of a group has written, to be looked for if its commit is not answered.
export interface GroupTry {
  outcomes: Outcome[]
  rows: LeasedRow[]
  lines: ChainEntry[]
}

type Apply = (
  write: PaymentWrite,
  row: LeasedRow | undefined,
  nowMs: number,
  judge: (check: CommitCheck) => void,
) => Change

type Checked = PaymentWrite & {do: 'commit'; check: CommitCheck}

const isOfPayment = (write: Write): write is PaymentWrite => write.do !== 'decide'
const isAcquire = (write: Write): write is PaymentWrite & {do: 'acquire'} => write.do === 'acquire'
const isChecked = (write: Write): write is Checked => write.do === 'commit' && write.check !== undefined

const getSpendingName = (serviceId: string, {spending}: CommitCheck) =>
  spending && `${serviceId} ${spending.currency.toUpperCase()}`

export async function readSpent(
  query: Query,
  serviceId: string,
  keys: readonly string[],
  {currency, sinceMs}: NonNullable<CommitCheck['spending']>,
): Promise<string[]> {
  const values = [serviceId, keys, currency.toUpperCase(), sinceMs, spendingStates]
  const rows = await query<{amount: string}>(getStatement('spent'), values)
  return rows.map(({amount}) => amount)
}

class GroupWriter {
  readonly #query: Query
  readonly #writes: readonly Write[]
  readonly #writeId: string
  readonly #rows = new Map<string, LeasedRow>()
  readonly #changed = new Map<string, LeasedRow>()
  readonly #newLines: NewChainEntry[] = []

  constructor(query: Query, writes: readonly Write[], writeId: string) {
    this.#query = query
    this.#writes = writes
    this.#writeId = writeId
  }

  async write(apply: Apply): Promise<GroupTry> {
    const checked = this.#writes.filter(isChecked)
    await this.#lockChecked(checked)
    const created = await this.#insertNew()
    const rowsMs = await this.#lockRows(created)
    const judge = await this.#prepareJudging(checked)
    const {heads, chainsMs} = await this.#lockChains()
    const nowMs = Math.max(rowsMs, chainsMs)
    const outcomes = this.#writes.map((write): Outcome => {
      if (!isOfPayment(write)) {
        this.#newLines.push(createDecisionLine(write.line, nowMs))
        return {result: {}}
      }
      const name = namePayment(getPaymentName(write))
      const createdMs = this.#rows.has(name) ? undefined : created.get(name)
      try {
        const change = apply(write, this.#rows.get(name), createdMs ?? nowMs, (check) => judge(name, check))
        if (change.row) this.#rows.set(name, change.row)
        // A new row is stored with its first lease.
        if (change.row && createdMs === undefined) this.#changed.set(name, change.row)
        this.#newLines.push(...change.lines)
        return {result: change.result}
      } catch (refusal) {
        return {refusal}
      }
    })
    const lines = await this.#store(heads)
    return {outcomes, rows: [...this.#rows.values()], lines}
  }

  #run<R extends object>(name: StatementName, values: readonly SqlValue[]): Promise<R[]> {
    return this.#query<R & Record<string, unknown>>(getStatement(name), values)
  }

  // Others that would add to what a commit is judged by wait, on whatever host they are.
  async #lockChecked(checked: readonly Checked[]): Promise<void> {
    const names = checked.flatMap(({lease, check}) => {
      const spending = getSpendingName(lease.serviceId, check)
      return [
        `key ${lease.key}`,
        ...(check.transactionId === undefined ? [] : [`transaction ${check.transactionId}`]),
        ...(spending === undefined ? [] : [`spending ${spending}`]),
      ]
    })
    // Everybody takes locks in the same order, so that nobody waits for each other.
    if (names.length > 0) await this.#run('lock', [[...new Set(names)].toSorted()])
  }

  // Returns when each payment that was not there yet was created. Its lease is that of the first who asked.
  async #insertNew(): Promise<Map<string, number>> {
    const first = new Map<string, object>()
    for (const {intent, owner} of this.#writes.filter(isAcquire)) {
      const name = namePayment(intent)
      const payment = toNewPayment(intent)
      const row = {...toColumns(payment), payment: toPaymentText(payment), owner: JSON.stringify(owner)}
      if (!first.has(name)) first.set(name, row)
    }
    if (first.size === 0) return new Map()
    const rows = await this.#run<LockedRow>('insert', [JSON.stringify([...first.values()]), this.#writeId])
    return new Map(rows.map(({service_id: serviceId, key, created_at: ms}) => [namePayment({serviceId, key}), ms]))
  }

  async #lockRows(created: ReadonlyMap<string, number>): Promise<number> {
    const names = this.#writes.filter(isOfPayment).map(getPaymentName)
    const wanted = names.filter((name) => !created.has(namePayment(name)))
    if (wanted.length === 0) return 0
    const values = [wanted.map(({serviceId}) => serviceId), wanted.map(({key}) => key)]
    const rows = await this.#run<LockedRow>('lockRows', values)
    for (const row of rows) {
      const {service_id: serviceId, key, epoch, owner, renewed_at: renewedAt} = row
      const lease = {epoch, owner: owner === null ? undefined : readOwner(owner), renewedAt: renewedAt ?? 0}
      this.#rows.set(namePayment({serviceId, key}), {payment: toPayment(row), ...lease})
    }
    return rows[0]?.ms ?? 0
  }

  // Reads once for the group what its commits are judged by, and adds to it what those before each of them have written.
  async #prepareJudging(checked: readonly Checked[]): Promise<(name: string, check: CommitCheck) => void> {
    const judged = new Map(checked.map((write) => [namePayment(write.lease), write]))
    const keys = checked.map(({lease}) => lease.key)
    const everywhere = keys.length === 0 ? [] : await this.#run<PaymentRow>('everywhere', [keys])
    const byKey = Map.groupBy(everywhere.map(toPayment), ({key}) => key)
    const policyMark = checked.some(({check}) => check.readsPolicyMark) ? await this.#countPolicyEntries() : 0
    const owners = await this.#findOwners(checked)
    const spent = new Map<string, string[]>()
    for (const {lease, check} of checked) {
      const name = this.#nameSpending(lease.serviceId, check)
      if (!check.spending || spent.has(name)) continue
      const own = checked.flatMap((write) => (write.lease.serviceId === lease.serviceId ? [write.lease.key] : []))
      spent.set(name, await readSpent(this.#query, lease.serviceId, own, check.spending))
    }
    // What the rows of the group say now, other than this one.
    const listOthers = (name: string) =>
      [...judged.keys()].flatMap((each) => (each === name ? [] : (this.#rows.get(each)?.payment ?? [])))
    return (name, check) => {
      const lease = judged.get(name)?.lease ?? {serviceId: '', key: ''}
      const others = listOthers(name).filter(({serviceId}) => serviceId === lease.serviceId)
      const findings: CommitFindings = {
        spentAmounts: [
          ...(spent.get(this.#nameSpending(lease.serviceId, check)) ?? []),
          ...others.filter((payment) => isSpending(payment, check)).map(({content}) => content.source.sourceAmount),
        ],
        elsewhere: (byKey.get(lease.key) ?? []).filter(({serviceId}) => serviceId !== lease.serviceId),
        owners: [...owners.filter((owner) => !judged.has(namePayment(owner))), ...others].filter(
          ({serviceId, transactionId}) =>
            serviceId === lease.serviceId && transactionId !== undefined && transactionId === check.transactionId,
        ),
        policyMark: check.readsPolicyMark ? policyMark : 0,
      }
      check.judge(findings)
    }
  }

  #nameSpending(serviceId: string, check: CommitCheck): string {
    return `${getSpendingName(serviceId, check)} ${check.spending?.sinceMs}`
  }

  async #countPolicyEntries(): Promise<number> {
    const values = [policySubject.serviceId, [policySubject.key, policyApprovalSubject.key]]
    const [row] = await this.#run<{mark: number}>('policyMark', values)
    return row?.mark ?? 0
  }

  async #findOwners(checked: readonly Checked[]): Promise<Payment[]> {
    const ids = checked.flatMap(({check}) => check.transactionId ?? [])
    if (ids.length === 0) return []
    const rows = await this.#run<PaymentRow>('owners', [checked.map(({lease}) => lease.serviceId), ids])
    return rows.map(toPayment)
  }

  async #lockChains(): Promise<{heads: ChainHead[]; chainsMs: number}> {
    const names = this.#writes.flatMap((write) => {
      if (write.do === 'decide') return [write.line]
      const addsNoLine = write.do === 'renew' || (write.do === 'release' && !write.unwritten)
      return addsNoLine ? [] : [getPaymentName(write)]
    })
    if (names.length === 0) return {heads: [], chainsMs: 0}
    const chains = new Set(names.map(({serviceId, key}) => String(pickDatabaseChain(serviceId, key))))
    const heads = await this.#run<ChainHead & {ms: number}>('lockChains', [[...chains]])
    return {heads: heads.map(({chain, number, hash}) => ({chain, number, hash})), chainsMs: heads[0]?.ms ?? 0}
  }

  async #store(heads: readonly ChainHead[]): Promise<ChainEntry[]> {
    const byChain = new Map(heads.map((head) => [head.chain, head]))
    const lines = this.#newLines.map((line) => {
      const chain = pickDatabaseChain(line.serviceId, line.key)
      const head = byChain.get(chain)
      if (!head) throw new Error(`the journal has no chain ${chain}`)
      return linkEntry(head, line)
    })
    const rows = [...this.#changed.values()].map(({payment, epoch, owner}) => ({
      ...toColumns(payment),
      payment: toPaymentText(payment),
      updated_at: payment.updatedAt,
      epoch,
      owner: owner ? JSON.stringify(owner) : null,
    }))
    if (rows.length + lines.length > 0) {
      const moved = lines.length === 0 ? [] : heads
      await this.#run('write', [JSON.stringify(rows), this.#writeId, JSON.stringify(lines), JSON.stringify(moved)])
    }
    return lines
  }
}

// Whether a payment counts for what a check asks.
function isSpending(payment: Payment, {spending}: CommitCheck): boolean {
  const {currency, spentAt, state} = toColumns(payment)
  if (!spending || spentAt === null || spentAt < spending.sinceMs) return false
  return spendingStates.includes(state) && (currency === '' || currency === spending.currency.toUpperCase())
}

export const writeGroup = (query: Query, writes: readonly Write[], writeId: string, apply: Apply): Promise<GroupTry> =>
  new GroupWriter(query, writes, writeId).write(apply)

// Whether the try was written although its commit was not answered. It waits for a transaction that is still under way, by locking
// what it has locked. A row tells by the write id; a decision about no payment, by its line.
export async function wasWritten(query: Query, {rows, lines}: GroupTry, writeId: string): Promise<boolean> {
  const [line] = lines
  if (line) await query(getStatement('lockChains'), [[String(line.chain)]])
  if (rows.length > 0) {
    const values = [rows.map(({payment}) => payment.serviceId), rows.map(({payment}) => payment.key)]
    const found = await query<LockedRow>(getStatement('lockRows'), values)
    return found.some((row) => row.write_id === writeId)
  }
  return !line || (await query(getStatement('findLine'), [line.chain, line.number, line.hash])).length > 0
}

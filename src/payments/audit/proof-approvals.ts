// Which approvals in the journal are for a payment. Nothing is taken at its word: what was approved is computed anew from the content
// of the payment, and has to be what a person signed.
import {checkSshSignature} from '../../controls/ssh-signature.ts'
import {type Statement, approvalNamespace, digestParts, parseStatement} from '../../controls/statement.ts'
import {isRecord} from '../../values/records.ts'
import {digestPayment} from '../controls/approve-plan.ts'
import {decided} from '../journal/journal.ts'
import {type Payment, isContentKnown} from '../protocol/payment.ts'
import {ProofBroken, type ShownEntry, readDetail} from './proof.ts'

// A statement that somebody signed, as an entry has it.
export interface SignedStatement {
  // Who it was, as svc knew him when it was recorded.
  signer: string
  text: string
  signature: string
  statement: Statement
  fingerprint: string
}

export interface ProofApproval extends SignedStatement {
  // What was approved: this payment, or what it is one of.
  covers: string
  // When its person withdrew it, after it was used.
  withdrawnAt?: number | undefined
}

// One that was recorded for the payment, and does not count for it as it is now.
interface OtherApproval extends SignedStatement {
  reason: string
}

export interface ProofApprovals {
  approvals: ProofApproval[]
  others: OtherApproval[]
  withdrawals: SignedStatement[]
}

const approvalUsed = 'APPROVAL_USED'
const approvalWithdrawn = 'APPROVAL_WITHDRAWN'

// Clocks of machines differ a little.
const clockToleranceMs = 5 * 60_000

const nameEntry = ({number}: Pick<ShownEntry, 'number'>) => `Its entry ${number}`

interface OwnPart {
  part: string
  // As it was approved: the payment's own, or the template of it.
  key: string
}

// What people signed if they approved this payment: its key or the template of it, its content, and the limits of one of its attempts.
function listOwnParts(payment: Payment): OwnPart[] {
  const {key, template, content, attempts, limits = {}} = payment
  if (!isContentKnown(content)) return []
  // Behind a blank stands the time zone.
  const keys = template === undefined ? [key] : [key, template.split(' ', 1)[0] ?? '']
  const terms = [...attempts, {limits, isGuaranteed: false}, {limits, isGuaranteed: true}]
  return keys.flatMap((approved) =>
    terms.map(({limits: own = {}, isGuaranteed = false}) => {
      const part = digestPayment({key: approved, content, limits: own, isGuaranteed}).toString('hex')
      return {part, key: approved}
    }),
  )
}

const digestHexParts = (parts: readonly string[]) => digestParts(parts.map((part) => Buffer.from(part, 'hex')))

const isPart = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)

interface Coverage {
  kind: unknown
  digest: unknown
  parts: unknown
}

// What the approved digest covers of the payment. Undefined if it is not among it.
function findCoverage(payment: Payment, own: readonly OwnPart[], {kind, digest, parts}: Coverage): string | undefined {
  if (kind === 'payment') {
    const found = own.find(({part}) => digestHexParts([part]) === digest)
    if (!found) return undefined
    return found.key === payment.key ? 'this payment' : `every payment of ${found.key}`
  }
  if (kind !== 'payouts' || !Array.isArray(parts) || !own.some(({part}) => parts.includes(part))) return undefined
  if (!parts.every(isPart) || digestHexParts(parts) !== digest) return undefined
  return `a file of ${parts.length} rows with this payment`
}

interface ApprovalData extends Coverage {
  approvals: unknown
  withdrawal: unknown
}

function readData(entry: Pick<ShownEntry, 'detail'>, wanted: string): ApprovalData | undefined {
  const {kind: found, data} = readDetail(entry)
  if (found !== wanted) return undefined
  const {kind, digest, parts, approvals, withdrawal} = data ?? {}
  return {kind, digest, parts, approvals, withdrawal}
}

const isOwnEntry = ({serviceId, key}: Pick<Payment, 'serviceId' | 'key'>, entry: ShownEntry) =>
  entry.serviceId === serviceId && entry.key === key

// What svc never writes was put there by somebody else.
function readSigned(
  payment: Payment,
  entry: ShownEntry,
  {given, data, action}: {given: unknown; data: ApprovalData; action: Statement['action']},
): SignedStatement {
  const reject = (what: string) => new ProofBroken(`${nameEntry(entry)} is no ${action} of this payment: ${what}`)
  const {signer, statement: text, signature} = isRecord(given) ? given : {}
  if (typeof signer !== 'string' || typeof text !== 'string' || typeof signature !== 'string') {
    throw reject('it cannot be read')
  }
  const statement = parseStatement(text)
  if (!statement) throw reject(`what ${signer} signed cannot be read`)
  if (statement.action !== action) throw reject(`${signer} signed ${describeAction(statement)}`)
  if (statement.serviceId !== payment.serviceId) throw reject(`what ${signer} signed is for another service`)
  if (statement.kind !== data.kind || (statement.kind !== 'payment' && statement.kind !== 'payouts')) {
    throw reject(`what ${signer} signed is for something of another kind`)
  }
  if (statement.digest !== data.digest) throw reject(`what ${signer} signed is for other content`)
  const signed = checkSshSignature({text, signature}, approvalNamespace)
  if (!signed) throw reject(`the signature of ${signer} is wrong`)
  return {signer, text, signature, statement, fingerprint: signed.fingerprint}
}

const describeAction = ({action}: Statement) => (action === 'approval' ? 'an approval' : 'a withdrawal')

const isSamePerson = (one: SignedStatement, other: SignedStatement) =>
  one.fingerprint === other.fingerprint || (one.signer !== '' && one.signer === other.signer)

const hasWithdrawn = (withdrawal: SignedStatement, approval: SignedStatement) =>
  isSamePerson(withdrawal, approval) &&
  withdrawal.statement.kind === approval.statement.kind &&
  withdrawal.statement.digest === approval.statement.digest &&
  withdrawal.statement.givenAt >= approval.statement.givenAt

// Why an approval did not count when it was used.
function findLateness({statement}: SignedStatement, usedAt: number): string | undefined {
  if ((statement.expiresAt ?? Infinity) + clockToleranceMs <= usedAt) return 'it had expired when it was used'
  return statement.givenAt > usedAt + clockToleranceMs ? 'it was given after it was used' : undefined
}

// Adds the approvals of one entry to those that were found before it.
function addApprovals(
  found: ProofApprovals,
  payment: Payment,
  {entry, data, own}: {entry: ShownEntry; data: ApprovalData; own: readonly OwnPart[]},
): void {
  if (!Array.isArray(data.approvals)) throw new ProofBroken(`${nameEntry(entry)} has no approvals that can be read`)
  const covers = findCoverage(payment, own, data)
  for (const given of data.approvals as unknown[]) {
    const approval = readSigned(payment, entry, {given, data, action: 'approval'})
    // A payment whose content was changed has approvals of what it was before. Others have no place in its proof.
    if (covers === undefined && !isOwnEntry(payment, entry)) {
      throw new ProofBroken(`${nameEntry(entry)} is no approval of this payment: it is for something else`)
    }
    const known = [...found.approvals, ...found.others]
    // A run that was repeated uses them again.
    if (known.some(({text, signature}) => text === approval.text && signature === approval.signature)) continue
    const withdrawal = found.withdrawals.find((each) => hasWithdrawn(each, approval))
    const withdrawnAt = withdrawal?.statement.givenAt
    const reason =
      (covers === undefined ? 'it is for other content than the payment has' : undefined) ??
      findLateness(approval, entry.at) ??
      (withdrawnAt !== undefined && withdrawnAt < entry.at ? 'it was withdrawn before it was used' : undefined) ??
      (found.approvals.some((each) => isSamePerson(each, approval))
        ? 'the same person has approved already'
        : undefined)
    if (reason === undefined) found.approvals.push({...approval, covers: covers ?? '', withdrawnAt})
    else found.others.push({...approval, reason})
  }
}

// What a proof shows as the history of the payment is nothing else.
function rejectForeign(payment: Payment, entries: readonly ShownEntry[]): void {
  const foreign = entries.find(
    (entry) =>
      !isOwnEntry(payment, entry) &&
      (entry.what !== decided || (!readData(entry, approvalUsed) && !readData(entry, approvalWithdrawn))),
  )
  if (foreign) throw new ProofBroken(`${nameEntry(foreign)} is about something else than the payment`)
}

// Throws ProofBroken if an entry has something that svc would not have recorded as an approval of this payment.
export function readApprovals(payment: Payment, entries: readonly ShownEntry[]): ProofApprovals {
  rejectForeign(payment, entries)
  const found: ProofApprovals = {approvals: [], others: [], withdrawals: []}
  const decisions = entries.filter(({what}) => what === decided)
  const uses = decisions.flatMap((entry) => {
    const data = readData(entry, approvalUsed)
    return data ? [{entry, data}] : []
  })
  for (const entry of decisions) {
    const data = readData(entry, approvalWithdrawn)
    if (!data) continue
    const withdrawal = readSigned(payment, entry, {given: data.withdrawal, data, action: 'withdrawal'})
    const isOfUsed = uses.some(({data: used}) => used.kind === data.kind && used.digest === data.digest)
    if (!isOfUsed) throw new ProofBroken(`${nameEntry(entry)} withdraws what the payment did not use`)
    found.withdrawals.push(withdrawal)
  }
  const own = listOwnParts(payment)
  for (const use of uses) addApprovals(found, payment, {...use, own})
  return found
}

// The decisions about no payment that belong into its proof: approvals of a file that it is a row of, and withdrawals of what it used.
export function findApprovalEntries<E extends ShownEntry>(
  payment: Payment,
  {own, decisions}: {own: readonly E[]; decisions: readonly E[]},
): E[] {
  const parts = listOwnParts(payment)
  const isService = (statement: Statement | undefined) => statement?.serviceId === payment.serviceId
  const parseText = (given: unknown) =>
    isRecord(given) && typeof given['statement'] === 'string' ? parseStatement(given['statement']) : undefined
  const uses = decisions.filter((entry) => {
    const data = readData(entry, approvalUsed)
    if (!data || !Array.isArray(data.approvals) || !data.approvals.map(parseText).some(isService)) return false
    return findCoverage(payment, parts, data) !== undefined
  })
  const used = [...own, ...uses].flatMap((entry) => readData(entry, approvalUsed) ?? [])
  const withdrawals = decisions.filter((entry) => {
    const data = readData(entry, approvalWithdrawn)
    if (!data || !isService(parseText(data.withdrawal))) return false
    return used.some(({kind, digest}) => kind === data.kind && digest === data.digest)
  })
  return [...uses, ...withdrawals]
}

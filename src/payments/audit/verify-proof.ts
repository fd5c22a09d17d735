// Verifies a proof with nothing but its own text: the links of the chain, what the entries cover, and the signatures.
import {type SignatureCheck, checkSignature} from '../../controls/signatures.ts'
import type {Signers} from '../../controls/signers.ts'
import {approvalNamespace} from '../../controls/statement.ts'
import type {SvcError} from '../../errors.ts'
import {isRecord} from '../../values/records.ts'
import {toIso} from '../../values/time.ts'
import {digestSubject, digestText, hashEntry, linkEntry} from '../journal/chain.ts'
import {decided, readPaymentText} from '../journal/journal.ts'
import type {Payment} from '../protocol/payment.ts'
import {readProofPage, renderProofPage} from './proof-page.ts'
import {
  type HiddenLink,
  type JournalHead,
  type Proof,
  ProofBroken,
  type ProofChain,
  type ShownEntry,
  digestHead,
  digestProof,
  formatProof,
  headNamespace,
  notIntact,
  parseHead,
  proofFormat,
  readAuditFile,
} from './proof.ts'
import {type ProofApproval, type ProofApprovals, type SignedStatement, readApprovals} from './proof-approvals.ts'
import {describeSignature} from './check-journal.ts'

const reject = (message: string) => new ProofBroken(message)

type ProvenApproval = ProofApproval & {check: SignatureCheck}

export interface ProvenPayment {
  proof: Proof
  payment: Payment
  entries: ShownEntry[]
  head: JournalHead & {digest: string}
  // Null if the head was not signed.
  signature: SignatureCheck | null
  approvals: ProvenApproval[]
  others: ProofApprovals['others']
  withdrawals: ProofApprovals['withdrawals']
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isTextOrNull = (value: unknown) => value === null || isText(value)

const isShown = (link: unknown): link is ShownEntry =>
  isRecord(link) &&
  Number.isSafeInteger(link['number']) &&
  Number.isSafeInteger(link['at']) &&
  [link['serviceId'], link['key'], link['what']].every(isText) &&
  [link['detail'], link['evidence'], link['payment']].every(isTextOrNull)

const isChain = (chain: unknown): chain is ProofChain =>
  isRecord(chain) &&
  Number.isSafeInteger(chain['chain']) &&
  Number.isSafeInteger(chain['first']) &&
  isText(chain['before']) &&
  Array.isArray(chain['links']) &&
  chain['links'].every((link: unknown) => isText(link) || isShown(link))

const isParties = (parties: unknown) =>
  parties === undefined || (isRecord(parties) && Object.values(parties).every(isText))

function isProof(value: unknown): value is Proof {
  if (!isRecord(value) || value['format'] !== proofFormat) return false
  const {written, payment, chains, head, digest} = value
  return (
    isRecord(written) &&
    isText(written['at']) &&
    isRecord(written['by']) &&
    isText(written['svc']) &&
    isParties(written['parties']) &&
    isRecord(payment) &&
    [payment['serviceId'], payment['key'], payment['text']].every(isText) &&
    [payment['createdAt'], payment['updatedAt']].every(Number.isSafeInteger) &&
    Array.isArray(chains) &&
    chains.every(isChain) &&
    isRecord(head) &&
    isText(head['text']) &&
    isTextOrNull(head['signature']) &&
    isText(digest)
  )
}

// Every byte counts: the text is exactly the one that svc writes for what it says.
function parseProof(text: string): Proof {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw reject('It is no proof of svc, or its text was changed so that it cannot be read')
  }
  if (!isProof(value)) throw reject('It is no proof of svc, or a part of it is missing')
  const {digest, ...content} = value
  if (digestProof(content) !== digest || formatProof(value) !== text) {
    throw reject('Its text was changed after it was written')
  }
  return value
}

const hiddenPattern = /^([0-9a-f]{16}) ([0-9a-f]{64})$/

function followHidden(before: string, link: HiddenLink, own: string): string {
  const [, subject, content] = hiddenPattern.exec(link) ?? []
  if (subject === undefined || content === undefined) throw reject('A link of its chain was changed')
  if (subject === own) throw reject('It hides an entry of the payment')
  return linkEntry(before, subject, content)
}

// Follows the links to the head, and returns the entries that it shows.
function followChain(chain: ProofChain, head: JournalHead, own: string): ShownEntry[] {
  const end = head.chains.find((each) => each.chain === chain.chain)
  let {before} = chain
  for (const [index, link] of chain.links.entries()) {
    const number = chain.first + index
    if (typeof link === 'string') before = followHidden(before, link, own)
    else if (link.number === number) before = hashEntry(before, {...link, chain: chain.chain})
    else throw reject(`Its entry ${link.number} is in the place of entry ${number}`)
  }
  if (end?.hash !== before || end.number !== chain.first + chain.links.length - 1) {
    throw reject('Its entries do not lead to its head: an entry was changed, removed or inserted')
  }
  return chain.links.filter((link): link is ShownEntry => typeof link !== 'string')
}

// What the entries say about the payment, from its first one on.
function comparePayment({payment}: Proof, own: readonly ShownEntry[]): Payment {
  const changes = own.filter(({what}) => what !== 'TAKEN_OVER' && what !== decided)
  const [first] = changes
  if (!first || first.what !== 'INTENDED') throw reject('Its first entry is missing')
  const updatedAt = changes.slice(1).reduce((before, {at}) => Math.max(at, before + 1), first.at)
  if (changes.at(-1)?.payment !== digestText(payment.text)) {
    throw reject('Its payment is not the one that its last entry covers')
  }
  if (payment.createdAt !== first.at || payment.updatedAt !== updatedAt) throw reject('Its times were changed')
  const read = readPaymentText(payment.text, payment.createdAt, payment.updatedAt)
  if (read.serviceId !== payment.serviceId || read.key !== payment.key) throw reject('It is about another payment')
  return read
}

// With signers, each signature must be of one of them, and of nobody else than the entry says.
function checkSigner(
  {signer, text, signature}: SignedStatement,
  what: string,
  signers: Signers | undefined,
): SignatureCheck {
  const check = checkSignature({text, signature}, {namespace: approvalNamespace, signers})
  rejectBad(check, `${what} of ${signer}`)
  const known = signers?.findPerson(signer)
  if (known !== undefined && check.isGood && check.person !== known) {
    throw reject(`${what} of ${signer} was signed by ${check.person}`)
  }
  return check
}

const rejectBad = (check: SignatureCheck | null, what: string) => {
  if (!check || check.isGood) return
  throw reject(
    check.reason === 'notAllowed' ? `${what} was signed by nobody of the signers` : `${what} has a wrong signature`,
  )
}

// Throws ProofBroken at the first thing that is wrong.
export function verifyProof(text: string, {signers}: {signers?: Signers | undefined} = {}): ProvenPayment {
  const proof = parseProof(text)
  const {serviceId, key} = proof.payment
  const head = parseHead(proof.head.text)
  if (!head) throw reject('Its head cannot be read')
  const subject = digestSubject(serviceId, key)
  const entries = proof.chains.flatMap((chain) => followChain(chain, head, subject))
  const own = entries.filter((entry) => entry.serviceId === serviceId && entry.key === key)
  const payment = comparePayment(proof, own)
  const {signature} = proof.head
  const signed = signature === null ? null : {text: proof.head.text, signature}
  const check = signed && checkSignature(signed, {namespace: headNamespace, signers})
  rejectBad(check, 'Its head')
  if (signers && !check) throw reject('Its head is not signed, so none of the signers vouches for when it was written')
  const {approvals, others, withdrawals} = readApprovals(payment, entries)
  const checked: ProvenApproval[] = []
  for (const approval of approvals) {
    checked.push({...approval, check: checkSigner(approval, 'The approval', signers)})
  }
  for (const withdrawal of withdrawals) checkSigner(withdrawal, 'The withdrawal', signers)
  return {
    proof,
    payment,
    entries,
    head: {...head, digest: digestHead(proof.head.text)},
    signature: check,
    approvals: checked,
    others,
    withdrawals,
  }
}

// The result of `svc journal verify FILE`: what a proof says about its payment, and whether it holds.
export interface ProofCheck {
  file: string
  isIntact: boolean
  key?: string | undefined
  service?: string | undefined
  state?: string | undefined
  amount?: string | undefined
  // By the word of whoever wrote it.
  payee?: string | undefined
  transactionId?: string | undefined
  recordedAt?: string | undefined
  // How many entries of the payment it shows, and how many links lead to the head.
  entries?: number | undefined
  links?: number | undefined
  head?: {at: string; digest: string; signature: string} | undefined
  // Those that are for this payment, as it is.
  approvals?: Array<{signer: string; covers: string; signature: string; withdrawnAt?: string | undefined}> | undefined
  // Recorded for this payment, but they do not count, for the reason given.
  otherApprovals?: Array<{signer: string; reason: string}> | undefined
  written?: {at: string; by: string; svc: string} | undefined
  finding?: string | undefined
}

function summarize(file: string, proven: ProvenPayment): ProofCheck {
  const {proof, payment, entries, head, signature, approvals, others} = proven
  const {sourceAmount, sourceCurrency} = payment.content.source
  const {at, by, svc, parties} = proof.written
  return {
    file,
    isIntact: true,
    key: payment.key,
    service: payment.serviceId,
    state: payment.state,
    ...(sourceAmount !== '' && {amount: `${sourceAmount} ${sourceCurrency}`}),
    ...(parties?.to !== undefined && {payee: parties.to}),
    ...(payment.transactionId !== undefined && {transactionId: payment.transactionId}),
    recordedAt: toIso(payment.createdAt),
    entries: entries.length,
    links: proof.chains.reduce((sum, {links}) => sum + links.length, 0),
    head: {at: head.at, digest: head.digest, signature: describeSignature(signature)},
    approvals: approvals.map(({signer, covers, check, withdrawnAt}) => ({
      signer: (check.isGood ? check.person : undefined) ?? signer,
      covers,
      signature: describeSignature(check),
      ...(withdrawnAt !== undefined && {withdrawnAt: toIso(withdrawnAt)}),
    })),
    ...(others.length > 0 && {otherApprovals: others.map(({signer, reason}) => ({signer, reason}))}),
    written: {at, by: `${by.user} on ${by.host}`, svc},
  }
}

export interface CheckedProof {
  check: ProofCheck
  failure?: SvcError | undefined
}

interface CheckOptions {
  signers?: Signers | undefined
  version: string
}

const shownLengthMax = 100

// A line of a page, as a sentence quotes it.
const quoteLine = (line: string | undefined) => {
  const text = line?.trim() ?? ''
  if (text === '') return 'nothing'
  return JSON.stringify(text.length > shownLengthMax ? `${text.slice(0, shownLengthMax)}…` : text)
}

// Whoever reads the page reads its words, so that they have to be those that svc writes for its data.
function comparePage(page: string, {written}: Proof, expected: string, version: string): void {
  if (page === expected) return
  const [lines, expectedLines] = [page.split('\n'), expected.split('\n')]
  const index = lines.findIndex((line, at) => line !== expectedLines[at])
  const [found, meant] = [lines[index], expectedLines[index]]
  const start = Array.from(found ?? '').findIndex((character, at) => character !== meant?.[at])
  // Of a long line, the part that differs.
  const from = Math.max(0, start - shownLengthMax / 2)
  const difference = `Its page says ${quoteLine(found?.slice(from))} where its data give ${quoteLine(meant?.slice(from))}`
  if (written.svc === version) throw reject(difference)
  throw reject(
    `${difference}. It says that svc ${written.svc} wrote it, and this is ${version}: verify it with that one, or ask for it as JSON`,
  )
}

function readProof(text: string, {signers, version}: CheckOptions): ProvenPayment {
  if (!text.startsWith('<')) return verifyProof(text, {signers})
  const data = readProofPage(text)
  if (data === undefined) throw reject('It is no proof of svc, or a part of it is missing')
  const proven = verifyProof(data, {signers})
  comparePage(text, proven.proof, renderProofPage(proven.proof), version)
  return proven
}

export const checkProof = (file: string, options: CheckOptions): CheckedProof =>
  checkProofText(file, readAuditFile(file), options)

export function checkProofText(file: string, text: string, options: CheckOptions): CheckedProof {
  try {
    return {check: summarize(file, readProof(text, options))}
  } catch (error) {
    if (!(error instanceof ProofBroken)) throw error
    const failure = notIntact(`The proof ${file} does not hold: ${error.message}`, 'Ask for it again from its source')
    return {check: {file, isIntact: false, finding: error.message}, failure}
  }
}

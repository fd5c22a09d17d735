// The result of `svc journal verify FILE`: what a proof says about its payment, and whether it holds.
import type {SvcError} from '../../errors.ts'
import type {Signers} from '../../controls/signers.ts'
import {describeSignature} from './check-journal.ts'
import {readAuditFile} from './files.ts'
import {readProofPage, renderProofPage} from './proof-page.ts'
import {notIntact} from './verify-errors.ts'
import {ProofBroken, type ProvenPayment, verifyProof} from './verify-proof.ts'
import {toIso} from '../../values/time.ts'

export interface ProofCheck {
  file: string
  isIntact: boolean
  key?: string | undefined
  service?: string | undefined
  state?: string | undefined
  amount?: string | undefined
  transactionId?: string | undefined
  recordedAt?: string | undefined
  // How many entries of the payment it shows, and how many links lead to the head.
  entries?: number | undefined
  links?: number | undefined
  head?: {at: string; digest: string; signature: string} | undefined
  approvals?: Array<{signer: string; signature: string}> | undefined
  written?: {at: string; by: string; svc: string} | undefined
  finding?: string | undefined
}

function summarize(file: string, proven: ProvenPayment): ProofCheck {
  const {proof, payment, entries, head, signature, approvals} = proven
  const {sourceAmount, sourceCurrency} = payment.content.source
  const {at, by, svc} = proof.written
  return {
    file,
    isIntact: true,
    key: payment.key,
    service: payment.serviceId,
    state: payment.state,
    ...(sourceAmount !== '' && {amount: `${sourceAmount} ${sourceCurrency}`}),
    ...(payment.transactionId !== undefined && {transactionId: payment.transactionId}),
    recordedAt: toIso(payment.createdAt),
    entries: entries.length,
    links: proof.chains.reduce((sum, {links}) => sum + links.length, 0),
    head: {at: head.at, digest: head.digest, signature: describeSignature(signature)},
    approvals: approvals.map((each) => ({signer: each.signer, signature: describeSignature(each.signature)})),
    written: {at, by: `${by.user} on ${by.host}`, svc},
  }
}

// The words of a page are compared with what this svc writes for the same proof. One of another version may word it differently.
export interface CheckedProof {
  check: ProofCheck
  failure?: SvcError | undefined
  hasWordsOfAnotherVersion: boolean
}

interface CheckOptions {
  signers?: Signers | undefined
  version: string
}

async function readProof(text: string, {signers, version}: CheckOptions) {
  const page = text.startsWith('<') ? readProofPage(text) : undefined
  if (text.startsWith('<') && !page) throw new ProofBroken('It is no proof of svc, or a part of it is missing')
  if (page && !page.isSealed) throw new ProofBroken('Its text was changed after it was written')
  const proven = await verifyProof(page?.proof ?? text, {signers})
  const isOther = page !== undefined && proven.proof.written.svc !== version
  if (page && !isOther && renderProofPage(proven.proof) !== text) {
    throw new ProofBroken('The words of its page are not those of the proof that it holds')
  }
  return {proven, isOther}
}

export const checkProof = (file: string, options: CheckOptions): Promise<CheckedProof> =>
  checkProofText(file, readAuditFile(file), options)

export async function checkProofText(file: string, text: string, options: CheckOptions): Promise<CheckedProof> {
  try {
    const {proven, isOther} = await readProof(text, options)
    return {check: summarize(file, proven), hasWordsOfAnotherVersion: isOther}
  } catch (error) {
    if (!(error instanceof ProofBroken)) throw error
    const failure = notIntact(`The proof ${file} does not hold: ${error.message}`, 'Ask for it again from its source')
    return {check: {file, isIntact: false, finding: error.message}, failure, hasWordsOfAnotherVersion: false}
  }
}

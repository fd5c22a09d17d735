// Writes the proof of a payment to a file, as a page or as JSON.
import {checkSignature, readSigningKey, signText} from '../../controls/signatures.ts'
import {badUsage} from '../../errors.ts'
import {describeOperator} from '../../profiles/operator.ts'
import type {JournalAddress} from '../../storage/journal-address.ts'
import {openJournal, withChainReader} from '../journal/open-journal.ts'
import {readPaymentText} from '../journal/journal.ts'
import {joinArchives} from './archive-file.ts'
import {buildProof} from './build-proof.ts'
import {renderProofPage} from './proof-page.ts'
import {
  type Proof,
  ProofBroken,
  type ProofParties,
  countEntries,
  digestHead,
  formatHead,
  formatProof,
  headNamespace,
  headSigned,
  notIntact,
  parseHead,
  requireHead,
  writeAuditFile,
} from './proof.ts'
import {verifyJournal} from './verify-journal.ts'
import {verifyProof} from './verify-proof.ts'

export interface WrittenProof {
  file: string
  key: string
  state: string
  payee?: string | undefined
  entries: number
  headAt?: string | undefined
  isSigned: boolean
  digest: string
}

export const isPage = (file: string) => /\.html?$/i.test(file)

export function checkProofName(file: string): void {
  if (isPage(file) || /\.json$/i.test(file)) return
  throw badUsage(`A proof is a page or JSON, and ${file} is neither`, 'Name a file that ends with .html or .json')
}

// A payment of a journal that was tampered with gets no proof.
function rejectBroken(proof: Proof): void {
  try {
    verifyProof(formatProof(proof))
  } catch (error) {
    if (!(error instanceof ProofBroken)) throw error
    throw notIntact(
      `The journal is not intact around the payment ${proof.payment.key}: ${error.message}`,
      'Find out where with `svc journal verify`; nothing was written',
    )
  }
}

interface ProofOptions {
  file: string
  svc: string
  parties?: ProofParties | undefined
  // The files of archives that are read as a part of the journal.
  archives?: readonly string[] | undefined
}

// Undefined if the journal has no such payment at this service.
export async function writeProof(
  address: JournalAddress,
  payment: {serviceId: string; key: string},
  {file, svc, parties, archives = []}: ProofOptions,
): Promise<WrittenProof | undefined> {
  const written = {at: new Date().toISOString(), by: describeOperator(), svc, ...(parties && {parties})}
  const proof = await withChainReader(address, (reader) =>
    buildProof(joinArchives(reader, archives), {...payment, written}),
  )
  if (!proof) return undefined
  rejectBroken(proof)
  const {text, createdAt, updatedAt, key} = proof.payment
  writeAuditFile(file, isPage(file) ? renderProofPage(proof) : formatProof(proof))
  return {
    file,
    key,
    state: readPaymentText(text, createdAt, updatedAt).state,
    ...(parties?.to !== undefined && {payee: parties.to}),
    entries: proof.chains.reduce((sum, {links}) => sum + links.filter((link) => typeof link !== 'string').length, 0),
    headAt: parseHead(proof.head.text)?.at,
    isSigned: proof.head.signature !== null,
    digest: proof.digest,
  }
}

// Exports the head of a journal, and signs it. A signed head is also kept in the journal, for the proofs of payments before it.
export interface ExportedHead {
  journal: string
  at: string
  entries: number
  // SHA-256 of the text of the head.
  digest: string
  // The fingerprint of the key that signed it.
  signedBy?: string | undefined
  files: string[]
}

export interface HeadOptions {
  out?: string | undefined
  // The file of the key to sign with.
  signingKey?: string | undefined
  why?: string | undefined
  // Whether a person can touch a key or type a passphrase.
  isShown: boolean
}

async function sign(text: string, file: string, isShown: boolean): Promise<{signature: string; fingerprint: string}> {
  const key = await readSigningKey(file)
  const signature = await signText(text, {key, namespace: headNamespace, isShown})
  const check = checkSignature({text, signature}, {namespace: headNamespace})
  if (!check.isGood) throw new Error(`the signature of ${file} does not fit what it signed`)
  return {signature, fingerprint: check.fingerprint}
}

// Whoever signs a head says that the journal is whole up to there, so it is verified first.
async function readIntactHead(address: JournalAddress): Promise<string> {
  const {heads, finding} = await withChainReader(address, (reader) => verifyJournal(reader))
  if (finding) {
    throw notIntact(
      `The journal ${address.text} is not intact: ${finding.message}`,
      'See docs/audit.md; nothing was signed or written',
    )
  }
  return formatHead({at: new Date().toISOString(), chains: heads})
}

export async function exportHead(address: JournalAddress, options: HeadOptions): Promise<ExportedHead> {
  const {out, signingKey, why, isShown} = options
  const text = await readIntactHead(address)
  const head = requireHead(text, 'The head')
  const signed = signingKey === undefined ? undefined : await sign(text, signingKey, isShown)
  const files = out === undefined ? [] : [out, ...(signed ? [`${out}.sig`] : [])]
  if (out !== undefined) writeAuditFile(out, text)
  if (out !== undefined && signed) writeAuditFile(`${out}.sig`, signed.signature)
  if (signed) {
    const journal = await openJournal(address)
    try {
      await journal.recordDecision({
        kind: headSigned,
        about: {head: digestHead(text)},
        who: {...describeOperator(), signer: signed.fingerprint},
        why,
        data: {head: text, signature: signed.signature},
      })
    } finally {
      await journal.close()
    }
  }
  return {
    journal: address.text,
    at: head.at,
    entries: countEntries(head),
    digest: digestHead(text),
    ...(signed && {signedBy: signed.fingerprint}),
    files,
  }
}

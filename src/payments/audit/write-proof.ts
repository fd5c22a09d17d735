// Writes the proof of a payment to a file, as a page or as JSON.
import {badUsage} from '../../errors.ts'
import {describeOperator} from '../../profiles/operator.ts'
import type {JournalAddress} from '../../storage/journal-address.ts'
import {withChainReader} from '../journal/open-chains.ts'
import {readPaymentText} from '../journal/payment-text.ts'
import {writeAuditFile} from './files.ts'
import {parseHead} from './head.ts'
import {type Proof, buildProof, formatProof} from './proof.ts'
import {renderProofPage} from './proof-page.ts'
import {notIntact} from './verify-errors.ts'
import {ProofBroken, verifyProof} from './verify-proof.ts'

export interface WrittenProof {
  file: string
  key: string
  state: string
  entries: number
  headAt?: string | undefined
  isSigned: boolean
  digest: string
}

const isPage = (file: string) => /\.html?$/i.test(file)

export function checkProofName(file: string): void {
  if (isPage(file) || /\.json$/i.test(file)) return
  throw badUsage(`A proof is a page or JSON, and ${file} is neither`, 'Name a file that ends with .html or .json')
}

// A payment of a journal that was tampered with gets no proof.
async function rejectBroken(proof: Proof): Promise<void> {
  try {
    await verifyProof(formatProof(proof))
  } catch (error) {
    if (!(error instanceof ProofBroken)) throw error
    throw notIntact(
      `The journal is not intact around the payment ${proof.payment.key}: ${error.message}`,
      'Find out where with `svc journal verify`; nothing was written',
    )
  }
}

// Undefined if the journal has no such payment at this service.
export async function writeProof(
  address: JournalAddress,
  payment: {serviceId: string; key: string},
  {file, svc}: {file: string; svc: string},
): Promise<WrittenProof | undefined> {
  const written = {at: new Date().toISOString(), by: describeOperator(), svc}
  const proof = await withChainReader(address, (reader) => buildProof(reader, {...payment, written}))
  if (!proof) return undefined
  await rejectBroken(proof)
  const {text, createdAt, updatedAt, key} = proof.payment
  writeAuditFile(file, isPage(file) ? renderProofPage(proof) : formatProof(proof))
  return {
    file,
    key,
    state: readPaymentText(text, createdAt, updatedAt).state,
    entries: proof.chains.reduce((sum, {links}) => sum + links.filter((link) => typeof link !== 'string').length, 0),
    headAt: parseHead(proof.head.text)?.at,
    isSigned: proof.head.signature !== null,
    digest: proof.digest,
  }
}

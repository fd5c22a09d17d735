// Exports the head of a journal, and signs it. A signed head is also kept in the journal, for the proofs of payments before it.
import {describeOperator} from '../../profiles/operator.ts'
import {checkSignature, readSigningKey, signText} from '../../controls/signatures.ts'
import type {JournalAddress} from '../../storage/journal-address.ts'
import {withChainReader} from '../journal/open-chains.ts'
import {openJournal} from '../journal/open-journal.ts'
import {writeAuditFile} from './files.ts'
import {countEntries, digestHead, formatHead, headNamespace, requireHead} from './head.ts'
import {headSigned} from './proof.ts'
import {notIntact} from './verify-errors.ts'
import {verifyJournal} from './verify-journal.ts'

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
  const check = await checkSignature({text, signature}, {namespace: headNamespace})
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

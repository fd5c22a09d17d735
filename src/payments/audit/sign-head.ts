// Signs the head of a journal that was verified. The signed head is also kept in the journal, which is compared with it from then on.
import {checkSignature, readSigningKey, signText} from '../../controls/signatures.ts'
import {describeOperator} from '../../values/operator.ts'
import type {JournalAddress} from '../../storage/journal-address.ts'
import type {ChainHead} from '../journal/chain.ts'
import {openJournal} from '../journal/open-journal.ts'
import {digestHead, formatHead, headNamespace, headSigned, writeAuditFile} from './head.ts'

export interface SignedHead {
  at: string
  // SHA-256 of the text of the head.
  digest: string
  // The fingerprint of the key that signed it.
  by: string
  files: string[]
}

interface SignOptions {
  // The file of the key to sign with.
  signingKey: string
  out?: string | undefined
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

export async function signHead(
  address: JournalAddress,
  chains: ChainHead[],
  {signingKey, out, why, isShown}: SignOptions,
): Promise<SignedHead> {
  const at = new Date().toISOString()
  const text = formatHead({at, chains})
  const {signature, fingerprint} = await sign(text, signingKey, isShown)
  if (out !== undefined) {
    writeAuditFile(out, text)
    writeAuditFile(`${out}.sig`, signature)
  }
  const journal = await openJournal(address)
  try {
    await journal.recordDecision({
      kind: headSigned,
      about: {head: digestHead(text)},
      who: {...describeOperator(), signer: fingerprint},
      why,
      data: {head: text, signature},
    })
  } finally {
    await journal.close()
  }
  return {at, digest: digestHead(text), by: fingerprint, files: out === undefined ? [] : [out, `${out}.sig`]}
}

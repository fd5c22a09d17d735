// The result of `svc journal verify` for a journal: what was walked, what it was compared with, and the first thing that is wrong.
import {type SignatureCheck, checkSignature} from '../../controls/signatures.ts'
import type {Signers} from '../../controls/signers.ts'
import type {SvcError} from '../../errors.ts'
import type {JournalAddress} from '../../storage/journal-address.ts'
import {withChainReader} from '../journal/open-chains.ts'
import {readAuditFile, readFileIfThere} from './files.ts'
import {countEntries, digestHead, formatHead, headNamespace, requireHead} from './head.ts'
import {headSigned, readDetail} from './proof.ts'
import {notIntact} from './verify-errors.ts'
import {type Finding, verifyJournal} from './verify-journal.ts'

export interface JournalCheck {
  journal: string
  isIntact: boolean
  entries: number
  decisions: number
  payments: number
  lastEntryAt?: string | undefined
  // SHA-256 of the text of its present head, without the time.
  digest?: string | undefined
  // What the journal was compared with.
  head?: {file: string; at: string; entries: number; signature: string} | undefined
  // Heads that were signed and kept in the journal, which hold.
  signedHeads: number
  finding?: Finding | undefined
}

export function describeSignature(check: SignatureCheck | null): string {
  if (check === null) return 'none'
  if (check.isGood) return check.person === undefined ? `good, by ${check.fingerprint}` : `good, by ${check.person}`
  if (check.reason === 'unchecked') return 'not checked: ssh-keygen is not installed'
  return check.reason === 'notAllowed' ? 'by nobody of the signers' : 'wrong'
}

interface GivenHead {
  text: string
  file: string
  check: SignatureCheck | null
}

async function readGivenHead(file: string, signers: Signers | undefined): Promise<GivenHead> {
  const text = readAuditFile(file)
  requireHead(text, file)
  const signature = readFileIfThere(`${file}.sig`)
  const check =
    signature === undefined ? null : await checkSignature({text, signature}, {namespace: headNamespace, signers})
  return {text, file, check}
}

const isBad = (check: SignatureCheck | null) => check !== null && !check.isGood && check.reason !== 'unchecked'

// A head that was signed into the journal holds for it as one that was exported does.
async function readKeptHeads(address: JournalAddress, signers: Signers | undefined): Promise<GivenHead[]> {
  const decisions = await withChainReader(address, (reader) => reader.readDecisions())
  const kept: GivenHead[] = []
  for (const entry of decisions) {
    const {kind, data} = readDetail(entry)
    if (kind !== headSigned || typeof data?.head !== 'string' || typeof data.signature !== 'string') continue
    const signed = {text: data.head, signature: data.signature}
    const check = await checkSignature(signed, {namespace: headNamespace, signers})
    kept.push({text: data.head, file: `entry ${entry.number}`, check})
  }
  return kept
}

export async function checkJournal(
  address: JournalAddress,
  {headFile, signers}: {headFile?: string | undefined; signers?: Signers | undefined},
): Promise<{check: JournalCheck; failure?: SvcError | undefined}> {
  const given = headFile === undefined ? undefined : await readGivenHead(headFile, signers)
  const kept = await readKeptHeads(address, signers)
  const all = [...(given ? [given] : []), ...kept]
  const chains = all.flatMap(({text, file}) => requireHead(text, file).chains)
  const walked = await withChainReader(address, (reader) => verifyJournal(reader, chains))
  const badHead = all.find(({check}) => isBad(check))
  const finding: Finding | undefined =
    walked.finding ??
    (badHead && {
      kind: 'changed',
      message: `The signature of the head in ${badHead.file} is ${describeSignature(badHead.check)}`,
    })
  const head = given && requireHead(given.text, given.file)
  const check: JournalCheck = {
    journal: address.text,
    isIntact: !finding,
    entries: walked.entries,
    decisions: walked.decisions,
    payments: walked.payments,
    ...(walked.lastAt !== undefined && {lastEntryAt: new Date(walked.lastAt).toISOString()}),
    ...(!finding && {digest: digestHead(formatHead({at: '-', chains: walked.heads}))}),
    ...(given &&
      head && {
        head: {file: given.file, at: head.at, entries: countEntries(head), signature: describeSignature(given.check)},
      }),
    signedHeads: kept.length,
    ...(finding && {finding}),
  }
  const failure =
    finding &&
    notIntact(
      `The journal ${address.text} is not intact: ${finding.message}`,
      'See docs/audit.md for what to do; nothing was changed',
    )
  return {check, failure}
}

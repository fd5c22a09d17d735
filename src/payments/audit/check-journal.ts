// Checks a journal as `svc journal verify` does: walks it, and compares it with heads that were exported or signed before.
import {type SignatureCheck, checkSignature} from '../../controls/signatures.ts'
import type {Signer} from '../../controls/limits.ts'
import type {SvcError} from '../../errors.ts'
import type {JournalAddress} from '../../storage/journal-address.ts'
import type {ChainEntry, ChainHead} from '../journal/chain.ts'
import {withChainReader} from '../journal/open-journal.ts'
import {
  type JournalHead,
  countEntries,
  digestHead,
  formatHead,
  headNamespace,
  headSigned,
  notIntact,
  parseHead,
  readAuditFile,
  readDetail,
  readSignatureFile,
  requireHead,
} from './head.ts'
import type {SignedHead} from './sign-head.ts'
import {type Finding, Stop, nameEntry, stopAt, verifyJournal} from './verify-journal.ts'

// What was walked, what it was compared with, and the first thing that is wrong.
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
  // How many entries a signed head covers. Nobody vouches for those after it.
  signedEntries: number
  // The head that was signed now.
  signed?: SignedHead | undefined
  finding?: Finding | undefined
}

function describeSignature(check: SignatureCheck | null): string {
  if (check === null) return 'none'
  if (check.isGood) return check.person === undefined ? `good, by ${check.fingerprint}` : `good, by ${check.person}`
  return check.reason === 'notAllowed' ? 'by nobody of the signers' : 'wrong'
}

interface GivenHead {
  head: JournalHead
  // The file or the entry that it is in.
  place: string
  // Null without a signature, and then why.
  check: SignatureCheck | null
  lacks?: string | undefined
}

function readGivenHead(file: string, signers: readonly Signer[] | undefined): GivenHead {
  const text = readAuditFile(file)
  const head = requireHead(text, file)
  const {text: signature, problem} = readSignatureFile(`${file}.sig`)
  if (signature === undefined) return {head, place: file, check: null, lacks: problem}
  return {head, place: file, check: checkSignature({text, signature}, {namespace: headNamespace, signers})}
}

// A head that was signed into the journal holds for it as one that was exported does.
function readKeptHeads(decisions: readonly ChainEntry[], signers: readonly Signer[] | undefined): GivenHead[] {
  const kept: GivenHead[] = []
  for (const entry of decisions) {
    const {kind, data} = readDetail(entry)
    if (kind !== headSigned) continue
    const head = typeof data?.head === 'string' ? parseHead(data.head) : undefined
    if (!head || typeof data?.head !== 'string' || typeof data.signature !== 'string') {
      throw stopAt('changed', entry, 'says that a head was signed, and has none')
    }
    const signed = {text: data.head, signature: data.signature}
    const check = checkSignature(signed, {namespace: headNamespace, signers})
    kept.push({head, place: nameEntry(entry), check})
  }
  return kept
}

// With --signers, whatever they did not sign is no evidence.
function rejectUnsigned(
  given: GivenHead | undefined,
  kept: readonly GivenHead[],
  signers: readonly Signer[] | undefined,
): void {
  const bad = [...(given ? [given] : []), ...kept].find(({check}) => check && !check.isGood)
  if (bad) {
    const message = `The signature of the head in ${bad.place} is ${describeSignature(bad.check)}`
    throw new Stop({kind: 'changed', message})
  }
  if (!signers) return
  if (given?.check === null) {
    throw new Stop({kind: 'unsigned', message: `The head in ${given.place} is not signed: ${given.lacks}`})
  }
  if (given || kept.length > 0) return
  throw new Stop({kind: 'unsigned', message: 'None of its heads is signed, so the signers vouch for nothing in it'})
}

interface CheckOptions {
  headFile?: string | undefined
  signers?: readonly Signer[] | undefined
}

// What the walk finds comes first: what entries say counts only if nobody changed them.
async function walkAndCompare(
  address: JournalAddress,
  given: GivenHead | undefined,
  signers: readonly Signer[] | undefined,
) {
  const decisions = await withChainReader(address, (reader) => reader.readDecisions())
  const kept: GivenHead[] = []
  let finding: Finding | undefined
  try {
    kept.push(...readKeptHeads(decisions, signers))
    rejectUnsigned(given, kept, signers)
  } catch (error) {
    if (!(error instanceof Stop)) throw error
    finding = error.finding
  }
  const chains = [...(given ? [given] : []), ...kept].flatMap(({head}) => head.chains)
  const walked = await withChainReader(address, (reader) => verifyJournal(reader, chains))
  return {
    walked,
    signedHeads: kept.length,
    signedEntries: countSignedEntries([...(given ? [given] : []), ...kept]),
    finding: walked.finding ?? finding,
  }
}

function countSignedEntries(heads: readonly GivenHead[]): number {
  const ends = new Map<number, number>()
  for (const {head, check} of heads) {
    if (!check?.isGood) continue
    for (const {chain, number} of head.chains) ends.set(chain, Math.max(number, ends.get(chain) ?? 0))
  }
  return [...ends.values()].reduce((sum, number) => sum + number, 0)
}

export async function checkJournal(
  address: JournalAddress,
  {headFile, signers}: CheckOptions,
): Promise<{check: JournalCheck; heads: ChainHead[]; failure?: SvcError | undefined}> {
  const given = headFile === undefined ? undefined : readGivenHead(headFile, signers)
  const {walked, signedHeads, signedEntries, finding} = await walkAndCompare(address, given, signers)
  const check: JournalCheck = {
    journal: address.text,
    isIntact: !finding,
    entries: walked.entries,
    decisions: walked.decisions,
    payments: walked.payments,
    ...(walked.lastAt !== undefined && {lastEntryAt: new Date(walked.lastAt).toISOString()}),
    ...(!finding && {digest: digestHead(formatHead({at: '-', chains: walked.heads}))}),
    ...(given && {
      head: {
        file: given.place,
        at: given.head.at,
        entries: countEntries(given.head),
        signature: describeSignature(given.check),
      },
    }),
    signedHeads,
    signedEntries,
    ...(finding && {finding}),
  }
  const failure =
    finding &&
    notIntact(
      finding.kind === 'unsigned'
        ? `The journal ${address.text} is not shown to be intact: ${finding.message}`
        : `The journal ${address.text} is not intact: ${finding.message}`,
      'See docs/audit.md for what to do; nothing was changed',
    )
  return {check, heads: walked.heads, failure}
}

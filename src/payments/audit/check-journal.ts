// Checks a journal as `svc journal verify` does: walks it, and compares it with heads that were exported or signed before.
import {type SignatureCheck, checkSignature} from '../../controls/signatures.ts'
import type {Signer} from '../../controls/limits.ts'
import type {SvcError} from '../../errors.ts'
import type {JournalAddress} from '../../storage/journal-address.ts'
import type {ChainEntry, ChainHead, ChainReader} from '../journal/chain.ts'
import {withChainReader} from '../journal/open-journal.ts'
import {
  type JournalHead,
  digestHead,
  formatHead,
  headNamespace,
  headSigned,
  notIntact,
  parseHead,
  readHeadFile,
  readSignatureFile,
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
  if (check.isGood) return `good, by ${check.person ?? check.fingerprint}`
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
  const {text, head} = readHeadFile(file)
  const {text: signature, problem} = readSignatureFile(`${file}.sig`)
  if (signature === undefined) return {head, place: file, check: null, lacks: problem}
  return {head, place: file, check: checkSignature({text, signature}, {namespace: headNamespace, signers})}
}

function readDetail({detail}: ChainEntry): {kind?: unknown; data?: {head?: unknown; signature?: unknown}} {
  try {
    return (JSON.parse(detail ?? '{}') ?? {}) as ReturnType<typeof readDetail>
  } catch {
    return {}
  }
}

// A head that was signed into the journal holds for it as one that was exported does.
function readKeptHead(entry: ChainEntry, signers: readonly Signer[] | undefined): GivenHead[] {
  const {kind, data} = readDetail(entry)
  if (kind !== headSigned) return []
  const {head: text, signature} = data ?? {}
  const head = typeof text === 'string' ? parseHead(text) : undefined
  if (!head || typeof text !== 'string' || typeof signature !== 'string') {
    throw stopAt('changed', entry, 'says that a head was signed, and has none')
  }
  const check = checkSignature({text, signature}, {namespace: headNamespace, signers})
  return [{head, place: nameEntry(entry), check}]
}

// With --signers, whatever they did not sign is no evidence.
function rejectUnsigned(heads: readonly GivenHead[], signers: readonly Signer[] | undefined): void {
  const bad = heads.find(({check}) => check && !check.isGood)
  if (bad) {
    const message = `The signature of the head in ${bad.place} is ${describeSignature(bad.check)}`
    throw new Stop({kind: 'changed', message})
  }
  if (!signers) return
  const unsigned = heads.find(({check}) => check === null)
  if (unsigned) {
    throw new Stop({kind: 'unsigned', message: `The head in ${unsigned.place} is not signed: ${unsigned.lacks}`})
  }
  if (heads.length > 0) return
  throw new Stop({kind: 'unsigned', message: 'None of its heads is signed, so the signers vouch for nothing in it'})
}

// What the walk finds comes first: what entries say counts only if nobody changed them.
async function walkAndCompare(
  reader: ChainReader,
  given: readonly GivenHead[],
  signers: readonly Signer[] | undefined,
) {
  const heads = [...given]
  let finding: Finding | undefined
  try {
    heads.push(...(await reader.readDecisions()).flatMap((entry) => readKeptHead(entry, signers)))
    rejectUnsigned(heads, signers)
  } catch (error) {
    if (!(error instanceof Stop)) throw error
    finding = error.finding
  }
  const chains = heads.flatMap(({head}) => head.chains)
  const walked = await verifyJournal(reader, chains)
  return {...walked, heads, ends: walked.heads, finding: walked.finding ?? finding}
}

function countSignedEntries(heads: readonly GivenHead[]): number {
  const signed = heads.filter(({check}) => check?.isGood).flatMap(({head}) => head.chains)
  return countEntries([...Map.groupBy(signed, ({chain}) => chain).values()].map((of) => of.reduce(pickLater)))
}

const pickLater = (one: ChainHead, other: ChainHead) => (one.number > other.number ? one : other)

const countEntries = (chains: readonly ChainHead[]) => chains.reduce((sum, {number}) => sum + number, 0)

export async function checkJournal(
  address: JournalAddress,
  {headFile, signers}: {headFile?: string | undefined; signers?: readonly Signer[] | undefined},
): Promise<{check: JournalCheck; heads: ChainHead[]; failure?: SvcError | undefined}> {
  const given = headFile === undefined ? undefined : readGivenHead(headFile, signers)
  const {finding, heads, ends, lastAt, entries, decisions, payments} = await withChainReader(address, (reader) =>
    walkAndCompare(reader, given ? [given] : [], signers),
  )
  const check: JournalCheck = {
    journal: address.text,
    isIntact: !finding,
    entries,
    decisions,
    payments,
    ...(lastAt !== undefined && {lastEntryAt: new Date(lastAt).toISOString()}),
    ...(!finding && {digest: digestHead(formatHead({at: '-', chains: ends}))}),
    ...(given && {
      head: {
        file: given.place,
        at: given.head.at,
        entries: countEntries(given.head.chains),
        signature: describeSignature(given.check),
      },
    }),
    signedHeads: heads.length - (given ? 1 : 0),
    signedEntries: countSignedEntries(heads),
    ...(finding && {finding}),
  }
  const problem = finding?.kind === 'unsigned' ? 'is not shown to be intact' : 'is not intact'
  const hint = 'See docs/audit.md for what to do; nothing was changed'
  return {
    check,
    heads: ends,
    failure: finding && notIntact(`The journal ${address.text} ${problem}: ${finding.message}`, hint),
  }
}

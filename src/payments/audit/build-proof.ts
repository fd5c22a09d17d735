// Builds the proof of a payment from the journal.
import {
  type ChainEntry,
  type ChainReader,
  chainStart,
  digestBody,
  digestContent,
  digestSubject,
  walkEntries,
} from '../journal/chain.ts'
import {badUsage} from '../../errors.ts'
import {type Archiving, findArchives, readArchivings} from '../journal/archivings.ts'
import {readPaymentText} from '../journal/journal.ts'
import {findApprovalEntries} from './proof-approvals.ts'
import {
  type HiddenLink,
  type JournalHead,
  type Proof,
  type ProofChain,
  type ProofContent,
  type ProofHead,
  type ShownEntry,
  digestProof,
  formatHead,
  headSigned,
  parseHead,
  proofFormat,
  readDetail,
} from './proof.ts'

const toShown = ({number, at, serviceId, key, what, detail, evidence, payment}: ChainEntry): ShownEntry => ({
  number,
  at,
  serviceId,
  key,
  what,
  detail,
  evidence,
  payment,
})

const toHidden = (entry: ChainEntry): HiddenLink =>
  `${digestSubject(entry.serviceId, entry.key)} ${digestContent(entry, digestBody(entry))}`

const lacksArchives = (key: string, archives: readonly Archiving[]) =>
  badUsage(
    `A proof of the payment ${key} needs entries that were moved to ${archives.length === 1 ? 'the archive' : 'the archives'} ${archives.map(({file}) => file).join(', ')}`,
    'Give each of them with --archive FILE; nothing was written',
  )

// The archives that have an entry between these two.
const findBetween = (archivings: readonly Archiving[], chain: number, first: number, last: number) =>
  archivings.filter(({runs}) => runs.some((run) => run.chain === chain && run.first <= last && run.last >= first))

interface ShownPart {
  chain: number
  shown: readonly ChainEntry[]
  // The number of the head.
  last: number
  archivings: readonly Archiving[]
}

// The part of one chain that has these entries, up to the head.
async function readChain(reader: ChainReader, {chain, shown, last, archivings}: ShownPart): Promise<ProofChain> {
  const numbers = new Set(shown.map(({number}) => number))
  const first = Math.min(...numbers)
  const links: ProofChain['links'] = []
  const runBefore = archivings.flatMap(({runs}) => runs).find((run) => run.chain === chain && run.last === first - 1)
  let before = runBefore?.hash ?? chainStart
  // The entry before the first one gives its hash.
  for await (const entry of walkEntries(reader, {chain, number: Math.max(0, first - 2)})) {
    if (entry.chain !== chain || entry.number > last) break
    if (entry.number < first) before = entry.hash
    else links.push(numbers.has(entry.number) ? toShown(entry) : toHidden(entry))
  }
  // Whatever else is wrong is found when the proof is verified.
  const lacking = links.length === last - first + 1 ? [] : findBetween(archivings, chain, first, last)
  if (lacking.length > 0) throw lacksArchives(shown[0]?.key ?? '', lacking)
  return {chain, before, first, links}
}

const covers = ({chains}: JournalHead, entries: readonly ChainEntry[]) =>
  entries.every(({chain, number}) => chains.some((head) => head.chain === chain && head.number >= number))

// The first head that was signed after the last entry, so that the proof is no longer than it must be.
function findSignedHead(decisions: readonly ChainEntry[], entries: readonly ChainEntry[]): ProofHead | undefined {
  for (const decision of decisions) {
    const {kind, data} = readDetail(decision)
    if (kind !== headSigned || typeof data?.head !== 'string' || typeof data.signature !== 'string') continue
    const head = parseHead(data.head)
    if (head && covers(head, entries)) return {text: data.head, signature: data.signature}
  }
  return undefined
}

export interface ProofRequest {
  serviceId: string
  key: string
  written: ProofContent['written']
}

// Undefined if the journal has no such payment.
export async function buildProof(reader: ChainReader, request: ProofRequest): Promise<Proof | undefined> {
  const {serviceId, key, written} = request
  const payment = await reader.findPayment({serviceId, key})
  if (!payment) return undefined
  const decisions = await reader.readDecisions()
  const own = await reader.findEntries({serviceId, key})
  const archivings = await readArchivings(reader)
  const archives = findArchives(payment, own, archivings)
  if (archives.length > 0) throw lacksArchives(key, archives)
  const read = readPaymentText(payment.text, payment.createdAt, payment.updatedAt)
  const entries = [
    ...own,
    ...findApprovalEntries(read, {own, decisions: decisions.filter((entry) => entry.key === '')}),
  ]
  const now: JournalHead = {at: written.at, chains: await reader.readHeads()}
  const head = findSignedHead(decisions, entries) ?? {text: formatHead(now), signature: null}
  const ends = parseHead(head.text)?.chains ?? []
  const chains: ProofChain[] = []
  for (const {chain, number} of ends) {
    const shown = entries.filter((entry) => entry.chain === chain)
    if (shown.length > 0) chains.push(await readChain(reader, {chain, shown, last: number, archivings}))
  }
  const {createdAt, updatedAt, text} = payment
  const content: ProofContent = {
    format: proofFormat,
    written,
    payment: {serviceId, key, createdAt, updatedAt, text},
    chains,
    head,
  }
  return {...content, digest: digestProof(content)}
}

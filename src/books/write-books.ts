// Writes the books in a format, to standard output or to a file.
import type {PartyNames} from '../accounts/account-names.ts'
import {writeOut} from '../cli/output/streams.ts'
import {SvcError} from '../errors.ts'
import {writeWholeFile} from '../storage/write-whole-file.ts'
import {countNoun} from '../values/text.ts'
import {toShortIso} from '../values/time.ts'
import {type Books, describeOmitted, describePeriod, describeReading, isHarmless} from './books.ts'
import {type AccountNames, createPostings, hasExchangeDifference} from './postings.ts'

export const bookFormats = ['csv', 'jsonl', 'hledger', 'beancount', 'camt053'] as const
export type BookFormat = (typeof bookFormats)[number]

interface WriteOptions {
  names: AccountNames
  isDeclaring: boolean
  // Who is behind the ids of customers and payment accounts. Without them, the books have ids alone.
  parties?: PartyNames | undefined
}

type Chunks = Iterable<string> | AsyncIterable<string>

const writers: Record<BookFormat, (books: Books, options: WriteOptions) => Promise<Chunks>> = {
  csv: async (books, {names, parties}) => (await import('./write-rows.ts')).writeCsv(books, names, parties),
  jsonl: async (books, {names}) => (await import('./write-rows.ts')).writeJsonLines(books, names),
  hledger: async (books, options) => (await import('./write-ledger.ts')).writeHledger(books, options),
  beancount: async (books, options) => (await import('./write-ledger.ts')).writeBeancount(books, options),
  camt053: async (books, {parties}) => (await import('./write-camt053.ts')).writeCamt053(books, parties),
}

const charsPerWrite = 64 * 1024

// Joins small pieces, since each write waits for the reader.
async function* joinChunks(chunks: Chunks): AsyncGenerator<string> {
  let text = ''
  for await (const chunk of chunks) {
    text += chunk
    if (text.length < charsPerWrite) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}

export async function writeBooks(
  books: Books,
  format: BookFormat,
  {file, ...options}: WriteOptions & {file?: string | undefined},
): Promise<void> {
  const chunks = joinChunks(await writers[format](books, options))
  if (file !== undefined) return writeWholeFile(file, chunks)
  for await (const chunk of chunks) await writeOut(chunk)
}

// Says what books contain and what they leave out, and whether anything keeps them from being closed.
const linesShownMax = 20

// What the books contain, in one line.
export function summarizeBooks(books: Books): string {
  const {completed, foreign} = books.counts
  const {sinceMs, untilMs = 0} = books.period
  const total = [...books.countOmitted().values()].reduce((sum, number) => sum + number, 0)
  const head = `${countNoun(completed, 'payment')} completed ${describePeriod(books.period)}; ${total === 0 ? 'none is left out' : `${total} not posted`}`
  const others =
    foreign === 0
      ? ''
      : `; ${countNoun(foreign, 'completed transaction')} not made by svc ${foreign === 1 ? 'is' : 'are'} not in it: \`svc reconcile --foreign --since ${sinceMs === undefined ? 'DAY' : toShortIso(sinceMs).replace('T00:00:00Z', '')}\` lists ${foreign === 1 ? 'it' : 'them'}`
  const unfinished = untilMs > books.readAtMs ? ` This is ${describeReading(books.readAtMs, untilMs)}.` : ''
  return `${head}${others}.${unfinished}`
}

// One line for each payment that is left out, up to twenty.
export function listOmitted(books: Books, parties?: PartyNames): string[] {
  const lines: string[] = []
  let hidden = 0
  for (const omitted of books.walkOmitted()) {
    if (lines.length === linesShownMax) hidden++
    else lines.push(describeOmitted(omitted, parties))
  }
  return [...lines, ...(hidden > 0 ? [`And ${hidden} more; \`svc report --json\` has all of them.`] : [])]
}

// Payments whose amounts do not follow from the rate that the service states.
function countDifferences(books: Books): number {
  let found = 0
  for (const payment of books.walkCompleted()) if (hasExchangeDifference(createPostings(payment))) found++
  return found
}

// Money may have moved that the books do not have, or that the figures do not explain.
export function findBooksProblem(books: Books): SvcError | undefined {
  const omitted = [...books.countOmitted()].filter(([kind]) => !isHarmless(kind))
  const differences = countDifferences(books)
  const {several} = books.counts
  const parts = [
    ...omitted.map(([kind, number]) => `${number} ${kind}`),
    ...(several > 0 ? [`${countNoun(several, 'payment')} with several transactions`] : []),
    ...(differences > 0 ? [`${countNoun(differences, 'payment')} with an exchange difference`] : []),
  ]
  if (parts.length === 0) return undefined
  return new SvcError({
    error: 'BOOKS_OPEN',
    kind: 'finding',
    message: `The books of this time cannot be closed: ${parts.join(', ')}`,
    hint: 'See `svc reconcile`; what was completed is written',
  })
}

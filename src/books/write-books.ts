// Writes the books in a format, to standard output or to a file.
import type {Parties} from '../accounts/parties.ts'
import {writeOut} from '../cli/output/streams.ts'
import {SvcError} from '../errors.ts'
import {writeWholeFile} from '../storage/write-whole-file.ts'
import {countNoun, svc} from '../values/text.ts'
import {type Books, describeOmitted, describePeriod, isHarmless, toPeriodFields, toShortIso} from './books.ts'
import {createPostings, hasExchangeDifference} from './postings.ts'
import type {LedgerOptions} from './write-ledger.ts'

export const bookFormats = ['csv', 'jsonl', 'hledger', 'beancount', 'accounts'] as const
export type BookFormat = (typeof bookFormats)[number]

type Chunks = Iterable<string> | AsyncIterable<string>

const writers: Record<BookFormat, (books: Books, options: LedgerOptions) => Promise<Chunks>> = {
  csv: async (books, {names, parties}) => (await import('./write-rows.ts')).writeCsv(books, names, parties),
  jsonl: async (books, {names}) => (await import('./write-rows.ts')).writeJsonLines(books, names),
  hledger: async (books, options) => (await import('./write-ledger.ts')).writeHledger(books, options),
  beancount: async (books, options) => (await import('./write-ledger.ts')).writeBeancount(books, options),
  accounts: async (books, options) => (await import('./write-ledger.ts')).writeAccounts(books, options),
}

export async function writeBooks(
  books: Books,
  format: BookFormat,
  {file, ...options}: LedgerOptions & {file?: string | undefined},
): Promise<void> {
  const chunks = await writers[format](books, options)
  if (file !== undefined) return writeWholeFile(file, chunks)
  for await (const chunk of chunks) await writeOut(chunk)
}

// Summarizes the content of the books in a line.
export function summarizeBooks(books: Books): string {
  const {completed, omitted, foreign, readAtMs} = books
  const {untilMs = 0} = books.period
  const period = toPeriodFields(books.period)
  const left = omitted.length === 0 ? 'none is left out' : `${omitted.length} not posted`
  const since = period.since?.replace('T00:00:00Z', '') ?? 'DAY'
  const others =
    foreign === 0
      ? ''
      : `; ${countNoun(foreign, 'completed transaction')} without a payment in this journal, listed by ${svc`reconcile --foreign --since ${since}`}`
  const unfinished = untilMs > readAtMs ? ` It was read at ${toShortIso(readAtMs)}, before this time was over.` : ''
  return `${countNoun(completed.length, 'payment')} completed ${describePeriod(period)}; ${left}${others}.${unfinished}`
}

const linesShownMax = 20

// Lists payments that are left out, a line each, as far as they are shown.
export function listOmitted(books: Books, parties?: Parties): string[] {
  const hidden = books.omitted.length - linesShownMax
  const lines = books.omitted.slice(0, linesShownMax).map((omitted) => describeOmitted(omitted, parties))
  return [...lines, ...(hidden > 0 ? [`And ${hidden} more; ${svc`report --json`} has all of them.`] : [])]
}

// Money may have moved that the books do not have, or that the figures do not explain.
export function findBooksProblem(books: Books): SvcError | undefined {
  const omitted = Map.groupBy(books.omitted, ({kind}) => kind)
  // Payments whose amounts do not follow from the rate that the service states.
  const differences = books.completed.filter((payment) => hasExchangeDifference(createPostings(payment))).length
  const {several} = books
  const parts = [
    ...[...omitted].flatMap(([kind, own]) => (isHarmless(kind) ? [] : [`${own.length} ${kind}`])),
    ...(several > 0 ? [`${countNoun(several, 'payment')} with several transactions`] : []),
    ...(differences > 0 ? [`${countNoun(differences, 'payment')} with an exchange difference`] : []),
  ]
  if (parts.length === 0) return undefined
  return new SvcError({
    error: 'BOOKS_OPEN',
    kind: 'finding',
    message: `The books of this time cannot be closed: ${parts.join(', ')}`,
    hint: `See ${svc`reconcile`}; what was completed is written`,
  })
}

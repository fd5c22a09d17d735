// Writes the books in a format, to standard output or to a file.
import {writeOut} from '../cli/output/streams.ts'
import {writeWholeFile} from '../storage/write-whole-file.ts'
import type {Books} from './books.ts'
import type {AccountNames} from './ledger-names.ts'

export const bookFormats = ['csv', 'jsonl', 'hledger', 'beancount', 'camt053'] as const
export type BookFormat = (typeof bookFormats)[number]

interface WriteOptions {
  names: AccountNames
  isDeclaring: boolean
}

type Chunks = Iterable<string> | AsyncIterable<string>

const writers: Record<BookFormat, (books: Books, options: WriteOptions) => Promise<Chunks>> = {
  csv: async (books, {names}) => (await import('./write-csv.ts')).writeCsv(books, names),
  jsonl: async (books, {names}) => (await import('./write-json-lines.ts')).writeJsonLines(books, names),
  hledger: async (books, options) => (await import('./write-hledger.ts')).writeHledger(books, options),
  beancount: async (books, options) => (await import('./write-beancount.ts')).writeBeancount(books, options),
  camt053: async (books) => (await import('./write-camt053.ts')).writeCamt053(books),
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

// Exports the completed payments of the journal as double-entry books.
import * as Flags from '@oclif/core/flags'
import {readAccountNames} from '../../books/postings.ts'
import {type Books, createPeriod} from '../../books/books.ts'
import {periodFlags, readBooks} from '../../books/collect.ts'
import {
  type BookFormat,
  bookFormats,
  findBooksProblem,
  listOmitted,
  summarizeBooks,
  writeBooks,
} from '../../books/write-books.ts'
import type {Parties} from '../../accounts/parties.ts'
import {SvcCommand} from '../../cli/command.ts'
import {customerFlag, namesFlags} from '../../cli/flags/shared.ts'
import {toFlagReference} from '../../cli/ids/finder.ts'
import type {Result} from '../../cli/output/result.ts'
import {findCustomerId} from '../../customers/find-customer.ts'
import {getExitCodes} from '../../errors.ts'
import type {Caller} from '../../profiles/caller.ts'
import {checkOutputFile} from '../../storage/write-whole-file.ts'
import {readServiceTraits} from '../../transport.ts'

export default class JournalExport extends SvcCommand {
  static override summary = 'Export the completed payments as double-entry books'
  static override description = `A payment is posted on the day, in UTC, on which the service completed it, with its fees, its exchange and what rounding took. Every entry sums to zero exactly. The journal knows what was paid; whether and when it was completed, and at which price, is read from the service.
Payments that failed, are still open or unknown are not posted but named: in hledger, beancount and jsonl files, and on standard error. If one of them may have moved money, the exit code is 12; the books are written all the same. See \`svc docs accounting\`.`
  static override examples = [
    {
      description: 'Write November for hledger',
      command: 'svc journal export --format hledger --month 2026-11 --out 2026-11.journal',
    },
    {
      description: 'Write a quarter for beancount, with the accounts of your own books',
      command:
        'svc journal export --format beancount --since 2026-10-01 --until 2027-01-01 --accounts accounts.yaml --out q4.beancount',
    },
  ]
  static override exits = getExitCodes('usage', 'unreachable', 'finding')
  static override flags = {
    format: Flags.option({
      summary: 'Format of the books (csv; jsonl with --json)',
      options: bookFormats,
    })(),
    ...periodFlags,
    customer: customerFlag('Only payments of this customer, which is faster'),
    out: Flags.string({summary: 'Write the books to this file', helpValue: 'FILE'}),
    accounts: Flags.string({summary: 'JSON or YAML file with the names of your accounts', helpValue: 'FILE'}),
    'entries-only': Flags.boolean({
      summary: 'Declare no accounts and currencies, for a file that other books of hledger or beancount include',
    }),
    ...namesFlags,
  }

  async run(): Promise<Result> {
    const {flags} = await this.parse(JournalExport)
    const {format = this.#chooseFormat(), customer, out: file} = flags
    const period = createPeriod(flags)
    const names = flags.accounts === undefined ? {} : await readAccountNames(flags.accounts)
    if (file !== undefined) checkOutputFile(file)
    const customerId = customer && (await findCustomerId(this.finder(), toFlagReference('customer', customer)))
    const caller = await this.caller()
    const traits = await readServiceTraits(caller)
    const connect = this.connector(caller)
    const books = await readBooks({traits, connect, timeoutMs: flags.timeout, period, customerId})
    // Programs read JSON; the other formats end up with people.
    const isNamed = !flags['no-names'] && format !== 'jsonl'
    const parties = isNamed ? await this.#readParties(books, caller) : undefined
    await writeBooks(books, format, {names, isDeclaring: !flags['entries-only'], parties, file})
    this.notice([summarizeBooks(books), ...listOmitted(books, parties)])
    if (file !== undefined) this.notice(`The books are in ${file}.`)
    const problem = findBooksProblem(books)
    if (problem) throw problem
    return undefined
  }

  // Without --format, the books are in the nearest one to that of other commands.
  #chooseFormat(): BookFormat {
    return this.format === 'json' || this.format === 'jsonl' ? 'jsonl' : 'csv'
  }

  async #readParties(books: Books, caller: Caller): Promise<Parties> {
    const {readParties} = await import('../../accounts/parties.ts')
    return readParties(
      () => this.client(caller),
      [...books.completed, ...books.omitted].map(({customerId}) => customerId),
      (text) => this.notice(text),
    )
  }
}

// Reports what was paid in a month or another time: amounts, fees, and what failed, is open or unknown.
import * as Flags from '@oclif/core/flags'
import type {Parties} from '../accounts/parties.ts'
import {createPeriod} from '../books/books.ts'
import {periodFlags, readBooks} from '../books/collect.ts'
import {type Report as ReportFigures, createReport} from '../books/report.ts'
import {nameReportRows, renderReport, reportView} from '../books/report-view.ts'
import {findBooksProblem, listOmitted, summarizeBooks} from '../books/write-books.ts'
import {SvcCommand} from '../cli/command.ts'
import {customerFlag, namesFlags} from '../cli/flags/shared.ts'
import {toFlagReference} from '../cli/ids/finder.ts'
import {type Result, listResult} from '../cli/output/result.ts'
import {findCustomerId} from '../customers/find-customer.ts'
import {type SvcError, badUsage, getExitCodes} from '../errors.ts'
import type {Caller} from '../profiles/caller.ts'
import {checkOutputFile, writeWholeFile} from '../storage/write-whole-file.ts'
import {readServiceTraits} from '../transport.ts'

export default class Report extends SvcCommand {
  static override view = reportView
  static override summary = 'Report what was paid: amounts, fees, what failed or is open'
  static override description = `Adds up the payments of the journal that the service completed in this time, by customer, account and currency, as \`svc journal export\` posts them. Days and months are those of UTC; tables are rounded, JSON and CSV are exact.
With --out, the same is written as a page: one HTML file that needs no network, for the browser and for paper.`
  static override examples = [
    {description: 'Report November', command: 'svc report --month 2026-11'},
    {description: 'Write it as a page', command: 'svc report --month 2026-11 --out report.html'},
  ]
  static override exits = getExitCodes('usage', 'unreachable', 'finding')
  static override flags = {
    ...periodFlags,
    customer: customerFlag('Only payments of this customer, which is faster'),
    out: Flags.string({summary: 'Write a page to this file, which ends in .html', helpValue: 'FILE'}),
    ...namesFlags,
  }

  async run(): Promise<Result> {
    const {flags} = await this.parse(Report)
    const {customer, out: file} = flags
    const period = createPeriod(flags)
    if (file !== undefined) checkPageFile(file)
    const customerId = customer && (await findCustomerId(this.finder(), toFlagReference('customer', customer)))
    const caller = await this.caller()
    const traits = await readServiceTraits(caller)
    const connect = this.connector(caller)
    const books = await readBooks({traits, connect, timeoutMs: flags.timeout, period, customerId})
    const report = createReport(books)
    // A table, a page and JSON have a place for what is left out.
    const isOmittedShown = file !== undefined || this.format !== 'csv'
    this.notice([summarizeBooks(books), ...(isOmittedShown ? [] : listOmitted(books))])
    const failure = findBooksProblem(books)
    const isRead = !flags['no-names'] && (file !== undefined || this.format === 'table')
    const names = isRead ? await this.#readNames(report, caller) : undefined
    if (file === undefined) return this.#show(report, names, failure)
    const {renderReportPage} = await import('../books/report-page.ts')
    await writeWholeFile(file, [renderReportPage(report, {title: caller.profileName ?? traits.serviceId, names})])
    this.notice(`The page is in ${file}.`)
    if (failure) throw failure
    return undefined
  }

  async #readNames({rows, omitted}: ReportFigures, caller: Caller): Promise<Parties> {
    const {readParties} = await import('../accounts/parties.ts')
    const customerIds = [...rows, ...omitted].map(({customerId}) => customerId)
    return readParties(
      () => this.client(caller),
      customerIds,
      (text) => this.notice(text),
    )
  }

  #show(report: ReportFigures, names: Parties | undefined, failure: SvcError | undefined): Result {
    const {rows, ...extraFields} = report
    return listResult(rows, 'rows', nameReportRows(names), {
      extraFields,
      render: (_rows, painter, width) => {
        const {text, hidden} = renderReport(report, {painter, width, names})
        if (hidden.length > 0) this.notice(`No room for ${hidden.join(', ')}: widen the terminal, or use --json.`)
        return text
      },
      failure,
    })
  }
}

function checkPageFile(file: string): void {
  if (!/\.html?$/i.test(file)) {
    throw badUsage(
      `--out ${file} does not end in .html`,
      'A page is HTML; for other formats, use -o csv > FILE or --json',
    )
  }
  checkOutputFile(file)
}

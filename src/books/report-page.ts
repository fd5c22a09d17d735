// Renders a report as one HTML file, which needs no script and no network, and prints on A4.
import type {PartyNames} from '../accounts/account-names.ts'
import {roundAmount} from '../values/currencies.ts'
import {countNoun, endSentence} from '../values/text.ts'
import {formatMoney, toText} from '../web/format.ts'
import {type Content, type Html, html} from '../web/html.ts'
import {renderPageFile} from '../web/page.ts'
import {type Column, renderCard, renderTable} from '../web/parts.ts'
import {type OmittedPayment, isHarmless} from './books.ts'
import type {PaidTotal, ReceivedTotal, Report, ReportRow} from './report.ts'
import {explainOmitted} from './report-view.ts'

const itemsShownMax = 500

type Read<T> = (item: T) => Content

const createText = <T>(header: string, read: Read<T>): Column<T> => ({header, render: read, isLong: true})
const createLabel = <T>(header: string, read: Read<T>): Column<T> => ({header, render: read, isShort: true})
const createNumber = <T>(header: string, read: Read<T>): Column<T> => ({header, render: read, isNumber: true})

const renderMoney = (amount: string, currency: string): string => formatMoney(roundAmount(amount, currency), currency)

// The name that people know, with the id behind it. Without names the id is all there is.
const renderName = (name: string | undefined, id: string | undefined): Content =>
  name ? html`<span title="${toText(id)}">${toText(name)}</span>` : toText(id)

function renderTableCard<T>(title: string, id: string, columns: ReadonlyArray<Column<T>>, items: readonly T[]): Html {
  const shown = items.slice(0, itemsShownMax)
  const note =
    items.length > shown.length && `The first ${shown.length} of ${items.length}; svc report --json has all of them.`
  return renderCard(title, renderTable({id, caption: title, columns, items: shown, empty: 'None.'}), {
    ...(note && {note}),
    isLong: true,
  })
}

const createPaidColumns = <T extends PaidTotal>(): Array<Column<T>> => [
  createNumber('Payments', ({payments}) => payments),
  createNumber('Paid', ({paid, currency}) => renderMoney(paid, currency)),
  createNumber('Service fee', ({svcFee, currency}) => renderMoney(svcFee, currency)),
  createNumber('Developer fee', ({developerFee, currency}) => renderMoney(developerFee, currency)),
]

const createUnpaidColumns = <T extends PaidTotal>(): Array<Column<T>> => [
  createNumber('Failed', ({failed}) => failed),
  createNumber('Open', ({open}) => open),
  createNumber('Unknown', ({unknown}) => unknown),
]

const totalColumns: Array<Column<PaidTotal>> = [
  createLabel('Currency', ({currency}) => toText(currency)),
  ...createPaidColumns(),
  ...createUnpaidColumns(),
]

const receivedColumns: Array<Column<ReceivedTotal>> = [
  createLabel('Currency', ({currency}) => toText(currency)),
  createNumber('Payments', ({payments}) => payments),
  createNumber('Received', ({received, currency}) => renderMoney(received, currency)),
  createNumber('Rounding', ({difference, currency}) => renderMoney(difference, currency)),
]

const createRowColumns = (names: PartyNames | undefined): Array<Column<ReportRow>> => [
  createText('Customer', ({customerId}) => renderName(names?.nameCustomer(customerId), customerId)),
  createText('Account', ({customerId, accountId}) =>
    renderName(names?.nameAccount(customerId, accountId)?.bank, accountId),
  ),
  ...createPaidColumns<ReportRow>(),
  createNumber('Received', ({received, destinationCurrency}) => renderMoney(received, destinationCurrency)),
  ...createUnpaidColumns<ReportRow>(),
]

const createOmittedColumns = (names: PartyNames | undefined): Array<Column<OmittedPayment>> => [
  createLabel('State', ({kind}) => kind),
  createText('Payment', ({key, note, transactionId}) =>
    renderName(note || key, [key, transactionId].filter(Boolean).join(', ')),
  ),
  createText('Payee', ({customerId, destinationAccountId}) =>
    renderName(names?.describeAccount(customerId, destinationAccountId), destinationAccountId),
  ),
  createNumber('Amount', ({amount, currency}) => amount && renderMoney(amount, currency ?? '')),
  createLabel('When (UTC)', ({at}) => at.slice(0, 'YYYY-MM-DDTHH:MM'.length).replace('T', ' ')),
  createText('Why', (one) => endSentence(toText(explainOmitted(one)))),
]

interface PageSettings {
  // The name of the profile.
  title: string
  // Who is behind the ids. Without them, the page has ids alone.
  names?: PartyNames | undefined
}

function renderHead({period: {since, until}, readAt, foreign, omitted}: Report, profile: string): Html {
  const uncertain = omitted.filter(({kind}) => !isHarmless(kind)).length
  const time = [since && `from ${since}`, until && `before ${until}`].filter(Boolean).join(', ') || 'so far'
  return html`<header>
      <h1>Payments of ${toText(profile)}</h1>
      <p class="note">
        Completed ${time}. Read at ${readAt}.
        ${foreign > 0 && `${countNoun(foreign, 'completed transaction')} without a payment in this journal: not in it.`}
      </p>
    </header>
    ${
      uncertain > 0 &&
      html`<p class="failure">
        The books of this time cannot be closed yet: ${countNoun(uncertain, 'payment')} below may have moved money.
      </p>`
    }`
}

export function renderReportPage(report: Report, {title: profile, names}: PageSettings): string {
  const {totals, received, rows, omitted} = report
  return renderPageFile(
    `Payments of ${toText(profile)}`,
    html`${renderHead(report, profile)} ${renderTableCard('Paid, by currency', 'totals', totalColumns, totals)}
    ${renderTableCard('Received, by currency', 'received', receivedColumns, received)}
    ${renderTableCard('By customer and account that paid', 'rows', createRowColumns(names), rows)}
    ${renderTableCard('Not posted', 'omitted', createOmittedColumns(names), omitted)}`,
  )
}

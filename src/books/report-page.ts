// Renders a report as one HTML file, which needs no script and no network, and prints on A4.
import type {Parties} from '../accounts/parties.ts'
import type {Column as ViewColumn} from '../cli/output/view.ts'
import {capitalize, countNoun} from '../values/text.ts'
import {toText} from '../web/format.ts'
import {type Html, html} from '../web/html.ts'
import {renderPageFile} from '../web/page.ts'
import {type Column, renderCard, renderTable} from '../web/parts.ts'
import {describePeriod, isHarmless} from './books.ts'
import type {Report} from './report.ts'
import {renderTables} from './report-view.ts'

const itemsShownMax = 500

const toPageColumn = <T>(column: ViewColumn<T>): Column<T> => ({
  header: capitalize(column.header.toLowerCase()).replace('(utc)', '(UTC)'),
  render: (item) => toText(column.format ? column.format(column.value(item), item) : column.value(item)),
  isNumber: column.kind === 'number',
  isLong: column.kind === 'text' || column.kind === 'name' || column.kind === 'sentence',
})

function renderTableCard<T>(title: string, items: readonly T[], columns: ReadonlyArray<ViewColumn<T>>): Html {
  const shown = items.slice(0, itemsShownMax)
  const note =
    items.length > shown.length && `The first ${shown.length} of ${items.length}; svc report --json has all of them.`
  const id = title.toLowerCase().replaceAll(/[^a-z]+/g, '-')
  const table = renderTable({id, caption: title, columns: columns.map(toPageColumn), items: shown, empty: 'None.'})
  return renderCard(title, table, {...(note && {note}), isLong: true})
}

function renderHead({period, readAt, foreign, omitted}: Report, profile: string): Html {
  const uncertain = omitted.filter(({kind}) => !isHarmless(kind)).length
  return html`<header>
      <h1>Payments of ${toText(profile)}</h1>
      <p class="note">
        Completed ${describePeriod(period)}. Read at ${readAt}.
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

interface PageSettings {
  // The name of the profile.
  title: string
  // Who is behind the ids. Without them, the page has ids alone.
  names?: Parties | undefined
}

export const renderReportPage = (report: Report, {title: profile, names}: PageSettings): string =>
  renderPageFile(
    `Payments of ${toText(profile)}`,
    html`${renderHead(report, profile)} ${renderTables(report, names, renderTableCard)}`,
  )

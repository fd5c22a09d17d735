// Prints what a command returned, in the chosen format. Nothing else is written to standard output.
import {type WalkedPage, createIncompleteList, describeCutSign, getCutSign} from '../../client/paging.ts'
import {SvcError, badUsage} from '../../errors.ts'
import {quoteForShell} from '../../values/text.ts'
import {cleanText} from './clean.ts'
import {createPainter} from './colour.ts'
import {createCsvWriter, isReshapeError, toYaml, writeJson, writeJsonLines} from './formats.ts'
import {getOutputWidth, getTraits, startProgress, writeOut} from './streams.ts'
import type {ItemResult, ListResult, Result} from './result.ts'
import {type Column, type View, isShownIn, toText} from './view.ts'

export const formats = ['table', 'json', 'jsonl', 'csv', 'yaml'] as const
export type Format = (typeof formats)[number]

interface PrintSettings {
  format: Format
  columns?: readonly string[] | undefined
  notice: (text: string) => void
}

// The columns named by --columns, or those of a table or CSV. Throws if the view has no column of that name; `remark` is then said
// at the end.
export function chooseColumns<T>(
  view: View<T>,
  names: readonly string[] | undefined,
  isCsv: boolean,
  remark = '',
): Array<Column<T>> {
  if (!names) return view.columns.filter((column) => isShownIn(isCsv ? 'csv' : 'table', column))
  const columns = isCsv ? view.columns.filter((column) => isShownIn('csv', column)) : view.columns
  return names.map((name) => findColumn({...view, columns}, name, remark))
}

export async function print(result: Result, settings: PrintSettings): Promise<void> {
  if (!result) return
  if (result.kind === 'list') await printList(result, settings)
  else await printItem(result, settings)
}

async function printItem(item: ItemResult, settings: PrintSettings): Promise<void> {
  const {value, view} = item
  const {format, columns, notice} = settings
  if (format === 'jsonl') return writeJsonLines([value])
  if (format === 'yaml') return writeOut(await toYaml(value))
  if (format === 'csv' && !view) throw badUsage('This has no columns, so it cannot be CSV', 'Use json, jsonl or yaml')
  if (format === 'json' || !view) return writeJson(value)
  if (format === 'table' && item.render && !columns) {
    return writeOut(item.render(value, await createPainter(getTraits('stdout')), getOutputWidth()))
  }
  const {renderRecord, listRecordColumns, addUnknownFields} = await import('./table.ts')
  if (format === 'table') {
    const named = columns && chooseColumns(view, columns, false)
    await view.prepareTable?.([value], named ?? view.columns)
    const shown = named ?? listRecordColumns(view, value)
    await writeOut(renderRecord(value, shown, await createPainter(getTraits('stdout')), getOutputWidth()))
  } else {
    const stored = chooseColumns(view, columns, true)
    const csv = await createCsvWriter(columns ? stored : addUnknownFields(view, value, stored))
    await writeOut(csv.header() + csv.rows([value]))
  }
  // Of a whole record, the command says what there is to say.
  if (columns) for (const remark of view.remarks?.([value], chooseColumns(view, columns, false)) ?? []) notice(remark)
}

async function printList(list: ListResult, settings: PrintSettings): Promise<void> {
  const columns = chooseColumns(list.view, settings.columns, settings.format === 'csv')
  const printed = await printers[settings.format](list, columns, settings)
  if (printed) reportEnd(list, printed, settings)
}

interface PrintedList {
  count: number
  lastPage: WalkedPage
}

type ListPrinter = (
  list: ListResult,
  columns: Array<Column<unknown>>,
  settings: PrintSettings,
) => Promise<PrintedList | undefined>

function describeNone({view, filter}: ListResult): string {
  if (!filter) return `No ${view.plural}.`
  return `No ${view.plural} match${filter.notSearched ? `; ${filter.notSearched}` : ''}.`
}

const printers: Record<Format, ListPrinter> = {
  table: async (list, columns, settings) => {
    const collected = await collectPages(list)
    if (!collected) return undefined
    const {items} = collected
    const {view} = list
    await view.prepareTable?.(items, columns)
    if (list.render && !settings.columns) {
      await writeOut(await list.render(items, await createPainter(getTraits('stdout')), getOutputWidth()))
    } else if (items.length === 0) settings.notice(describeNone(list))
    else await printTable(items, settings.columns ? columns : columns.filter(hasValues(items)), settings)
    for (const remark of view.remarks?.(items, columns) ?? []) settings.notice(remark)
    return collected
  },
  json: (list) => printWhole(list, writeJson),
  yaml: (list) => printWhole(list, async (whole) => writeOut(await toYaml(whole))),
  jsonl: (list) => streamPages(list, ({items}) => writeJsonLines(items)),
  csv: async (list, columns, settings) => {
    const remarks = new Set<string>()
    const csv = await createCsvWriter(columns)
    // The header is written with the first page, so that the output stays empty if no page can be read.
    let header = csv.header()
    const printed = await streamPages(list, async ({items}) => {
      const text = header + csv.rows(items)
      header = ''
      if (text !== '') await writeOut(text)
      // Every column is there without --columns, so that a remark about one would always be made.
      if (settings.columns) for (const remark of list.view.remarks?.(items, columns) ?? []) remarks.add(remark)
    })
    for (const remark of remarks) settings.notice(remark)
    return printed
  },
}

async function printWhole(list: ListResult, write: (whole: object) => Promise<void>) {
  const collected = await collectPages(list)
  if (collected) await write(joinPages(collected, list.key))
  return collected
}

// A column in which no item has a value is left out, unless --columns names it.
const hasValues =
  (items: readonly unknown[]) =>
  ({value}: Column<unknown>): boolean =>
    items.some((item) => toText(value(item)) !== '')

async function printTable(items: unknown[], columns: Array<Column<unknown>>, {columns: named, notice}: PrintSettings) {
  const [{renderTable}, painter] = await Promise.all([import('./table.ts'), createPainter(getTraits('stdout'))])
  // Columns named by --columns may be narrowed, but are never dropped.
  const wanted = named ? columns.map((column) => ({...column, rank: 0})) : columns
  const {text, hidden} = renderTable(items, wanted, painter, getOutputWidth())
  await writeOut(text)
  if (hidden.length > 0) notice(`No room for ${hidden.join(', ')}: widen the terminal, or choose with --columns.`)
}

// Reads all pages into memory, for formats that need the whole list.
async function collectPages({pages, view}: ListResult) {
  const items: unknown[] = []
  const progress = startProgress()
  let lastPage: WalkedPage | undefined
  try {
    for await (lastPage of pages) {
      for (const item of lastPage.items) items.push(item)
      const found = lastPage.read ? `, ${items.length} of them match` : ''
      progress.report(`${lastPage.read?.items ?? items.length} ${view.plural} read${found}…`)
    }
  } finally {
    progress.end()
  }
  return lastPage && {items, lastPage, count: items.length}
}

// Writes each page before it reads the next, so that memory stays constant however long the list is.
async function streamPages(
  {pages, view}: ListResult,
  writePage: (page: WalkedPage) => Promise<void>,
): Promise<PrintedList | undefined> {
  let count = 0
  let lastPage: WalkedPage | undefined
  try {
    for await (lastPage of pages) {
      count += lastPage.items.length
      await writePage(lastPage)
    }
  } catch (error) {
    if (!lastPage || !(error instanceof SvcError) || isReshapeError(error)) throw error
    throw describePartialOutput(error, formatCount(view, count), lastPage.resumeToken)
  }
  return lastPage && {lastPage, count}
}

// Whole pages were written before the failure, so the error names the token to continue from.
function describePartialOutput(failure: SvcError, printed: string, resumeToken: string | undefined): SvcError {
  const {kind, message, hint} = failure
  const flag = resumeToken === undefined ? undefined : toTokenFlag(resumeToken)
  const resume = kind === 'unauthenticated' && hint ? `${hint}, then continue` : 'Continue'
  return failure.with({
    message: `${message}; the output is partial, with ${printed}`,
    hint: flag === undefined ? hint : `${resume} with ${flag}`,
  })
}

const formatCount = ({singular, plural}: View<unknown>, count: number) => `${count} ${count === 1 ? singular : plural}`

// The service's own envelope, with the items of all pages. If the list stopped early, it holds the token to continue from.
function joinPages({items, lastPage}: {items: unknown[]; lastPage: WalkedPage}, key: string): Record<string, unknown> {
  const {nextPageToken, ...rest} = lastPage.envelope
  const whole = {...rest, [key]: items}
  if (lastPage.resumeToken !== undefined) return {...whole, nextPageToken: lastPage.resumeToken}
  return nextPageToken === undefined || lastPage.cutCount ? whole : {...whole, nextPageToken}
}

// Says what was left out, why, and how to get the rest.
function reportEnd({view, filter, isAll}: ListResult, {lastPage, count}: PrintedList, {notice}: PrintSettings): void {
  const {read, cutCount, resumeToken} = lastPage
  if (filter && read && read.pages > 1)
    notice(
      `Read ${formatCount(view, read.items)} in ${read.pages} pages to find ${count}: the service cannot filter by ${filter.by.join(' or ')}.`,
    )
  if (filter && read && read.undecided > 0)
    notice(`Left out ${formatCount(view, read.undecided)} with ${filter.undecided}.`)
  if (cutCount)
    notice(`The service sent more than was requested; ${cutCount} ${view.plural} of its last page are not shown.`)
  if (resumeToken === undefined) {
    const sign = getCutSign(lastPage.envelope)
    if (sign === undefined) return
    if (isAll) throw createIncompleteList(formatCount(view, count), sign)
    return notice(`Warning: ${describeCutSign(sign)}.`)
  }
  const rest = filter ? 'the list goes on' : 'more follow'
  notice(
    `${formatCount(view, count)} shown; ${rest}: --all, --limit N, or ${toTokenFlag(resumeToken) ?? 'nextPageToken in --json'}`,
  )
}

// The token as a flag to paste into a shell. One with control characters can only be taken from --json.
function toTokenFlag(token: string): string | undefined {
  const word = quoteForShell(token)
  if (cleanText(token) !== token) return undefined
  return word === token ? `\`--page-token ${token}\`` : `\`--page-token=${word}\``
}

// The column of that name, short name or header, in upper or lower case. Throws if there is none.
function findColumn<T>({columns, plural}: View<T>, name: string, remark = ''): Column<T> {
  const wanted = name.toLowerCase()
  const column =
    columns.find((c) => c.name.toLowerCase() === wanted || c.short === wanted) ??
    columns.find(({header}) => wanted !== '' && header.toLowerCase() === wanted)
  if (column) return column
  // As the docs name them; the field names of the interface work too. Two columns may share one, for tables and for CSV.
  const known = new Set(columns.map(({name: field, short = field}) => short))
  throw badUsage(`There is no column "${name}" for ${plural}`, `Known columns are ${[...known].join(', ')}${remark}`)
}

// Prints what a command returned, in the format that was asked for. Standard output carries this and nothing else.
import {shellWord} from '../../validation/shell-word.ts'
import {SvcError, badUsage} from '../../errors.ts'
import {cleanText} from './clean.ts'
import {createPainter} from './colour.ts'
import {createCsvWriter, toJson, toJsonLine, toJsonLines, toYaml} from './formats.ts'
import {startProgress} from './progress.ts'
import type {ItemResult, ListResult, Result, ResultPage} from './result.ts'
import {getOutputWidth, writeOut} from './streams.ts'
import type {Column, View} from './view.ts'
import {limitHeapGrowth} from './limit-heap-growth.ts'

export const formats = ['table', 'json', 'jsonl', 'csv', 'yaml'] as const
export type Format = (typeof formats)[number]

export interface PrintSettings {
  format: Format
  columns?: readonly string[] | undefined
  notice: (text: string) => void
}

// Which columns were asked for, or those that the view shows by itself. Refused before anything is fetched.
export function chooseColumns<T>(
  view: View<T>,
  names: readonly string[] | undefined,
  isCsv: boolean,
): Array<Column<T>> {
  if (!names) return view.columns.filter(({onRequest}) => isCsv || !onRequest)
  return names.map((name) => {
    const wanted = name.toLowerCase()
    const column = view.columns.find((c) => c.name.toLowerCase() === wanted || c.short === wanted)
    if (column) return column
    const known = view.columns.map((c) => c.name).join(', ')
    throw badUsage(`There is no column "${name}" for ${view.plural}`, `Known columns are ${known}`)
  })
}

export async function print(result: Result, settings: PrintSettings): Promise<void> {
  if (!result) return
  if (result.kind === 'list') await printList(result, settings)
  else await printItem(result, settings)
}

async function printItem({value, view}: ItemResult<object>, {format, columns}: PrintSettings): Promise<void> {
  if (format === 'jsonl') return writeOut(toJsonLine(value))
  if (format === 'yaml') return writeOut(await toYaml(value))
  if (format === 'json' || !view) return writeOut(toJson(value))
  const {renderRecord: drawRecord, addUnknownFields: withUnknownFields} = await import('./table.ts')
  const chosen = columns ? chooseColumns(view, columns, false) : withUnknownFields(view, value)
  if (format === 'table') {
    const shown = columns ? chosen : chosen.filter(({isPartOfAnother: isPart}) => !isPart)
    return writeOut(drawRecord(value, shown, await createPainter(process.stdout)))
  }
  const csv = await createCsvWriter(chosen)
  return writeOut(csv.header() + csv.rows([value]))
}

async function printList(list: ListResult<unknown>, settings: PrintSettings): Promise<void> {
  const columns = chooseColumns(list.view, settings.columns, settings.format === 'csv')
  const last = await printers[settings.format](list, columns, settings)
  if (last) reportEnd(list, last, settings)
}

interface PrintedList {
  count: number
  page: ResultPage<unknown>
}

type ListPrinter = (
  list: ListResult<unknown>,
  columns: Array<Column<unknown>>,
  settings: PrintSettings,
) => Promise<PrintedList | undefined>

const printers: Record<Format, ListPrinter> = {
  table: async (list, columns, settings) => {
    const all = await collectPages(list)
    if (!all) return undefined
    if (list.draw && !settings.columns) {
      await writeOut(await list.draw(all.items, await createPainter(process.stdout), getOutputWidth()))
    } else if (all.items.length === 0)
      settings.notice(list.filter ? `No ${list.view.plural} match.` : `No ${list.view.plural}.`)
    else await printTable(all.items, columns, settings)
    for (const remark of list.view.remarks?.(all.items) ?? []) settings.notice(remark)
    return all
  },
  json: async (list) => {
    const all = await collectPages(list)
    if (all) await writeOut(toJson(joinPages(all, list.key)))
    return all
  },
  yaml: async (list) => {
    const all = await collectPages(list)
    if (all) await writeOut(await toYaml(joinPages(all, list.key)))
    return all
  },
  jsonl: (list) => streamPages(list, ({items, lines}) => toJsonLines(items, lines?.())),
  csv: async (list, columns) => {
    const csv = await createCsvWriter(columns)
    // The header waits for the first page, so that a list that cannot be read leaves the output empty.
    let head = csv.header()
    return streamPages(list, ({items}) => {
      const text = head + csv.rows(items)
      head = ''
      return text
    })
  },
}

async function printTable(items: unknown[], columns: Array<Column<unknown>>, {columns: asked, notice}: PrintSettings) {
  const [{renderTable: drawTable}, painter] = await Promise.all([import('./table.ts'), createPainter(process.stdout)])
  // What was asked for by name is narrowed if it must be, but never left out.
  const kept = asked ? columns.map((column) => ({...column, rank: 0, widthMin: column.widthMin ?? 8})) : columns
  const {text, hidden} = drawTable(items, kept, painter, getOutputWidth())
  await writeOut(text)
  if (hidden.length > 0) notice(`No room for ${hidden.join(', ')}: widen the terminal, or choose with --columns.`)
}

// Every page in memory: for formats that are one whole.
async function collectPages({
  pages,
  view,
}: ListResult<unknown>): Promise<(PrintedList & {items: unknown[]}) | undefined> {
  const items: unknown[] = []
  const progress = startProgress()
  let page: ResultPage<unknown> | undefined
  try {
    for await (page of pages) {
      for (const item of page.items) items.push(item)
      const found = page.read ? `, ${items.length} of them match` : ''
      progress.report(`${page.read?.items ?? items.length} ${view.plural} read${found}…`)
    }
  } finally {
    progress.end()
  }
  return page && {items, page, count: items.length}
}

// After so many pages the space for young objects has its right size.
const pagesUntilSteady = 10

// One page at a time, each written before the next is taken: constant memory, however long the list.
async function streamPages({pages, view}: ListResult<unknown>, write: (page: ResultPage<unknown>) => string) {
  let [count, pagesWritten] = [0, 0]
  let page: ResultPage<unknown> | undefined
  try {
    for await (page of pages) {
      if (++pagesWritten === pagesUntilSteady) limitHeapGrowth()
      count += page.items.length
      const text = write(page)
      if (text !== '') await writeOut(text)
    }
  } catch (error) {
    throw page && error instanceof SvcError
      ? describePartialOutput(error, formatCount(view, count), page.resumeToken)
      : error
  }
  return page && {page, count}
}

// What is out already is whole up to a page, so whoever reads it can go on from there.
function describePartialOutput(
  {error, kind, effect, message, hint, statusCode, cause}: SvcError,
  printed: string,
  token?: string,
) {
  const [flag] = token === undefined ? [] : toTokenFlag(token)
  const isUsable = flag?.startsWith('--')
  const mend = kind === 'unauthenticated' && hint ? `${hint}, then go on` : 'Go on'
  return new SvcError({
    error,
    kind,
    effect,
    message: `${message}; the output is partial, with ${printed}`,
    hint: isUsable ? `${mend} with ${flag}` : hint,
    statusCode,
    cause,
  })
}

const formatCount = ({singular: one, plural: many}: View<unknown>, number: number) =>
  `${number} ${number === 1 ? one : many}`

// The service's own envelope with the pages joined. A list that stopped early keeps the token from which it goes on.
function joinPages({items, page}: {items: unknown[]; page: ResultPage<unknown>}, key: string): Record<string, unknown> {
  const {nextPageToken, ...rest} = page.envelope
  const whole = {...rest, [key]: items}
  if (page.resumeToken !== undefined) return {...whole, nextPageToken: page.resumeToken}
  return nextPageToken === undefined || page.cutCount ? whole : {...whole, nextPageToken}
}

// Nothing is cut in silence: a list that stopped early says so, and how to go on.
function reportEnd({view, filter}: ListResult<unknown>, {page, count}: PrintedList, {notice}: PrintSettings): void {
  const {plural: many} = view
  const named = (number: number) => formatCount(view, number)
  const {read} = page
  if (filter && read && read.pages > 1)
    notice(
      `Read ${named(read.items)} in ${read.pages} pages to find ${count}: the service cannot filter by ${filter.by.join(' or ')}.`,
    )
  if (filter && read && read.undecided > 0) notice(`Left out ${named(read.undecided)} with ${filter.unjudged}.`)
  if (page.cutCount)
    notice(`The service sent more than it was asked for; ${page.cutCount} ${many} of its last page are not shown.`)
  if (page.resumeToken === undefined) return
  const ways = ['--all', '--limit N', ...toTokenFlag(page.resumeToken)]
  const rest = filter ? 'the list goes on' : 'more follow'
  notice(`${named(count)} shown; ${rest}: ${ways.slice(0, -1).join(', ')}, or ${ways.at(-1)}`)
}

// The token as it can be pasted into a shell; one that cannot be shown is left to --json.
function toTokenFlag(token: string): string[] {
  const word = shellWord(token)
  if (word === token) return [`--page-token ${token}`]
  return cleanText(token) === token ? [`--page-token=${word}`] : ['nextPageToken in --json']
}

// Prints how large and how tangled the source is, beside what it should be at most. It measures no time and always ends with 0.
// `npm run measure -- --details` also lists what was counted, `--json` prints the figures as data.
import {parseArgs} from 'node:util'
import {type RunFigures, measureRuns} from './runs.ts'
import {type SourceFigures, measureSources} from './sources.ts'

const {values: options} = parseArgs({
  options: {json: {type: 'boolean', default: false}, details: {type: 'boolean', default: false}},
})

interface Row {
  what: string
  // Undefined if it could not be counted.
  figure: number | undefined
  atMost: number
  where?: string | undefined
}

type Place = NonNullable<SourceFigures['longest']>

const formatPlace = ({file, line}: Place) => `${file}:${line}`

const listSourceRows = ({fullestFolder, longest, casts, ...figures}: SourceFigures): Row[] => [
  {what: 'lines in src', figure: figures.lines, atMost: 84_000},
  {what: 'files in src', figure: figures.files, atMost: 650},
  {what: 'most files in one folder', figure: fullestFolder.files, atMost: 25, where: fullestFolder.folder},
  {what: 'files under 20 lines', figure: figures.shortFiles.length, atMost: 15},
  {what: 'longest function, in lines', figure: longest?.lines, atMost: 70, where: longest && formatPlace(longest)},
  {what: 'functions over 70 lines', figure: figures.longFunctions.length, atMost: 0},
  {what: 'small functions that stand in two files', figure: figures.duplicates.length, atMost: 5},
  {what: '`as` casts, all but `as const`', figure: casts.all, atMost: 250},
  {what: '  of these `as unknown as`', figure: casts.throughUnknown, atMost: 5},
  {what: '  of these `as never`', figure: casts.toNever, atMost: 0},
]

const listRunRows = (runs: Partial<RunFigures>): Row[] => [
  {what: 'modules loaded by `customers list --json`, over HTTP', figure: runs.listModules, atMost: 70},
  {what: 'modules loaded by `pay`, over HTTP', figure: runs.payModules, atMost: 150},
  {what: 'times that `pay -p sandbox` opens the journal', figure: runs.journals, atMost: 1},
  {what: 'times that `pay -p sandbox` creates a client', figure: runs.clients, atMost: 1},
  {what: 'times that `pay -p sandbox` opens the sandbox', figure: runs.sandboxes, atMost: 1},
]

const write = (text: string) => process.stdout.write(`${text}\n`)
const formatNumber = (value: number | undefined) => value?.toLocaleString('en-GB') ?? 'unknown'

function renderTable(rows: readonly Row[]): string {
  const cells = rows.map(({what, figure, atMost, where = ''}) => [
    what,
    formatNumber(figure),
    formatNumber(atMost),
    where,
  ])
  const lines = [['', 'now', 'at most', ''], ...cells]
  const widths = ['', 'now', 'at most'].map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  return lines
    .map(([what = '', now = '', atMost = '', where = '']) => {
      const [first = 0, second = 0, third = 0] = widths
      return `${what.padEnd(first)}  ${now.padStart(second)}  ${atMost.padStart(third)}  ${where}`.trimEnd()
    })
    .join('\n')
}

const renderList = (title: string, lines: readonly string[]) => `\n${[title, ...lines].join('\n  ')}`

function writeDetails({shortFiles, longFunctions, duplicates}: SourceFigures): void {
  write(renderList('Files under 20 lines', shortFiles))
  write(
    renderList(
      'Functions over 70 lines',
      longFunctions.map((each) => `${formatPlace(each)} (${each.lines})`),
    ),
  )
  write(
    renderList(
      'Small functions that stand in two files',
      duplicates.map((places) => `${places[0]?.body ?? ''}\n    ${places.map(formatPlace).join('\n    ')}`),
    ),
  )
}

const sources = measureSources()
// A command that fails leaves its figures unknown: the rest of the table is still of use.
const runs = await measureRuns().catch((error: unknown): Partial<RunFigures> => {
  process.stderr.write(`${String(error)}\n`)
  return {}
})
const rows = [...listSourceRows(sources), ...listRunRows(runs)]
if (options.json) {
  write(JSON.stringify({rows, sources, runs}, undefined, 2))
} else {
  write(renderTable(rows))
  if (options.details) writeDetails(sources)
}

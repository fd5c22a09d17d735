// Measures what svc promises about speed, as ratios within one run, and prints one table. `npm run bench -- list-http` measures one
// row alone, `npm run bench -- fleet` all rows whose names begin so, `--list` names the rows, `--rounds 5` takes a quick look,
// `--against FILE` compares with an earlier run, and `--cpu` judges by CPU time, for a machine that other work keeps busy.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {parseArgs} from 'node:util'
import {root} from '../surface.ts'
import {type Figure, isWithinBound, renderDetails, renderTable, summarise} from './report.ts'
import type {Bench, Row, Shared} from './row.ts'
import {rows} from './rows.ts'

const {values: options, positionals: wanted} = parseArgs({
  allowPositionals: true,
  options: {
    list: {type: 'boolean', default: false},
    cpu: {type: 'boolean', default: false},
    rounds: {type: 'string'},
    against: {type: 'string'},
    output: {type: 'string', default: path.join(root, 'bench.json')},
  },
})

interface Saved {
  node: string
  cpus: string
  load: number
  at: string
  figures: Figure[]
}

const write = (text: string) => process.stdout.write(`${text}\n`)
const report = (text: string) => process.stderr.write(`${text}\n`)

// A name stands for its row, or else for all rows whose names begin with it.
function findRows(name: string): readonly Row[] {
  const exact = rows.filter((row) => row.name === name)
  return exact.length > 0 ? exact : rows.filter((row) => row.name.startsWith(`${name}-`))
}

const listWanted = () =>
  wanted.length === 0 ? rows : rows.filter((row) => wanted.some((name) => findRows(name).includes(row)))

// The file that a run writes may be the one that it compares itself to, so that is read first.
function readEarlier(file: string): Map<string, Figure> {
  const {figures} = JSON.parse(fs.readFileSync(file, 'utf8')) as Saved
  return new Map(figures.map((figure) => [figure.name, figure]))
}

// A run of some rows keeps the figures of the others.
function save(figures: readonly Figure[]): void {
  const file = options.output
  const kept = wanted.length > 0 && fs.existsSync(file) ? readEarlier(file) : new Map<string, Figure>()
  for (const figure of figures) kept.set(figure.name, figure)
  const [cpu] = os.cpus()
  const saved: Saved = {
    node: process.version,
    cpus: `${os.availableParallelism()} × ${cpu?.model ?? 'unknown'}`,
    load: os.loadavg()[0] ?? 0,
    at: new Date().toISOString(),
    figures: rows.flatMap(({name}) => kept.get(name) ?? []),
  }
  fs.writeFileSync(file, `${JSON.stringify(saved, undefined, 2)}\n`)
}

async function measureRows(chosen: readonly Row[]): Promise<Figure[]> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-bench-'))
  const opened = new Map<string, Promise<Shared<unknown>>>()
  const bench: Bench = {
    folder,
    countRounds: (usual) => Number(options.rounds ?? usual),
    share: async <Value>(name: string, open: () => Promise<Shared<Value>>) => {
      const shared = (opened.get(name) ?? open()) as Promise<Shared<Value>>
      opened.set(name, shared)
      return (await shared).value
    },
  }
  const figures: Figure[] = []
  try {
    for (const row of chosen) {
      const begun = performance.now()
      const figure = summarise(row, await row.measure(bench))
      figures.push(figure)
      const seconds = Math.round((performance.now() - begun) / 1000)
      report(`${renderDetails([figure], rows).split('\n')[0] ?? ''} (${seconds} s)`)
    }
  } finally {
    for (const shared of [...opened.values()].toReversed()) await (await shared).close?.()
    fs.rmSync(folder, {recursive: true, force: true})
  }
  return figures
}

const unknown = wanted.filter((name) => findRows(name).length === 0)
if (unknown.length > 0) {
  report(`There is no row ${unknown.join(', ')}. \`npm run bench -- --list\` names the rows.`)
  process.exitCode = 2
} else if (options.list) {
  for (const {name, title, comparator} of rows)
    write(`${name.padEnd(20)}${title}${comparator ? ` / ${comparator.name}` : ''}`)
} else {
  const before = options.against === undefined ? undefined : readEarlier(options.against)
  const figures = await measureRows(listWanted())
  if (figures.length > 0) {
    save(figures)
    write(renderTable(figures, {byCpu: options.cpu, ...(before && {before})}))
    write(`\n${renderDetails(figures, rows)}`)
  }
  if (!figures.every((figure) => isWithinBound(figure, options.cpu))) process.exitCode = 1
}

// Measures what svc promises about speed, as ratios within one run, and prints one table. `npm run bench -- list-http` measures one
// row alone, `npm run bench -- fleet` all rows whose names begin so, `--list` names the rows, and `--rounds 5` takes a quick look.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {parseArgs} from 'node:util'
import {fleetRows} from './fleet.ts'
import {longListRows} from './long-list.ts'
import {payoutRows} from './payouts.ts'
import {type Figure, isWithinBound, renderTable, renderValues, summarise} from './report.ts'
import {type Bench, type Row, takeTurns} from './row.ts'
import {sandboxRows} from './sandbox.ts'
import {startUpRows} from './start-up.ts'

const rows: readonly Row[] = [...startUpRows, ...longListRows, ...sandboxRows, ...payoutRows, ...fleetRows]

const {values: options, positionals: wanted} = parseArgs({
  allowPositionals: true,
  options: {list: {type: 'boolean', default: false}, rounds: {type: 'string'}},
})

const write = (text: string) => process.stdout.write(`${text}\n`)
const report = (text: string) => process.stderr.write(`${text}\n`)

// A name stands for its row, or else for all rows whose names begin with it.
function findRows(name: string): readonly Row[] {
  const exact = rows.filter((row) => row.name === name)
  return exact.length > 0 ? exact : rows.filter((row) => row.name.startsWith(`${name}-`))
}

async function measureRows(chosen: readonly Row[]): Promise<Figure[]> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-bench-'))
  const opened = new Map<string, Promise<unknown>>()
  const closers: Array<() => void | Promise<void>> = []
  const bench: Bench = {
    folder,
    onClose: (close) => closers.push(close),
    share: <Value>(name: string, open: () => Promise<Value>) => {
      const shared = (opened.get(name) ?? open()) as Promise<Value>
      opened.set(name, shared)
      return shared
    },
  }
  const figures: Figure[] = []
  try {
    for (const row of chosen) {
      const begun = performance.now()
      const measured = await row.open(bench)
      const figure = summarise(row, await takeTurns(measured, Number(options.rounds ?? row.rounds), row.warmUps))
      figures.push(figure)
      report(`${renderValues(figure)} (${Math.round((performance.now() - begun) / 1000)} s)`)
    }
  } finally {
    for (const close of closers.toReversed()) await close()
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
    write(`${name.padEnd(20)}${title}${comparator ? ` / ${comparator}` : ''}`)
} else {
  const figures = await measureRows(
    wanted.length === 0 ? rows : rows.filter((row) => wanted.some((name) => findRows(name).includes(row))),
  )
  write(renderTable(figures))
  if (!figures.every(isWithinBound)) process.exitCode = 1
}

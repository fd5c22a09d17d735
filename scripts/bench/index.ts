// Measures what svc promises about speed, as ratios within one run, and prints one table. `npm run bench -- list-http` measures one
// row alone, `npm run bench -- fleet` all rows whose names begin so, `--list` names the rows, and `--rounds 5` takes a quick look.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {parseArgs} from 'node:util'
import {type Figure, isWithinBound, renderOmissions, renderTable, renderValues, summarise} from './report.ts'
import type {Bench, Row, Shared} from './row.ts'
import {rows} from './rows.ts'

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
      report(`${renderValues(figure)} (${Math.round((performance.now() - begun) / 1000)} s)`)
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
  const figures = await measureRows(
    wanted.length === 0 ? rows : rows.filter((row) => wanted.some((name) => findRows(name).includes(row))),
  )
  write(renderTable(figures))
  write(`\nWhat the comparators leave out\n${renderOmissions(figures)}`)
  if (!figures.every(isWithinBound)) process.exitCode = 1
}

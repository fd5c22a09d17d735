// Plants faults in the code that decides about payments, one at a time, with Stryker, and shows those that no test notices:
// node scripts/mutate.ts --files next.ts,lists.ts --since main --sample 20 --seed 1 --out report.json; --again report.json
import {execFileSync} from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {parseArgs} from 'node:util'
import {Stryker} from '@stryker-mutator/core'
import {parseSync} from 'rolldown/experimental'
import {createRandom} from '../test/support/random.ts'
import {ensureBuilt} from './ensure-built.ts'
import {pickSeed, print} from './soak.ts'

type Mutant = Awaited<ReturnType<Stryker['runMutationTest']>>[number]

// Lines of a file, counted from 1, both included.
interface Range {
  file: string
  from: number
  to: number
}

// A mutant that behaves as the code does, as the report shows it.
interface Equivalent {
  file: string
  before: string
  after: string
  why: string
}

const defaultFiles = [
  'src/payments/protocol/**/*.ts',
  'src/controls/{approvable,approvals,both-clocks,check-spending,decide,limits,new-payees,policy}.ts',
]
const folder = path.join(import.meta.dirname, 'mutate')
const equivalentsFile = 'scripts/mutate/equivalents.json'
// An endless loop counts as noticed after this time and half as much again as the tests take.
const loopMs = 20_000

const {values: options} = parseArgs({
  options: {
    // Ends of the paths of usual files, or globs of any others.
    files: {type: 'string'},
    lines: {type: 'string'},
    since: {type: 'string'},
    sample: {type: 'string'},
    seed: {type: 'string'},
    tests: {type: 'string', default: path.join(folder, 'vitest.config.ts')},
    processes: {type: 'string', default: String(os.availableParallelism())},
    out: {type: 'string'},
    again: {type: 'string'},
  },
})

function listFiles(): string[] {
  const usual = fs.globSync(defaultFiles).toSorted()
  const findNamed = (name: string) => {
    const ending = usual.filter((file) => `/${file}`.endsWith(`/${name}`))
    return ending.length > 0 ? ending : fs.globSync(name)
  }
  return options.files === undefined ? usual : options.files.split(',').flatMap(findNamed)
}

const types = new Set(['ImportDeclaration', 'TSTypeAliasDeclaration', 'TSInterfaceDeclaration'])

// The statements of a file that have code: a function, a table or a class is one of them.
function listStatements(file: string): Range[] {
  const source = fs.readFileSync(file, 'utf8')
  const countLines = (end: number) => source.slice(0, end).split('\n').length
  return parseSync(file, source)
    .program.body.filter((statement) => {
      const declared = 'declaration' in statement && statement.declaration ? statement.declaration : statement
      return !types.has(declared.type)
    })
    .map(({start, end}) => ({file, from: countLines(start), to: countLines(end)}))
}

// The lines that were changed since a commit, as the headers of the hunks name them.
function listChanged(file: string, commit: string): Range[] {
  const changes = execFileSync('git', ['diff', '-U0', commit, '--', file], {encoding: 'utf8'})
  return [...changes.matchAll(/^@@ -\S+ \+(\d+)(?:,(\d+))? @@/gm)].map(([, from, count = '1']) => ({
    file,
    from: Number(from),
    to: Number(from) + Number(count) - 1,
  }))
}

function listWanted(file: string): Range[] {
  const [from = 1, to = from] = (options.lines ?? '1-1000000').split('-').map(Number)
  const wanted = options.since === undefined ? [{file, from, to}] : listChanged(file, options.since)
  return listStatements(file).filter((one) => wanted.some((range) => one.from <= range.to && range.from <= one.to))
}

function drawSample(ranges: readonly Range[], seed: number): readonly Range[] {
  if (options.sample === undefined) return ranges
  const random = createRandom(seed)
  const left = [...ranges]
  const drawn = Array.from({length: Math.min(Number(options.sample), left.length)}, () =>
    left.splice(random.below(left.length), 1),
  )
  return drawn.flat()
}

// The survivors of an earlier report, with what stands inside of them.
const readSurvivors = (file: string) =>
  (JSON.parse(fs.readFileSync(file, 'utf8')) as {survivors: Survivor[]}).survivors.map(({range}) => range)

const pickRanges = (seed: number) =>
  options.again === undefined
    ? drawSample(listFiles().flatMap(listWanted), seed).map(({file, from, to}) => `${file}:${from}-${to}`)
    : readSurvivors(options.again)

const runStryker = (ranges: readonly string[]) =>
  new Stryker({
    mutate: [...ranges],
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner', path.join(folder, 'ignore-messages.ts')],
    ignorers: ['messages'],
    // Most of what is asked with `?.` cannot be absent where a test stands.
    mutator: {excludedMutations: ['OptionalChaining']},
    vitest: {configFile: options.tests, related: false, pool: 'forks'},
    coverageAnalysis: 'perTest',
    concurrency: Number(options.processes),
    timeoutMS: loopMs,
    reporters: ['progress-append-only'],
    ignorePatterns: ['coverage', 'release'],
    // TypeScript 7 has no interface that Stryker could read it with, and nothing is compiled.
    tsconfigFile: 'none',
    disableTypeChecks: false,
    tempDirName: fs.mkdtempSync(path.join(os.tmpdir(), 'svc-mutate-')),
    cleanTempDir: 'always',
  }).runMutationTest()

const toOneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

interface Survivor {
  place: string
  // The place as Stryker takes it, whose columns are counted from 0 there.
  range: string
  file: string
  kind: string
  before: string
  after: string
}

// Shows the lines of a mutant before and after the change.
function describeMutant({fileName, location: {start, end}, mutatorName, replacement}: Mutant): Survivor {
  const file = path.relative(process.cwd(), fileName)
  const lines = fs
    .readFileSync(file, 'utf8')
    .split('\n')
    .slice(start.line - 1, end.line)
  const [first = '', last = ''] = [lines[0], lines.at(-1)]
  const after = `${first.slice(0, start.column - 1)}${replacement}${last.slice(end.column - 1)}`
  return {
    place: `${file}:${start.line}`,
    range: `${file}:${start.line}:${start.column - 1}-${end.line}:${end.column - 1}`,
    file,
    kind: mutatorName,
    before: toOneLine(lines.join('\n')),
    after: toOneLine(after),
  }
}

const readEquivalents = () =>
  fs.existsSync(equivalentsFile) ? (JSON.parse(fs.readFileSync(equivalentsFile, 'utf8')) as Equivalent[]) : []

// What an equivalent says must still stand in its file.
const isStale = ({file, before}: Equivalent) =>
  !fs.existsSync(file) || !toOneLine(fs.readFileSync(file, 'utf8')).includes(before)

const noticed = new Set(['Killed', 'Timeout'])
const unnoticed = new Set(['Survived', 'NoCoverage'])

const countBy = (names: readonly string[]) =>
  Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]))

function report(mutants: readonly Mutant[], seed: number) {
  const equivalents = readEquivalents()
  const isEquivalent = ({file, before, after}: Survivor) =>
    equivalents.some((one) => one.file === file && one.before === before && one.after === after)
  const described = mutants.filter(({status}) => unnoticed.has(status)).map(describeMutant)
  const survivors = described.filter((survivor) => !isEquivalent(survivor))

  const killed = mutants.filter(({status}) => noticed.has(status)).length
  const judged = killed + survivors.length
  const errors = mutants.filter(({status}) => status.endsWith('Error')).length
  const stale = equivalents.filter(isStale).map(({file, before}) => `${file}: ${before}`)
  const kinds = countBy(mutants.filter(({status}) => status !== 'Ignored').map(({mutatorName}) => mutatorName))
  const score = judged === 0 ? 100 : Math.round((1000 * killed) / judged) / 10
  return {seed, kinds, score, killed, equivalent: described.length - survivors.length, errors, survivors, stale}
}

const seed = Number(options.seed ?? pickSeed())
const ranges = pickRanges(seed)
if (ranges.length === 0) throw new Error('None of these lines has code')
ensureBuilt()

const {survivors, stale, ...numbers} = report(await runStryker(ranges), seed)
for (const {place, kind, before, after} of survivors) print(`${place} ${kind}\n  - ${before}\n  + ${after}`)
for (const line of stale) print(`No longer in the code, but in ${equivalentsFile}: ${line}`)
print(JSON.stringify({...numbers, survivors: survivors.length}))
if (options.out) fs.writeFileSync(options.out, `${JSON.stringify({...numbers, survivors}, null, 2)}\n`)
if (survivors.length > 0 || stale.length > 0) process.exitCode = 1

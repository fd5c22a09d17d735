// The rules of the layout: which folder may import which, no cycles, what a file is called, how it begins.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {renderCommandDocs} from '../scripts/docs.ts'
import {loadSurface} from '../scripts/surface.ts'
import {root} from './support/svc.ts'

const source = path.join(root, 'src')
const files = fs
  .globSync('**/*.ts', {cwd: source})
  .map((file) => file.split(path.sep).join('/'))
  .toSorted()
const readSource = (file: string) => fs.readFileSync(path.join(source, file), 'utf8')

// Date.parse reads a time without an offset in the time zone of this machine. The sandbox writes its own times with Z.
const rawDateParse = /\bDate\.parse\b(?!\((?:this\.#sandbox\.)?clock\.status\(\)\.now\))/

// Views are data for tables and records. They belong to the layer above `cli`, also where their folder does not: the view of
// profiles is `profiles/view.ts`, where one looks for it, and only commands and other views use it.
const isView = (file: string) => !/^(cli|sandbox)\//.test(file) && /\/([\w-]+-)?view\.ts$/.test(file)

// A file's folder, or its own name at the top of src, marked where it is a view.
function findModule(file: string): string {
  const name = file.includes('/') ? (file.split('/', 1)[0] ?? '') : file.replace(/\.ts$/, '')
  return isView(file) ? `${name} view` : name
}

const foundation = ['storage', 'values', 'contract', 'errors']
const shared = [
  'cli',
  'bind-policy',
  'sandbox-control',
  'transport',
  'notifications',
  'profiles',
  'controls',
  'client',
  'web',
  'forms',
  ...foundation,
]

// Which features a feature may use. Payouts are many payments, a payment needs a quote, a quote prices a route of accounts.
const features: Record<string, readonly string[]> = {
  customers: [],
  accounts: ['customers'],
  transactions: ['customers', 'accounts'],
  quotes: ['customers', 'accounts', 'transactions'],
  rules: ['customers', 'accounts', 'transactions', 'quotes'],
  payments: ['customers', 'accounts', 'transactions', 'quotes'],
  payouts: ['customers', 'accounts', 'transactions', 'quotes', 'payments'],
  fleet: ['customers', 'accounts', 'transactions', 'quotes', 'payments', 'payouts'],
  books: ['customers', 'accounts', 'transactions', 'quotes', 'payments'],
  events: ['customers'],
  console: ['customers', 'accounts', 'transactions', 'quotes', 'payments', 'payouts', 'fleet', 'events'],
  doctor: ['payments'],
  mcp: [],
  tour: [],
  status: ['customers', 'accounts', 'transactions', 'rules', 'payments', 'payouts'],
}

const viewsOf = (names: readonly string[]) => names.map((name) => `${name} view`)
const viewed = [...Object.keys(features), 'controls', 'profiles']

// What each module may import of ours. Types count as imports.
const mayImport: Record<string, readonly string[]> = {
  contract: [],
  errors: [],
  values: ['contract', 'errors'],
  storage: ['values', 'contract', 'errors'],
  client: foundation,
  // What may be paid: limits, who signed what with OpenSSH, and whether enough people approved something.
  controls: foundation,
  profiles: ['controls', ...foundation],
  notifications: ['controls', 'profiles', ...foundation],
  // The page kit and the pages of the console: whoever serves it gives it the data.
  web: ['forms', 'contract', 'errors', 'values'],
  // What a person fills in, for every face of it.
  forms: ['contract', 'errors', 'values'],
  // What the operations of the sandbox return, as data.
  'sandbox-results': [],
  sandbox: ['sandbox-results', 'web', 'forms', ...foundation],
  transport: ['embedded-fetch', 'client', 'profiles', 'sandbox', ...foundation],
  // Reads the policy from the journal, below the commands and beside the transport.
  'bind-policy': ['transport', 'profiles', 'controls', 'payments', ...foundation],
  'sandbox-control': ['transport', 'profiles', 'sandbox', ...foundation],
  // What programs import. Nothing of ours imports it.
  library: ['embedded-fetch', 'client', 'profiles', 'sandbox', 'sandbox-results', 'events', ...foundation],
  'embedded-fetch': ['client', 'sandbox', 'values'],
  cli: shared.filter((name) => name !== 'cli'),
  ...Object.fromEntries(
    Object.entries(features).map(([name, others]) => [
      name,
      [...shared, ...others, `${name} view`, ...viewsOf(others)],
    ]),
  ),
  ...Object.fromEntries(
    viewed.map((name) => [
      `${name} view`,
      [...shared, name, ...(features[name] ?? []), ...viewsOf(viewed.filter((other) => other !== name))],
    ]),
  ),
  // The commands that are made from the operations of the sandbox, and what they print.
  'sandbox-commands': [...shared, 'sandbox', 'sandbox-results', ...Object.keys(features), ...viewsOf(viewed)],
  // Commands of the sandbox name its types; they reach it through `transport`, as everybody does.
  commands: [...shared, 'sandbox', 'sandbox-results', 'sandbox-commands', ...Object.keys(features), ...viewsOf(viewed)],
}

interface Import {
  from: string
  to: string
  typeOnly: boolean
  lazy: boolean
}

const statement = /^(import|export)\s(type\s)?[^'"]*?from\s+'(\.[^']+)'|import\('(\.[^']+)'\)/gms

const imports: Import[] = files
  .flatMap((from) =>
    [...readSource(from).matchAll(statement)].map(([, , typeOnly, fixed, lazy]) => ({
      from,
      to: path.posix.join(path.posix.dirname(from), fixed ?? lazy ?? ''),
      typeOnly: typeOnly !== undefined,
      lazy: lazy !== undefined,
    })),
  )
  .filter(({to}) => !to.includes('node_modules'))

const tests = fs.globSync('test/**/*.ts', {cwd: root}).map((file) => path.join(root, file))

describe('the layout', () => {
  it('has only modules that are known', () => {
    const unknown = [...new Set(files.map(findModule))].filter((module) => !(module in mayImport))
    expect(unknown, 'a new folder of src/ needs a line in `features` or `mayImport` of this file').toEqual([])
  })

  it('lets imports point down only, types included', () => {
    const wrong = imports.filter(({from, to}) => {
      const [module, other] = [findModule(from), findModule(to)]
      return module !== other && !mayImport[module]?.includes(other)
    })
    const rule = 'what a folder may import is in `features` and `mayImport` of this file'
    expect(
      wrong.map(({from, to}) => `${from} → ${to}`),
      rule,
    ).toEqual([])
  })

  it('keeps the contract on zod alone', () => {
    const foreign = files
      .filter((file) => findModule(file) === 'contract')
      .flatMap((file) => [...readSource(file).matchAll(/from '([^.'][^']*)'/g)].map(([, name]) => name))
    expect([...new Set(foreign)]).toEqual(['zod'])
  })

  it('keeps the rules of paying once without I/O and without a clock', () => {
    const reached = new Set(['payments/protocol/next.ts'])
    for (const file of reached) {
      for (const {from, to, typeOnly} of imports) if (from === file && !typeOnly) reached.add(to)
    }
    const foreign = [...reached].flatMap((file) =>
      [...readSource(file).matchAll(/^import (?!type)[^'"]*?from '([^.'][^']*)'/gms)].map(([, name]) => name),
    )
    expect([...new Set(foreign)].filter((name) => name !== 'big.js')).toEqual(['node:crypto'])
    expect(
      [...reached].filter((file) => !/^(contract|values)\/|^payments\/protocol\/(next|payment)\.ts$/.test(file)),
    ).toEqual([])
    expect(readSource('payments/protocol/next.ts')).not.toMatch(
      /\b(Date\.|new Date|performance\.|process\.|setTimeout|await )/,
    )
  })

  it('loads the sandbox only when it is asked for', () => {
    const eager = imports.filter(
      ({from, to, lazy, typeOnly}) =>
        !/^(sandbox|library)\//.test(from) && findModule(to) === 'sandbox' && !lazy && !typeOnly,
    )
    expect(eager).toEqual([])
  })

  it('lets no file import a command', () => {
    expect(imports.filter(({to}) => findModule(to) === 'commands')).toEqual([])
  })

  it('has no cycles, types and lazy imports included', () => {
    const next = Map.groupBy(imports, ({from}) => from)
    const done = new Set<string>()
    const cycles: string[] = []
    const visit = (file: string, trail: readonly string[]): void => {
      if (trail.includes(file)) cycles.push([...trail.slice(trail.indexOf(file)), file].join(' → '))
      if (done.has(file) || trail.includes(file)) return
      for (const {to} of next.get(file) ?? []) visit(to, [...trail, file])
      done.add(file)
    }
    for (const file of files) visit(file, [])
    expect(cycles).toEqual([])
  })

  it('has commands and nothing else in its commands folder', () => {
    const others = files.filter(
      (file) => findModule(file) === 'commands' && !/export (default class|\{default\} from)/.test(readSource(file)),
    )
    expect(others).toEqual([])
  })
})

describe('a file', () => {
  it('opens with a sentence that says what it is for', () => {
    expect(files.filter((file) => !/^\/\/ [A-Z].*/.test(readSource(file)))).toEqual([])
  })

  it('is not called by a name that says nothing', () => {
    expect(files.filter((file) => /(^|\/)(utils?|helpers?|common|managers?|misc)(\/|\.ts$)/.test(file))).toEqual([])
  })

  it('prints only through cli/output/streams.ts', () => {
    const printing = files.filter((file) => /\bconsole\.\w+\(|process\.std(out|err)\.write/.test(readSource(file)))
    expect(printing).toEqual(['cli/output/streams.ts'])
  })

  it('reads no message: what depends on an error depends on its kind, its code or its fields', () => {
    const readsMessage =
      /\b(message|sentence|hint)\??\)?\.(match|matchAll|replace|replaceAll|startsWith|endsWith|includes|search)\(|\.(test|exec)\((\w+\.)*(message|sentence|hint)\b/
    // Messages of others, who have no codes for them: pg and pg-boss. Pages only write labels in
    // place of the paths in a message; nothing depends on it.
    const exceptions = new Set(['storage/postgres/postgres-error.ts', 'fleet/queue.ts', 'forms/name-fields.ts'])
    expect(files.filter((file) => readsMessage.test(readSource(file)) && !exceptions.has(file))).toEqual([])
    // A command in a sentence is made with its profile, and not found again in it.
    const findsCommand = /\(\/[^\n/]*`svc/
    expect(files.filter((file) => findsCommand.test(readSource(file)))).toEqual([])
  })

  it('reads times of the service with values/time.ts', () => {
    const others = files.filter((file) => !/^(?:values|sandbox)\//.test(file))
    expect(others.filter((file) => rawDateParse.test(readSource(file)))).toEqual([])
  })

  it('stands in a folder of at most 25 files', () => {
    const folders = Map.groupBy(files, (file) => path.posix.dirname(file))
    expect([...folders].filter(([, inside]) => inside.length > 25).map(([folder]) => folder)).toEqual([])
  })

  // The recursion of Node never ends where a file system answers with ENOENT, as /proc does.
  it('makes folders one level at a time', () => {
    const all = ['bin/run.js', ...files.map((file) => path.join('src', file))]
    const recursive = /\bmkdir(?:Sync)?\([^;]*\brecursive: true/
    expect(all.filter((file) => recursive.test(fs.readFileSync(path.join(root, file), 'utf8')))).toEqual([])
  })

  it('leaves nothing for later', () => {
    const all = [...files.map((file) => path.join(source, file)), ...tests]
    const marks = new RegExp(['TO', 'DO|FIX', 'ME|HA', 'CK'].join(''))
    expect(all.filter((file) => marks.test(fs.readFileSync(file, 'utf8')))).toEqual([])
  })
})

// A failure of CI is played again here by its seed.
it('every random test takes the seed of the run', () => {
  const unseeded = tests.flatMap((file) => {
    const calls = fs.readFileSync(file, 'utf8').split(/\bfc\.(?:assert|check|sample|statistics)\(/)
    return calls.slice(1).flatMap((call, index) => (/,\s*\{seed\b/.test(call) ? [] : [`${file} ${index + 1}`]))
  })
  expect(unseeded).toEqual([])
  // Names that only have to differ are random bytes.
  const byChance = /\b(?:Math\.random|randomInt)\(/
  const own = tests.filter((file) => !file.endsWith('/support/seed.ts'))
  expect(own.filter((file) => byChance.test(fs.readFileSync(file, 'utf8')))).toEqual([])
})

describe('CONTRIBUTING.md', () => {
  const page = fs.readFileSync(path.join(root, 'CONTRIBUTING.md'), 'utf8')
  const quoted = [...page.matchAll(/`(?:this\.)?([\w./*-]+)(?:\([^`]*\))?`/g)].map(([, text = '']) => text)

  it('names files that exist', () => {
    const named = quoted.filter((text) => /^(?:src|test|scripts|docs|model|bin)\//.test(text))
    expect(named.filter((file) => !fs.existsSync(path.join(root, file)))).toEqual([])
    expect(named.length).toBeGreaterThan(50)
  })

  it('names functions and types that exist', () => {
    const all = [
      ...files.map(readSource),
      ...fs.globSync('test/support/*.ts', {cwd: root}).map((file) => fs.readFileSync(path.join(root, file), 'utf8')),
    ]
    const words = new Set(all.flatMap((text) => text.match(/\w+/g) ?? []))
    const named = quoted.filter((text) => /^[a-z]+[A-Z]\w*$|^[A-Z]\w*[a-z]\w*$/.test(text))
    expect(named.filter((name) => !words.has(name))).toEqual([])
    expect(named.length).toBeGreaterThan(30)
  })
})

describe('the command surface', () => {
  it('is what oclif.manifest.json says; `npm run manifest` writes it anew', async () => {
    const manifest = await (await loadSurface()).manifest()
    const committed: unknown = JSON.parse(fs.readFileSync(path.join(root, 'oclif.manifest.json'), 'utf8'))
    expect(committed).toEqual(manifest)
  })

  it('is what docs/commands.md lists; `npm run docs` writes it anew', async () => {
    const written = fs.readFileSync(path.join(root, 'docs/commands.md'), 'utf8')
    expect(written).toBe(renderCommandDocs(await (await loadSurface()).manifest()))
  })

  it('has a topic above every command of several words, and commands below every topic', async () => {
    const {pjson, manifest} = await loadSurface()
    const ids = Object.keys((await manifest()).commands).filter((id) => id.includes(':'))
    const needed = new Set(ids.map((id) => id.replace(/:[^:]*$/, '')))
    const topics = Object.keys(pjson.oclif.topics ?? {})
    expect(topics.toSorted(), 'topics are under `oclif.topics` in package.json').toEqual([...needed].toSorted())
  })
})

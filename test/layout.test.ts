// The rules of the house, held as a test: who may import whom, how long a file is, what it is called, how it begins.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {surfaceFromSource} from '../scripts/surface.ts'
import {root} from './support/svc.ts'

const source = path.join(root, 'src')
const files = fs
  .globSync('**/*.ts', {cwd: source})
  .map((file) => file.split(path.sep).join('/'))
  .toSorted()
const textOf = (file: string) => fs.readFileSync(path.join(source, file), 'utf8')

// The room a file is in: its folder, or itself where it stands at the top.
const roomOf = (file: string) => (file.includes('/') ? (file.split('/', 1)[0] ?? '') : file.replace(/\.ts$/, ''))

// Arrows point down: what each room may import of ours. Types may come from further up, since they are gone when it runs.
const mayImport: Record<string, readonly string[]> = {
  contract: [],
  errors: [],
  checks: ['contract'],
  client: ['contract', 'checks', 'errors'],
  profiles: ['contract', 'checks', 'errors'],
  terminal: ['contract', 'checks', 'errors', 'profiles'],
  sandbox: ['contract', 'checks'],
  transport: ['client', 'profiles', 'sandbox', 'errors'],
  command: ['client', 'profiles', 'terminal', 'waiting', 'transport', 'errors'],
  main: ['terminal', 'errors'],
  documents: ['contract', 'checks', 'errors'],
  requests: ['contract', 'checks', 'documents', 'terminal', 'errors'],
  waiting: ['contract', 'checks', 'client', 'terminal', 'errors'],
  rules: ['contract', 'checks', 'client', 'requests', 'terminal', 'errors'],
  doctor: ['contract', 'checks', 'client', 'profiles', 'transport', 'errors'],
  payments: ['contract', 'checks', 'client', 'profiles', 'requests', 'terminal', 'errors'],
  events: ['contract', 'checks', 'client', 'profiles', 'terminal', 'errors'],
  walkthroughs: ['contract', 'checks', 'client', 'documents', 'requests', 'rules', 'terminal', 'errors'],
  commands: [
    'command',
    'contract',
    'checks',
    'client',
    'profiles',
    'terminal',
    'documents',
    'requests',
    'waiting',
    'rules',
    'doctor',
    'events',
    'walkthroughs',
    'payments',
    'transport',
    'errors',
  ],
}

interface Import {
  from: string
  to: string
  typeOnly: boolean
  lazy: boolean
}

const statement = /^(import|export)\s(type\s)?[^'"]*?from\s+'(\.[^']+)'|import\('(\.[^']+)'\)/gms

const imports: Import[] = files.flatMap((from) =>
  [...textOf(from).matchAll(statement)].map(([, , typeOnly, fixed, lazy]) => ({
    from,
    to: path.posix.join(path.posix.dirname(from), fixed ?? lazy ?? ''),
    typeOnly: typeOnly !== undefined,
    lazy: lazy !== undefined,
  })),
)

const ours = imports.filter(({to}) => !to.includes('node_modules'))

describe('the house', () => {
  it('has only rooms that are known', () => {
    expect([...new Set(files.map(roomOf))].filter((room) => !(room in mayImport))).toEqual([])
  })

  it('lets arrows point down only', () => {
    const wrong = ours.filter(({from, to, typeOnly}) => {
      const [room, other] = [roomOf(from), roomOf(to)]
      return !typeOnly && room !== other && !mayImport[room]?.includes(other)
    })
    expect(wrong).toEqual([])
  })

  it('keeps the contract on zod alone', () => {
    const foreign = files
      .filter((file) => roomOf(file) === 'contract')
      .flatMap((file) => [...textOf(file).matchAll(/from '([^.'][^']*)'/g)].map(([, name]) => name))
    expect([...new Set(foreign)]).toEqual(['zod'])
  })

  it('keeps the client and the sandbox apart, in types too', () => {
    const pairs = ours.map(({from, to}) => `${roomOf(from)} → ${roomOf(to)}`)
    expect(pairs).not.toContain('client → sandbox')
    expect(pairs).not.toContain('sandbox → client')
  })

  it('loads the sandbox only when it is asked for', () => {
    const eager = ours.filter(
      ({from, to, lazy, typeOnly}) => roomOf(from) !== 'sandbox' && roomOf(to) === 'sandbox' && !lazy && !typeOnly,
    )
    expect(eager).toEqual([])
  })

  it('lets no file import a command', () => {
    expect(ours.filter(({to}) => roomOf(to) === 'commands')).toEqual([])
  })

  it('has no cycles', () => {
    const next = Map.groupBy(
      ours.filter(({typeOnly, lazy}) => !typeOnly && !lazy),
      ({from}) => from,
    )
    const done = new Set<string>()
    const visit = (file: string, trail: readonly string[]): void => {
      expect(trail, `a cycle through ${file}`).not.toContain(file)
      if (done.has(file)) return
      for (const {to} of next.get(file) ?? []) visit(to, [...trail, file])
      done.add(file)
    }
    for (const file of files) visit(file, [])
  })

  it('has commands and nothing else in its commands folder', () => {
    const others = files.filter(
      (file) => roomOf(file) === 'commands' && !/export (default class|\{default\} from)/.test(textOf(file)),
    )
    expect(others).toEqual([])
  })
})

describe('a file', () => {
  it('opens with a sentence that says what it is for', () => {
    expect(files.filter((file) => !/^\/\/ [A-Z].*/.test(textOf(file)))).toEqual([])
  })

  it('has at most 300 lines', () => {
    expect(files.filter((file) => textOf(file).split('\n').length > 301)).toEqual([])
  })

  it('is not called by a name that says nothing', () => {
    expect(files.filter((file) => /(^|\/)(utils?|helpers?|common|managers?|misc)(\/|\.ts$)/.test(file))).toEqual([])
  })

  it('prints nothing past the terminal’s streams', () => {
    const printing = files.filter((file) => /\bconsole\.\w+\(|process\.std(out|err)\.write/.test(textOf(file)))
    expect(printing).toEqual(['terminal/streams.ts'])
  })

  it('leaves nothing for later', () => {
    const tests = fs.globSync('test/**/*.ts', {cwd: root}).map((file) => path.join(root, file))
    const all = [...files.map((file) => path.join(source, file)), ...tests]
    const marks = new RegExp(['TO', 'DO|FIX', 'ME|HA', 'CK'].join(''))
    expect(all.filter((file) => marks.test(fs.readFileSync(file, 'utf8')))).toEqual([])
  })
})

describe('the command surface', () => {
  it('is what oclif.manifest.json says; `npm run manifest` writes it anew', async () => {
    const manifest = await (await surfaceFromSource()).manifest()
    const committed: unknown = JSON.parse(fs.readFileSync(path.join(root, 'oclif.manifest.json'), 'utf8'))
    expect(committed).toEqual(manifest)
  })

  it('has a summary and an example for every command', async () => {
    const manifest = await (await surfaceFromSource()).manifest()
    const ownCommands = Object.values(manifest.commands).filter(({id}) => !id.startsWith('autocomplete'))
    expect(ownCommands.filter(({summary, examples}) => !summary || !examples?.length).map(({id}) => id)).toEqual([])
  })

  it('lets every flag be set by a variable, except those that name or size one action', async () => {
    const manifest = await (await surfaceFromSource()).manifest()
    const ofOneAction = new Set([
      'yes',
      'at',
      'query',
      'set',
      'file',
      'header',
      'customers',
      'seed',
      'outcome',
      'code',
      'message',
      'duplicate',
      'reorder',
      'allow-remote',
      'amount',
      'balance',
      'nickname',
      'pending',
      'kind',
      'method',
      'path',
      'times',
      'after',
      'probability',
      'sandbox:faults:add status',
      'sandbox:requests status',
      'retry-after',
      'delay',
      'idempotency',
      'quote-use',
      'expired-quotes',
      'list-lag',
      'tier',
      'reset',
      'reveal',
      'save',
      'resume',
      'partial',
      'email',
      'first-name',
      'last-name',
      'business-name',
      'kyc-file',
      'kyb-file',
      'customers:create type',
      'from',
      'from-currency',
      'from-method',
      'to',
      'to-currency',
      'to-method',
      'developer-fee',
      'developer-fee-type',
      'guarantee',
      'quotes:create customer',
      'quotes:create wait',
      'quote',
      'idempotency-key',
      'correlation-id',
      'name',
      'percent',
      'cron',
      'threshold',
      'rules:create customer',
      'replace',
      'prune',
      'count',
      'key',
      'max-fee',
      'min-rate',
      'min-received',
      'slot',
      'pay customer',
      'payment-max',
      'day-max',
      'allow',
      'clear-limits',
      'resend',
      'profiles:set read-only',
      'adopt',
      'abandon',
      'why',
      'all-places',
      'foreign',
      'stop-after',
      'result',
      'with-quotes',
      'events:listen store',
      'events:verify store',
      'events:listen event',
      'replay',
      'transactions',
      'once',
    ])
    const wrong = Object.values(manifest.commands)
      .filter(({id}) => !id.startsWith('autocomplete'))
      .flatMap(({id, flags}) => Object.values(flags).map((flag) => ({id, flag})))
      .filter(({id, flag}) => {
        const env = 'env' in flag ? flag.env : undefined
        return ofOneAction.has(flag.name) || ofOneAction.has(`${id} ${flag.name}`)
          ? env !== undefined
          : env !== `SVC_${flag.name.toUpperCase().replaceAll('-', '_')}`
      })
    expect(wrong.map(({id, flag}) => `${id} --${flag.name}`)).toEqual([])
  })
})

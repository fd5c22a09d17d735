// What somebody does whose journal has grown: exports a month, moves old history to an archive, and goes on paying.
import fs from 'node:fs'
import path from 'node:path'
import {pathToFileURL} from 'node:url'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {inSandbox, listTransactions, payment} from '../../support/payments.ts'
import {type Home, json, root, run, sharedHome} from '../../support/svc.ts'
import {onPty} from '../../support/terminal.ts'

const dayMs = 86_400_000
const today = new Date().toISOString().slice(0, 10)
const tomorrow = new Date(Date.now() + dayMs).toISOString().slice(0, 10)

let home: Home
let folder: string
const inFolder = (name: string) => path.join(folder, name)
const env = () => ({SVC_JOURNAL: inFolder('journal.sqlite')})
const svc = (...args: string[]) => run(home, args, {env: env()})

// The same two days later.
const clock = pathToFileURL(path.join(root, 'scripts/shift-clock.mjs')).href
const later = () => ({...env(), NODE_OPTIONS: `--import=${clock}`, SHIFT_CLOCK_MS: String(2 * dayMs)})
const svcLater = (...args: string[]) => run(home, args, {env: later()})

const prune = (name: string, ...flags: string[]) =>
  ['journal', 'archive', '--before', tomorrow, '--prune', '--out', inFolder(name), ...flags] as const

beforeAll(async () => {
  home = sharedHome()
  folder = fs.mkdtempSync(path.join(home.folder, 'archive-'))
  const {code, err} = await svc(...payment('rent', '12.50'), ...inSandbox, '--yes')
  if (code !== 0) throw new Error(err)
})

afterAll(() => fs.rmSync(home.folder, {recursive: true, force: true}))

describe('svc journal archive', () => {
  it('exports a month, and changes nothing', async () => {
    const {code, out} = await svc(
      'journal',
      'archive',
      '--month',
      today.slice(0, 7),
      '--out',
      inFolder('month'),
      '--json',
    )
    expect(code).toBe(0)
    expect(json(out)).toMatchObject({payments: 1, isPruned: false})
    const lines = fs.readFileSync(inFolder('month'), 'utf8').trimEnd().split('\n')
    expect(json(lines[0] ?? '')).toMatchObject({format: 'svc journal archive 1'})
    expect(json(lines[1] ?? '')).toMatchObject({chain: 0, number: 1, what: 'INTENDED', key: 'rent'})
    expect(json((await svc('journal', 'verify', '--archive', inFolder('month'), '--json')).out)).toMatchObject({
      isIntact: true,
    })
  })

  it('says in a sentence what it does not do', async () => {
    const refuse = async (words: RegExp, ...args: string[]) => {
      const {code, err} = await svc('journal', 'archive', ...args)
      expect(code).toBe(2)
      expect(err).toMatch(words)
    }
    await refuse(/exists/, '--before', today, '--out', inFolder('month'))
    await refuse(/--month or --before/, '--out', inFolder('new'))
    await refuse(/not a day/, '--before', 'monday', '--out', inFolder('new'))
    await refuse(/future/, '--before', tomorrow, '--out', inFolder('new'))
    await refuse(/--yes/, '--before', today, '--prune', '--out', inFolder('new'))
    await refuse(/--before/, '--month', '2026-10', '--prune', '--out', inFolder('new'))
    const early = await svc('journal', 'archive', '--before', today, '--prune', '--yes', '--out', inFolder('new'))
    expect(early).toMatchObject({code: 0, err: expect.stringContaining('nothing was archived')})
    expect(fs.existsSync(inFolder('new'))).toBe(false)
  })

  it('asks with figures before it removes anything', async () => {
    const screen = onPty(home, [...prune('declined.jsonl')], {env: later()})
    await screen.waitFor('of 1 payment')
    screen.type('n\r')
    expect(await screen.ended).toBe(0)
    expect(fs.existsSync(inFolder('declined.jsonl'))).toBe(false)
    expect(json((await svc('journal', 'verify', '--json')).out)['archived']).toBeUndefined()
  })

  it('moves history to an archive, which the other commands read', async () => {
    const {code, out} = await svcLater(...prune('old.jsonl', '--yes', '--json', '--why', 'ticket 4711'))
    expect(code).toBe(0)
    const {entries, digest} = json(out)
    expect(json((await svc('journal', 'verify', '--json')).out)).toMatchObject({
      isIntact: true,
      payments: 1,
      archived: {entries, payments: 1},
    })
    const whole = json((await svc('journal', 'verify', '--archive', inFolder('old.jsonl'), '--json')).out)
    expect(whole).toMatchObject({isIntact: true, payments: 1})
    expect(whole['archived']).toBeUndefined()

    const shown = json((await svc('journal', 'show', 'rent', ...inSandbox, '--json')).out)
    expect(shown).toMatchObject({state: 'CREATED', archives: [{file: 'old.jsonl', digest}]})

    const prove = (...flags: string[]) =>
      svc('journal', 'prove', 'rent', ...inSandbox, '--out', inFolder('rent.json'), ...flags)
    expect(await prove()).toMatchObject({code: 2, err: expect.stringContaining('old.jsonl')})
    expect((await prove('--archive', inFolder('old.jsonl'))).code).toBe(0)
    expect((await svc('journal', 'verify', inFolder('rent.json'))).code).toBe(0)
    expect((await svc('journal', 'head')).code).toBe(0)
  })

  it('forgets no key: what was paid before is not paid again', async () => {
    const before = await listTransactions(home)
    const {code, out} = await svc(...payment('rent', '12.50'), ...inSandbox, '--yes', '--json')
    expect(code).toBe(0)
    expect(json(out)['transactionId']).toBe(before[0]?.['transactionId'])
    expect(await listTransactions(home)).toHaveLength(before.length)
  })

  it('ends with 12 if the archive was changed', async () => {
    const text = fs.readFileSync(inFolder('old.jsonl'), 'utf8')
    fs.writeFileSync(inFolder('changed.jsonl'), text.replace('"key":"rent"', '"key":"food"'))
    const {code, err} = await svc('journal', 'verify', '--archive', inFolder('changed.jsonl'))
    expect(code).toBe(12)
    expect(err).toContain('changed.jsonl')
  })
})

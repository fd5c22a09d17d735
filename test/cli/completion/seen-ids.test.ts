// The ids that a shell completes: those that svc showed in a terminal, and nothing else about them.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {customer, customerId, reply, serve} from '../../support/service.ts'
import {type Home, freshHome, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
import {seeded} from '../../support/transactions.ts'

const getFolder = (home: Home) => path.join(home.env['SVC_CONFIG_DIR'] ?? '', 'state', 'ids')

// A flag that takes such an id.
const flags: Readonly<Record<string, string>> = {
  customers: '--customer',
  accounts: '--from',
  transactions: '--adopt',
}

async function listValues(home: Home, what: string, env: Record<string, string> = {}, ...more: string[]) {
  const words = [...(what === 'transactions' ? ['journal', 'settle'] : ['pay']), ...more, flags[what] ?? '']
  const {out} = await run(home, ['autocomplete', 'complete', '--shell=fish', '--current=', '--', ...words], {env})
  return out
    .split('\n')
    .slice(1, -1)
    .map((line) => line.trim())
}

const show = async (home: Home, args: string[], env: Record<string, string> = {}) =>
  expect(await onTerminal(home, args, {env}).ended).toBe(0)

describe('ids that were shown in a terminal', () => {
  it('are completed, with those of transactions and their accounts', async () => {
    const home = freshHome()
    await show(home, ['customers', 'list', '--all', '-p', 'sandbox'])
    await show(home, ['transactions', 'list', '--customer', seeded.customer, '-p', 'sandbox'])
    expect(await listValues(home, 'customers', {}, '-p', 'sandbox')).toHaveLength(24)
    expect((await listValues(home, 'customers', {}, '-p', 'sandbox'))[0]).toBe(seeded.customer)
    expect(await listValues(home, 'transactions', {}, '-p', 'sandbox')).toContain(seeded.processing)
    expect(await listValues(home, 'accounts', {}, '-p', 'sandbox')).toContain(seeded.wallet)
  })

  it('are stored per profile, for their owner alone, without names or emails', async () => {
    const home = freshHome()
    const service = await serve((_, response) => reply(response, 200, {customers: [customer(1)]}))
    await show(home, ['customers', 'list'], service.env)
    await show(home, ['customers', 'list', '-p', 'sandbox'])
    expect(await listValues(home, 'customers', service.env)).toEqual([customerId(1)])
    expect(await listValues(home, 'customers', {}, '-p', 'sandbox')).not.toContain(customerId(1))
    const files = fs.readdirSync(getFolder(home)).map((name) => path.join(getFolder(home), name))
    expect(files).toHaveLength(2)
    for (const file of files) {
      expect(fs.statSync(file).mode & 0o777).toBe(0o600)
      expect(fs.readFileSync(file, 'utf8')).not.toMatch(/@|Zoë|Customer|name/)
    }
  })

  it('are at most five hundred of a kind, and the newest', async () => {
    const home = freshHome()
    const many = Array.from({length: 700}, (_, index) => customer(index + 1))
    const service = await serve((_, response) => reply(response, 200, {customers: many}))
    await show(home, ['customers', 'list', '--all', '--columns', 'name'], service.env)
    const ids = await listValues(home, 'customers', service.env)
    expect({count: ids.length, first: ids[0]}).toEqual({count: 500, first: customerId(1)})
  })

  it('never have a character that a shell expands', async () => {
    const home = freshHome()
    const evil = ['$(touch pwned)', '`touch pwned`', 'a b c d e f', 'eve@example.com', '-rf-rf-rf-rf']
    const customers = evil.map((id) => customer(1, {customerId: id}))
    const service = await serve((_, response) => reply(response, 200, {customers: [...customers, customer(2)]}))
    await show(home, ['customers', 'list'], service.env)
    expect(await listValues(home, 'customers', service.env)).toEqual([customerId(2)])
    const [file = ''] = fs.readdirSync(getFolder(home))
    fs.writeFileSync(path.join(getFolder(home), file), JSON.stringify({customers: [...evil, customerId(3)]}))
    expect(await listValues(home, 'customers', service.env)).toEqual([customerId(3)])
  })

  it('are not needed: a broken or unwritable file disturbs nothing', async () => {
    const home = freshHome()
    await show(home, ['customers', 'list', '-p', 'sandbox'])
    fs.writeFileSync(path.join(getFolder(home), 'sandbox.json'), '{"customers": 7')
    await show(home, ['customers', 'list', '-p', 'sandbox'])
    expect(await listValues(home, 'customers', {}, '-p', 'sandbox')).toHaveLength(20)
    fs.rmSync(getFolder(home), {recursive: true})
    fs.writeFileSync(getFolder(home), '')
    await show(home, ['customers', 'list', '-p', 'sandbox'])
    expect(await listValues(home, 'customers', {}, '-p', 'sandbox')).toEqual([])
  })
})

describe('ids that a script reads', () => {
  it('are not remembered', async () => {
    const home = freshHome()
    await run(home, ['customers', 'list', '-p', 'sandbox'])
    expect(fs.existsSync(getFolder(home))).toBe(false)
  })
})

// The questions before writes: they say what happens to whom, in no words of HTTP, and are the same in the sandbox as on live.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {made, payroll, rulesIn, sandbox, withPayroll} from '../../commands/rules/payroll.ts'
import {answered, serveRules} from '../../rules/rule-service.ts'
import {freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
import {createQuote} from '../../support/transactions.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'

useVirtualTime()

const requestLine = /\b(GET|POST|PUT|PATCH|DELETE) \//
const effect = 'the rule “Payroll”'

describe('In the sandbox, as on live, a person is asked before', () => {
  it.each([
    ['rules create', [], `Create ${effect}?`],
    ['rules update', ['--amount', '250'], `Change ${effect}?`],
    ['rules delete', [], `Delete ${effect}?`],
    ['rules apply', [], 'Make this change, on the embedded sandbox?'],
  ])('%s %j', async (command, flags, question) => {
    const isNew = command === 'rules create' || command === 'rules apply'
    const {home, rule} = isNew ? {home: freshHome()} : await withPayroll()
    const file = path.join(home.folder, 'rules.json')
    const other = await made(freshHome(), payroll)
    fs.writeFileSync(file, JSON.stringify([{...other, id: undefined}]))
    const words = {'rules create': payroll, 'rules apply': ['-f', file]}[command] ?? [rule?.id ?? '', ...flags]
    const before = await rulesIn(home)
    const screen = onTerminal(home, [...command.split(' '), ...words, ...sandbox], {cols: 120})
    await screen.waitFor(question)
    expect(screen.text()).not.toMatch(requestLine)
    screen.type('n\r')
    expect(await screen.ended).toBe(130)
    expect(await rulesIn(home)).toEqual(before)
  })

  it('transactions create', async () => {
    const home = freshHome()
    const quote = await createQuote(home, '5', 'wallet', 'externalWallet')
    const screen = onTerminal(home, ['transactions', 'create', '--quote', quote, ...sandbox], {cols: 120})
    await screen.waitFor(`Pay what the quote ${quote} says?`)
    expect(screen.text()).not.toMatch(requestLine)
    screen.type('n\r')
    expect(await screen.ended).toBe(130)
  })
})

describe('On live', () => {
  it('the question ends with the service', async () => {
    const service = await serveRules({rules: [answered('rule-1')]})
    const screen = onTerminal(freshHome(), ['rules', 'delete', 'rule-1'], {env: service.env, cols: 200})
    await screen.waitFor(`”, on ${service.url} (the environment, live)?`)
    expect(screen.text()).not.toMatch(requestLine)
    screen.type('n\r')
    expect(await screen.ended).toBe(130)
  })

  it.each([
    [['rules', 'delete', 'rule-1'], 'The deletion of a rule'],
    [['rules', 'update', 'rule-1', '--amount', '7'], 'A change of a rule'],
    [['transactions', 'create', '--quote', 'q'], 'A payment'],
  ])('a script that says no yes is told what needs it: %j', async (args, what) => {
    const service = await serveRules({rules: [answered('rule-1')]})
    const {code, err} = await run(freshHome(), [...args, '--json'], {env: service.env})
    expect(code).toBe(2)
    expect(json(err)['message']).toBe(`${what} on ${service.url} (the environment, live) needs a yes.`)
    expect(service.requests).toEqual([])
  })
})

// The questions before writes: they say what happens to whom, in no words of HTTP, and are the same in the sandbox as on live.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {answered, serveRules} from '../features/rules/rule-service.ts'
import {apply, existing, payout} from '../features/rules/samples.ts'
import {freshHome, json, run} from '../support/svc.ts'
import {onTerminal} from '../support/terminal.ts'
import {useVirtualTime} from '../support/virtual-time.ts'

useVirtualTime()

const requestLine = /\b(GET|POST|PUT|PATCH|DELETE) \//

it('In the sandbox, as on live, a person is asked before rules are applied', async () => {
  const home = freshHome()
  const file = path.join(home.folder, 'rules.json')
  fs.writeFileSync(file, JSON.stringify([payout('Weekly')]))
  const screen = onTerminal(home, ['rules', 'apply', '-f', file, '-p', 'sandbox'], {cols: 120})
  await screen.waitFor('Make this change, on the embedded sandbox?')
  screen.type('n\r')
  expect(await screen.ended).toBe(130)
  expect(await existing(home)).toEqual([])
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

// Opens a command about the only rule of a sandbox.
async function open(verb: string, ...flags: string[]) {
  const home = freshHome()
  await apply(home, [payout('Weekly')])
  const [rule] = await existing(home)
  const screen = onTerminal(home, ['rules', verb, rule?.id ?? '', ...flags, '-p', 'sandbox'], {cols: 200})
  await screen.waitFor('(y/N)')
  return {home, screen}
}

describe('a person', () => {
  it('sees what a rule changes from and to', async () => {
    const {home, screen} = await open('update', '--amount', '7')
    expect(screen.text()).toMatch(/│ Changes +transactionTemplate\.amount\.value from 100\.10 to 7 +│\n/)
    screen.type('y\r')
    expect(await screen.ended).toBe(0)
    expect((await existing(home))[0]?.transactionTemplate.amount).toEqual({type: 'FLAT', value: '7'})
  })

  it('sees the rule that would be deleted, and deletes it with a yes', async () => {
    const {home, screen} = await open('delete')
    for (const shown of [
      'Delete the rule “Weekly”?',
      /│ Fires +by itself, at 09:00, only on Monday /,
      /│ Customer +Zoë Ångström +│\n/,
      /│ To +Prairie Mutual Bank \*{4}\d{4}, USD by ACH +│\n/,
      /│ Amount +100\.10 USDC each time it fires +│\n/,
    ]) {
      expect(screen.text()).toMatch(shown)
    }
    screen.type('y\r')
    expect(await screen.ended).toBe(0)
    expect(await existing(home)).toEqual([])
  })
})

// The questions before writes: they say what happens to whom, in no words of HTTP, and are the same in the sandbox as on live.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {answered, serveRules} from '../../rules/rule-service.ts'
import {existing, payout} from '../../rules/samples.ts'
import {freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'

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

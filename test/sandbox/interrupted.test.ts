// A long advance of the clock: it can be ended at any moment, others are served meanwhile, and
// nothing is left to be done at once.
import fs from 'node:fs'
import path from 'node:path'
import {setTimeout as sleep} from 'node:timers/promises'
import {describe, expect, it} from 'vitest'
import {openSandbox} from '../../src/sandbox/sandbox.ts'
import {createRandom} from '../support/random.ts'
import {startSvc} from '../support/running.ts'
import {seed} from '../support/seed.ts'
import {copySeededSandbox} from '../support/seeded-sandbox.ts'
import {type Home, freshHome, json, spawnSvc} from '../support/svc.ts'
import {call, findAccountEnds, querySql, toRoute, zoe} from './open.ts'

const random = createRandom(seed)

// A rule that fires every minute: ten years of it take minutes.
async function prepare(): Promise<{home: Home; file: string}> {
  const home = freshHome()
  const file = path.join(home.env['SVC_CONFIG_DIR'] ?? '', 'state/sandbox.sqlite')
  fs.mkdirSync(path.dirname(file), {recursive: true, mode: 0o700})
  copySeededSandbox(file)
  const sandbox = openSandbox({file})
  const {wallet, ACH} = findAccountEnds(sandbox)
  const transactionTemplate = {...toRoute(wallet, ACH), amount: {type: 'FLAT', value: '25.00'}}
  const trigger = {type: 'TIME_BASED', cronSchedule: '* * * * *'}
  const body = {name: 'Every minute', customerId: zoe, transactionTemplate, trigger}
  expect((await call(sandbox, 'POST', '/automation-rules', body)).status).toBe(200)
  sandbox.close()
  return {home, file}
}

const countFirings = (file: string) =>
  Number((querySql(file, 'select sum(firedCount) as count from rules') as Array<{count: number}>)[0]?.count)

async function waitForFirings(file: string) {
  while (countFirings(file) === 0) await sleep(10)
}

const moves = {
  advance: ['3650d'],
  freeze: ['--at', '2036-01-01T00:00:00Z'],
}

const ends = {SIGINT: 130, SIGTERM: 143, SIGKILL: null} as const

describe.each(Object.entries(moves))('sandbox clock %s', (name, args) => {
  it.each(Object.entries(ends))('ends at %s, and every command works after it', async (signal, code) => {
    const {home, file} = await prepare()
    const moving = startSvc(home, ['sandbox', 'clock', name, ...args])
    await waitForFirings(file)
    await sleep(random.below(1_000))
    moving.stop(signal as NodeJS.Signals)
    expect((await moving.ended).code).toBe(code)
    // Real time goes on, and the rule fires once a minute.
    const fired = countFirings(file)
    for (const command of ['sandbox status', 'customers list -p sandbox', 'sandbox clock to-next', 'sandbox clock run'])
      expect([command, await spawnSvc(home, command.split(' '))]).toMatchObject([command, {code: 0}])
    expect(countFirings(file) - fired).toBeLessThan(10)
    openSandbox({file}).close()
  })
})

interface Server {
  home: Home
  controlUrl: string
  controlToken: string
}

// Each begins to move the clock, and returns when that has ended.
const movers: Record<string, (server: Server) => Promise<unknown>> = {
  'its own clock moves': ({controlUrl, controlToken}) =>
    fetch(`${controlUrl}/clock/advance`, {
      method: 'POST',
      headers: {authorization: `Bearer ${controlToken}`},
      body: JSON.stringify({duration: '3650d'}),
    }),
  'another process moves the clock': ({home}) => startSvc(home, ['sandbox', 'clock', 'advance', '3650d']).ended,
}

it.each(Object.entries(movers))('a server answers while %s', async (_, move) => {
  const {home, file} = await prepare()
  const server = startSvc(home, ['sandbox', 'start', '--port', '0', '--json'])
  const {url, apiKey} = await server.readReady()
  const status = json((await spawnSvc(home, ['sandbox', 'status', '--json'])).out)
  let isMoving = true
  const ended = move({home, ...(status as Omit<Server, 'home'>)}).finally(() => (isMoving = false))
  ended.catch(() => {})
  await waitForFirings(file)
  for (const method of ['GET', 'POST', 'GET', 'POST', 'POST']) {
    const reply = await fetch(`${url}/customers`, {
      method,
      headers: {authorization: `Bearer ${apiKey}`},
      ...(method === 'POST' && {body: JSON.stringify({customerType: 'INDIVIDUAL', email: 'ines@example.com'})}),
    })
    expect([method, reply.status, isMoving]).toEqual([method, 200, true])
  }
})

// svc rules simulate: on a terminal, in a pipe, as JSON, and rejected; across clock changes, with and without quotes.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import type {Simulation} from '../../../src/rules/simulate/simulate-rule.ts'
import {login, secret} from '../../profiles/logins.ts'
import {customerId, reply, serve} from '../../support/service.ts'
import {type Home, freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'

// A seeded customer of the sandbox who is ACTIVE, with a wallet that holds 2666.50 USDC.
const zoe = '4738020a-a06d-4ef3-bc07-b5cacbf3446c'
const wallet = '64fbd491-4b09-49d5-b40c-8b27facb31a9'
const bank = 'e6086267-7e5a-4a91-b136-a94b38bbbfb8'

const ruleOf = (more: Record<string, unknown> = {}, source = wallet) => ({
  name: 'Payroll',
  customerId: zoe,
  transactionTemplate: {
    source: {sourcePaymentAccountId: source, sourcePaymentMethod: 'SOLANA', sourceCurrency: 'USDC'},
    destination: {destinationPaymentAccountId: bank, destinationPaymentMethod: 'ACH', destinationCurrency: 'USD'},
    amount: {type: 'FLAT', value: '900'},
    developerFee: {developerFeeType: 'SOURCE_CURRENCY', developerFeeAmount: '1'},
  },
  trigger: {type: 'TIME_BASED', cronSchedule: '0 9 * * 1-5'},
  ...more,
})

const sweep = ruleOf({name: 'Sweep', trigger: {type: 'THRESHOLD_BASED', thresholdAmount: '5000'}})

function fileWith(home: Home, content: unknown): string {
  const file = path.join(home.folder, 'rules.json')
  fs.writeFileSync(file, JSON.stringify(content))
  return file
}

async function createdIn(home: Home): Promise<string> {
  const create = ['api', 'POST', '/automation-rules', '-p', 'sandbox', '-f', '-']
  const {out} = await run(home, create, {input: JSON.stringify(ruleOf())})
  return (json(out) as {id: string}).id
}

const simulation = (text: string) => JSON.parse(text) as Simulation
const simulate = (home: Home, args: readonly string[], env: Record<string, string> = {}, input = '') =>
  run(home, ['rules', 'simulate', ...args], {env, input})

describe('svc rules simulate', () => {
  it('shows a rule of the sandbox on a terminal: words, firings, moves and cost', async () => {
    const home = freshHome()
    const args = ['rules', 'simulate', await createdIn(home), '-p', 'sandbox', '--at', '2026-03-26']
    const screen = onTerminal(home, args, {env: {TZ: 'Europe/Berlin'}})
    expect(await screen.ended).toBe(0)
    const text = screen.text()
    expect(text).toMatch(/^RULE +Payroll\n/)
    expect(text).toMatch(/WORDS +Every weekday at 09:00 UTC, moves 900\.00 USDC on SOLANA from\n/)
    expect(text).toMatch(/LOCAL ZONE +Europe\/Berlin\n/)
    expect(text).toContain('Fri 2026-03-27 09:00 UTC   Fri 2026-03-27 10:00 +01:00\n')
    expect(text).toContain('Mon 2026-03-30 09:00 UTC   Mon 2026-03-30 11:00 +02:00\n')
    expect(text).toMatch(/BALANCE +2666\.50 USDC \(now, in the sandbox\)\n/)
    expect(text).toContain('3. too little: 866.50 of 900.00 USDC\n')
    expect(text).toMatch(/RUNS OUT +the 3rd firing, Mon 2026-03-30 09:00 UTC, would find too little\n/)
    expect(text).toMatch(
      /COST +service fee \d+\.\d+ USDC\n +developer fee 1\.00 USDC\n +rate \S+\n +arrives about \S+ USD \(not guaranteed\)\n/,
    )
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([])
  })

  it('in a pipe shows a file without a profile, across a change to daylight saving time', async () => {
    const home = freshHome()
    const args = ['-f', fileWith(home, ruleOf()), '--at', '2026-03-06', '--count', '2']
    const {code, out, err} = await simulate(home, args, {TZ: 'America/New_York'})
    expect({code, err}).toEqual({code: 0, err: ''})
    expect(out).toContain(
      [
        'FIRINGS     Fri 2026-03-06 09:00 UTC   Fri 2026-03-06 04:00 -05:00',
        '            Mon 2026-03-09 09:00 UTC   Mon 2026-03-09 05:00 -04:00\n',
      ].join('\n'),
    )
    expect(out).toMatch(/NOTES +Whether there is enough, and what it would cost, depends on the\n/)
    expect(out).not.toContain('COST')
  })

  it.each([
    [
      'Europe/Berlin',
      '2026-10-24',
      ['2026-10-24T02:30:00+02:00', '2026-10-25T02:30:00+02:00', '2026-10-26T01:30:00+01:00'],
    ],
    [
      'America/New_York',
      '2026-10-31',
      ['2026-10-30T20:30:00-04:00', '2026-10-31T20:30:00-04:00', '2026-11-01T19:30:00-05:00'],
    ],
    [
      'Asia/Kolkata',
      '2026-10-24',
      ['2026-10-24T06:00:00+05:30', '2026-10-25T06:00:00+05:30', '2026-10-26T06:00:00+05:30'],
    ],
  ])('fires at the same time in UTC across clock changes in %s', async (TZ, at, local) => {
    const home = freshHome()
    const daily = ruleOf({trigger: {type: 'TIME_BASED', cronSchedule: '30 0 * * *'}})
    const {out} = await simulate(home, ['-f', '-', '--at', at, '--count', '3', '--json'], {TZ}, JSON.stringify(daily))
    const {firings, timeZone} = simulation(out)
    expect(firings.map((firing) => firing.local)).toEqual(local)
    expect(firings.every(({utc}) => utc.endsWith('T00:30:00Z'))).toBe(true)
    expect(timeZone).toMatch(TZ === 'Asia/Kolkata' ? /^Asia\/(Kolkata|Calcutta)$/ : TZ)
  })

  it('as JSON is one object, by the sandbox’s own clock and balance, with the service’s own quote', async () => {
    const home = freshHome()
    await run(home, ['sandbox', 'clock', 'freeze', '--at', '2030-01-04T10:00:00Z'])
    const id = await createdIn(home)
    const {code, out, err} = await simulate(home, [id, '-p', 'sandbox', '--count', '1', '--json'], {TZ: 'UTC'})
    expect({code, err}).toEqual({code: 0, err: ''})
    const {quote, ...rest} = simulation(out)
    expect(rest).toEqual({
      rule: {id, ...ruleOf()},
      words: `Every weekday at 09:00 UTC, moves 900.00 USDC on SOLANA from wallet ${wallet} to bank account ${bank}, arriving as USD by ACH; developer fee 1.00 USDC.`,
      after: '2030-01-04T10:00:00Z',
      timeZone: 'UTC',
      firings: [{utc: '2030-01-07T09:00:00Z', local: '2030-01-07T09:00:00+00:00', weekday: 'Monday'}],
      balance: expect.objectContaining({from: 'sandbox'}) as unknown,
      moves: [expect.objectContaining({firing: 1, amount: '900.00'}) as unknown],
      runsOut: expect.objectContaining({utc: expect.any(String) as unknown}) as unknown,
      notes: [],
    })
    expect(quote).toMatchObject({quoteId: expect.any(String) as unknown, fees: {developerFee: {feeAmount: '1.00'}}})
  })

  it('simulates a rule that svc would warn about before it is sent', async () => {
    const home = freshHome()
    const monthly = {...ruleOf(), trigger: {type: 'TIME_BASED', cronSchedule: '0 9 L * *'}}
    const {transactionTemplate} = ruleOf()
    const idle = {...ruleOf(), transactionTemplate: {...transactionTemplate, amount: {type: 'PCT', value: '0'}}}
    for (const rule of [monthly, idle]) {
      const {code, out} = await simulate(home, [
        '-f',
        fileWith(home, rule),
        '--at',
        '2026-03-06',
        '--count',
        '1',
        '--json',
      ])
      expect(code).toBe(0)
      expect(simulation(out)['firings']).toHaveLength(1)
    }
  })

  it('simulates all rules of a file, or the one with the given name', async () => {
    const home = freshHome()
    const file = fileWith(home, {rules: [ruleOf(), sweep]})
    const [all, one, table] = await Promise.all([
      simulate(home, ['-f', file, '-p', 'sandbox', '--no-quote', '--json']),
      simulate(home, ['-f', file, '--name', 'Sweep', '--balance', '4000', '--json']),
      simulate(home, ['-f', file]),
    ])
    const {simulations} = json(all.out) as {simulations: Simulation[]}
    expect(simulations.map(({rule}) => rule.name)).toEqual(['Payroll', 'Sweep'])
    expect(simulations[0]?.notes).toContain('Other rules here use the same wallet; each is simulated by itself')
    expect(simulation(one.out)).toMatchObject({
      rule: {name: 'Sweep'},
      threshold: {amount: '5000.00', reached: false, missing: '1000.00'},
    })
    expect(table.out).toMatch(
      /^RULE +NEXT FIRING +THRESHOLD +NEXT MOVE\nPayroll +\w{3} \d{4}-\d\d-\d\d 09:00 UTC\nSweep +5000\.00 USDC\n$/,
    )
    expect(table.err).toBe('Use --name NAME to show all details of one rule.\n')
  })

  it('accepts the output of `rules get --json`, from standard input', async () => {
    const home = freshHome()
    const {out: shown} = await run(home, ['api', 'GET', `/automation-rules/${await createdIn(home)}`, '-p', 'sandbox'])
    const {code, out} = await simulate(home, ['-f', '-', '--balance', '1', '--json'], {}, shown)
    expect(code).toBe(0)
    expect(simulation(out).moves[0]?.refused).toBe('too little: 1.00 of 900.00 USDC')
  })
})

describe('the balances of svc rules simulate', () => {
  const both = {rules: [ruleOf({}, 'W1'), {...sweep, ...ruleOf({name: 'Other'}, 'W2')}]}

  it('may be given for each wallet', async () => {
    const home = freshHome()
    const balances = ['--balance', 'W1=1000', '--balance', 'W2=5']
    const {out} = await simulate(home, ['-f', fileWith(home, both), ...balances, '--json'])
    const {simulations} = json(out) as {simulations: Simulation[]}
    expect(simulations.map(({moves}) => moves[0]?.balanceAfter)).toEqual(['100.00', undefined])
  })

  it.each([
    [['1000'], 'The rules use several wallets. Write --balance ACCOUNT=AMOUNT for each of W1, W2.'],
    [['W3=1'], 'No rule here uses W3, for which --balance is given. They use W1, W2.'],
    [['W1=1', 'W1=2'], '--balance is given twice for W1. Give it once; nothing was sent.'],
    [
      ['much'],
      '--balance "much" is neither an amount nor ACCOUNT=AMOUNT. Write --balance 1500, or --balance ACCOUNT=1500 for each of several wallets; nothing was sent.',
    ],
  ])('are rejected as %j', async (balances, sentence) => {
    const home = freshHome()
    const flags = balances.flatMap((balance) => ['--balance', balance])
    const {code, out, err} = await simulate(home, ['-f', fileWith(home, both), ...flags])
    expect({code, out, err}).toEqual({code: 2, out: '', err: `svc: ${sentence}\n`})
  })
})

describe('the cost in svc rules simulate', () => {
  const quote = {
    quoteId: 'q/1',
    expiresAt: '2026-11-15T09:05:00Z',
    estimatedExchangeRate: '0.99',
    destinationAmount: '12',
    fees: {feeCurrency: {label: 'USDC'}, svcFee: {feeAmount: '1', feeUSDAmount: '1'}, developerFee: null},
  }
  const answering = (status: number, body: unknown) =>
    serve(({method, path: at}, response) => {
      if (method === 'POST') return reply(response, status, body)
      reply(response, 200, at === '/customers' ? {customers: []} : {id: 'r=1', ...ruleOf()})
    })

  it('is a quote for the first move, and nothing else is written', async () => {
    const service = await answering(200, quote)
    const {code, out} = await simulate(freshHome(), ['r=1', '--balance', '1000'], service.env)
    expect(code).toBe(0)
    expect(out).toMatch(
      /COST +service fee 1 USDC\n +developer fee USDC\n +rate 0\.99\n +arrives about 12 USD \(not guaranteed\)\n/,
    )
    expect(service.requests.map(({method, path: at}) => `${method} ${at}`)).toEqual([
      'GET /automation-rules/r%3D1',
      'POST /quotes',
    ])
    const {transactionTemplate: template} = ruleOf()
    expect(json(service.requests[1]?.body ?? '')).toEqual({
      customerId: zoe,
      source: {...template.source, sourceAmount: '900.00'},
      destination: template.destination,
      developerFee: template.developerFee,
    })
  })

  it.each([
    [400, {error: 'BAD_REQUEST', message: 'the customer is not ACTIVE'}, 'the customer is not ACTIVE'],
    [503, {}, 'may or may not have happened'],
  ])('is missing after status %i, with the reason, and the simulation still succeeds', async (status, body, reason) => {
    const service = await answering(status, body)
    const {code, out} = await simulate(freshHome(), ['r=1', '--balance', '1000', '--json'], service.env)
    expect(code).toBe(0)
    expect(simulation(out).noQuote).toContain(reason)
    expect(simulation(out)).not.toHaveProperty('quote')
  })

  it('exits with 4 if the credential is rejected', async () => {
    const service = await answering(401, {error: 'UNAUTHORIZED', message: 'expired'})
    const {code, out} = await simulate(freshHome(), ['r=1', '--balance', '1000', '--json'], service.env)
    expect({code, out}).toEqual({code: 4, out: ''})
  })

  it('is not requested if nothing would move, or with --no-quote', async () => {
    const service = await answering(200, quote)
    const home = freshHome()
    await simulate(home, ['r=1', '--balance', '1'], service.env)
    await simulate(home, ['r=1', '--balance', '1000', '--no-quote'], service.env)
    expect(service.requests.map(({method}) => method)).toEqual(['GET', 'GET'])
  })

  it('is not requested by a read-only profile, and the simulation still succeeds', async () => {
    const service = await answering(200, quote)
    const home = freshHome()
    await login(home, 'acme', service.url, secret, '--read-only')
    const {code, out} = await simulate(home, ['r=1', '-p', 'acme', '--balance', '1000', '--json'])
    expect(code).toBe(0)
    expect(simulation(out).noQuote).toBe('Requesting one is a write, and profile "acme" is read-only')
    expect(service.requests.some(({method}) => method === 'POST')).toBe(false)
  })
})

describe('svc rules simulate rejects', () => {
  it('an invalid schedule in a file, before anything is sent', async () => {
    const service = await serve((_, response) => reply(response, 200, {}))
    const home = freshHome()
    const file = fileWith(home, ruleOf({trigger: {type: 'TIME_BASED', cronSchedule: '0 25 * * *'}}))
    const {code, out, err} = await simulate(home, ['-f', file, '--balance', '1000'], service.env)
    expect({code, out}).toEqual({code: 2, out: ''})
    expect(err).toContain('trigger.cronSchedule has "25" for the hour, which is 0 to 23')
    expect(service.requests).toEqual([])
  })

  it.each([
    [[], 'Missing ID or --file.'],
    [['r1', '-f', '-'], 'ID and --file are both given.'],
    [['-f', '-', '--name', 'Pay'], 'There is no rule named "Pay" in the file. It has "Payroll".'],
    [['r1', '--at', '2026-02-30'], '--at "2026-02-30" is not a time.'],
    [['r1', '--at', '2026-02-20T10:00'], '--at "2026-02-20T10:00" is not a time.'],
    [['r1', '--count', '101'], '--count "101" is not a whole number from 1 to 100.'],
  ])('%j with 2', async (args, sentence) => {
    const {code, out, err} = await simulate(freshHome(), args, {}, JSON.stringify(ruleOf()))
    expect({code, out}).toEqual({code: 2, out: ''})
    expect(err).toContain(sentence)
  })

  it('an unknown id with 5, and an id without a profile with 4', async () => {
    const home = freshHome()
    const [missing, withoutProfile] = await Promise.all([
      simulate(home, ['rule_none', '-p', 'sandbox', '--json']),
      simulate(freshHome(), ['rule_none']),
    ])
    expect({code: missing.code, out: missing.out}).toEqual({code: 5, out: ''})
    expect(json(missing.err)).toMatchObject({error: 'NOT_FOUND', exitCode: 5})
    expect(withoutProfile.code).toBe(4)
  })
})

describe('svc rules simulate with incomplete or extended rules', () => {
  it.each([
    ['nearly nothing', {id: 'r1'}],
    ['nulls', {id: 'r1', name: null, customerId: customerId(1), transactionTemplate: null, trigger: null}],
    ['an unknown trigger', {...ruleOf(), id: 'r1', trigger: {type: 'MOON_BASED', phase: 'full'}}],
    ['amounts as numbers', {...ruleOf(), id: 'r1', trigger: {type: 'THRESHOLD_BASED', thresholdAmount: 12.5}}],
  ])('shows a rule with %s', async (_, rule) => {
    const service = await serve((_request, response) => reply(response, 200, rule))
    const {code, out} = await simulate(freshHome(), ['r1', '--balance', '10', '--no-quote'], service.env)
    expect(code).toBe(0)
    expect(out).toMatch(/WORDS +\S/)
    expect(out).not.toMatch(/undefined|NaN|\[object/)
  })
})

// The rules of paying by commands as a table: runs one after the other, with what each ends with, and how many transactions there are
// in the end. They hold for `svc pay` and for a row of `svc payouts run` alike, unless a rule is about flags of one of them.
import {describe, expect, it} from 'vitest'
import {type Host, briefly, createHost, createRows, readJournal, runPayouts} from '../features/security/attack.ts'
import {inSandbox, pay as payInSandbox, payment} from '../support/payments.ts'
import {type PaymentService, makeTwice, refusal, servePayments} from '../support/scripted-service.ts'
import type {Behaviour, Body} from '../support/scripted/behaviour.ts'
import {type RunResult, freshHome, json, run, setUp} from '../support/svc.ts'
import {onTerminal} from '../support/terminal.ts'
import {seeded} from '../support/transactions.ts'
import {useVirtualTime} from '../support/virtual-time.ts'

useVirtualTime()

interface Step {
  // What happens at the service before it.
  first?: (service: PaymentService) => unknown
  key?: string
  amount?: string
  // What is to arrive, in place of an amount.
  receive?: string
  flags?: string[]
  env?: (service: PaymentService) => Record<string, string>
  // The number of the host; each has a journal of its own.
  host?: number
  code?: number
  error?: string
  says?: string | RegExp
  // Whether it names the first transaction.
  shows?: true
  // It asks the service nothing.
  isSilent?: true
}

interface Rule {
  // It is about what only `svc pay` has: a sum that is to arrive, or a slot in the key.
  only?: 'pay'
  service?: Partial<Behaviour>
  env?: Record<string, string>
  steps: Step[]
  made: number
  quotes?: number
}

const toOtherName = (url: string) => url.replace('127.0.0.1', 'localhost')
const atOtherName = ({url}: PaymentService) => ({SVC_BASE_URL: toOtherName(url)})
const atSameService = ({url}: PaymentService) => ({SVC_BASE_URL: toOtherName(url), SVC_SERVICE: url})
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
const reject = refusal(400, 'BAD_REQUEST', 'The destination is closed')
const setRate = (rate: string) => (service: PaymentService) => void (service.behaviour.rate = rate)
const complete = ({transactions}: PaymentService) =>
  transactions.forEach((transaction) => (transaction['transactionStatus'] = 'COMPLETED'))

const loseTransactions = ({behaviour, transactions}: PaymentService) =>
  (behaviour.lostIds = new Set(transactions.map(({transactionId}) => String(transactionId))))

const madeBefore = /was made before|"madeBefore": true/
const key = 'rent-{date}'
const berlin = (day: string): Step => ({key, flags: ['--slot', day, '--slot-zone', 'europe/berlin']})
const clockDiffers = (says: RegExp): Step => ({key, code: 10, error: 'CLOCK_DIFFERS', says})
const ahead: Step = {key, code: 10, error: 'SLOT_AHEAD'}
const window = {SVC_DUPLICATE_WINDOW: '3d'}
const duplicate: Step = {key: 'again', code: 10, error: 'POSSIBLE_DUPLICATE'}
const unheard: Step = {
  flags: briefly,
  code: 7,
  first: (service) => service.script({at: 'POST /transactions', acts: 'never', reply: 'reset', times: 9}),
}
const keepIds = ({transactionId, quoteId}: Body): Body => ({transactionId, quoteId})
const otherPlace: Step = {env: atOtherName, code: 2, error: 'KEY_AT_OTHER_SERVICE'}
const priced = {rate: '0.9', svcFee: '1.50'}
const invoice: Step = {receive: '230.00'}

const endedAs = (ending: string): Step => ({
  code: 11,
  error: `TRANSACTION_${ending}`,
  says: /another key|a new key/,
  shows: true,
})
const ended = (ending: string, status: string): Rule => ({
  service: {status},
  steps: [endedAs(ending), {...endedAs(ending), flags: ['--wait']}, endedAs(ending)],
  made: 1,
})

const rules: Record<string, Rule> = {
  'a slot is a day of its zone, and is paid once, also if it was missed': {
    only: 'pay',
    steps: [berlin('2026-03-29'), berlin('2026-03-28'), berlin('2026-03-29')],
    made: 2,
  },
  'a clock that is behind stops a slot that it chose, before anything is sent': {
    only: 'pay',
    service: {dateSkewMs: 130_000},
    steps: [clockDiffers(/is 2 min( \d+ s)? behind/), {...clockDiffers(/is 2 min/), flags: ['--dry-run']}],
    made: 0,
    // Of the dry run, which shows the price.
    quotes: 1,
  },
  'a clock that is ahead does': {
    only: 'pay',
    service: {dateSkewMs: -3_600_000},
    steps: [clockDiffers(/is 1 h( \d+ s)? ahead of/)],
    made: 0,
    quotes: 0,
  },
  'a clock does not matter below two minutes, with --slot, without a slot, or without a Date': {
    only: 'pay',
    service: {dateSkewMs: 110_000},
    steps: [
      {key},
      {key, flags: ['--slot', '2026-11-01'], first: ({behaviour}) => (behaviour.dateSkewMs = 200_000)},
      {},
      {key: 'wage-{date}', first: ({behaviour}) => (behaviour.hasDate = false)},
    ],
    made: 4,
  },
  'a wrong clock is reported for a slot that was made before, since it may not be the present one': {
    only: 'pay',
    steps: [
      {key},
      {
        ...clockDiffers(/is 23 h 59 min behind/),
        shows: true,
        first: ({behaviour}) => (behaviour.dateSkewMs = 86_400_000),
      },
    ],
    made: 1,
  },
  'a slot that has not come is refused': {
    only: 'pay',
    steps: [
      {...ahead, flags: ['--slot', inDays(37)]},
      {...ahead, flags: ['--slot', inDays(37), '--dry-run']},
    ],
    made: 0,
    quotes: 0,
  },
  'the present slot has come': {
    only: 'pay',
    steps: [
      {key, flags: ['--slot', inDays(0)]},
      {key: 'wage-{month}', flags: ['--slot', inDays(0).slice(0, 7)]},
    ],
    made: 2,
  },

  'a key at another address stops before anything is sent, until it is stated to be the same service': {
    steps: [
      {},
      {
        ...otherPlace,
        says: /at \S+ \(CREATED\), which may be the same service as http:\/\/localhost:\d+.*SVC_SERVICE=/,
      },
      {...otherPlace, amount: '10.00', flags: ['--dry-run']},
      {env: atSameService, says: madeBefore, shows: true},
    ],
    made: 1,
    quotes: 1,
  },
  'a key that may have been paid at another address stops as well': {
    steps: [unheard, {...otherPlace, isSilent: true}],
    made: 0,
  },
  'a key at another address is paid if it has other content, or nothing was made there': {
    steps: [
      {},
      {env: atOtherName, amount: '11'},
      {key: 'food', code: 3, first: (service) => service.script({acts: 'never', reply: reject})},
      {key: 'food', env: atOtherName},
      // Now it was made under the other id.
      {key: 'food', code: 2, error: 'KEY_AT_OTHER_SERVICE'},
    ],
    made: 3,
  },

  'a reply that lacks fields is told, and shown': {
    steps: [{first: (service) => (service.alter = keepIds), says: 'breaks the interface: customerId is', shows: true}],
    made: 1,
  },
  'other content of a key that was made is refused, and the same amount in another spelling is the same payment': {
    steps: [
      {},
      {amount: '12', isSilent: true, code: 2, says: 'with other content, which was made'},
      {amount: '10.00', shows: true},
    ],
    made: 1,
  },
  'other content of a key that may have been made is refused before anything is asked': {
    steps: [unheard, {amount: '12', isSilent: true, code: 2, says: 'other content'}],
    made: 0,
  },
  'other content of a key under which nothing was made is paid, and the change is told': {
    steps: [
      {code: 3, error: 'BAD_REQUEST', first: (service) => service.script({acts: 'never', reply: reject})},
      {amount: '12', says: 'amount 10 USDC → 12 USDC'},
    ],
    made: 1,
  },
  'what another host has made is adopted, and refused with other content': {
    steps: [
      {},
      {host: 1, amount: '10.00', shows: true},
      {host: 2, amount: '777', code: 2, says: 'with other content, which was made'},
      {host: 2, amount: '777', code: 2},
    ],
    made: 1,
  },
  'what the service does not list any more is unknown, once its list should have it': {
    steps: [
      {},
      {first: loseTransactions, shows: true},
      {
        first: ({clock}) => clock.advance(7 * 60_000),
        code: 7,
        error: 'TRANSACTION_MISSING',
        says: 'does not list it any more',
      },
    ],
    made: 1,
  },
  'what the service has made twice is unknown, until a person decides': {
    service: {keys: 'ignored', quotes: 'many'},
    steps: [{}, {first: makeTwice, code: 7, error: 'SEVERAL_TRANSACTIONS'}],
    made: 2,
  },

  'a possible duplicate stops a script and a dry run, and names the other payment, unless it is allowed': {
    env: window,
    steps: [
      {amount: '10.00'},
      {
        ...duplicate,
        says: new RegExp(`10\\.00 USDC to .*${seeded.externalWallet}.* under the key rent, made at \\d{4}-`),
      },
      {...duplicate, flags: ['--dry-run']},
      {key: 'again', flags: ['--dry-run', '--allow-duplicates']},
      {key: 'again', flags: ['--allow-duplicates']},
    ],
    made: 2,
  },
  'what has failed at the service meanwhile is no duplicate': {
    only: 'pay',
    service: {laterStatus: {status: 'failed', afterReads: 1}},
    env: window,
    // It is read by the dry run.
    steps: [{}, {code: 0}, {key: 'again', flags: ['--dry-run']}],
    made: 1,
  },
  'another amount, and another slot of the same template, is no duplicate': {
    only: 'pay',
    env: window,
    steps: [
      {},
      {key: 'more', amount: '10.01'},
      {...berlin('2026-03-28'), amount: '11'},
      {...berlin('2026-03-29'), amount: '11'},
      {...duplicate, amount: '11.00'},
    ],
    made: 4,
  },
  'a payment whose key was first written out is that of its slot once it is paid by its template': {
    only: 'pay',
    env: window,
    steps: [
      {key: 'rent-2026-03-28', code: 3, first: (service) => service.script({acts: 'never', reply: reject})},
      berlin('2026-03-28'),
      berlin('2026-03-29'),
    ],
    made: 2,
  },
  'what may have been made is a duplicate for others, and is settled itself': {
    only: 'pay',
    env: window,
    steps: [
      {},
      {...unheard, key: 'wage', flags: [...briefly, '--allow-duplicates']},
      {...duplicate, says: 'under the key wage, maybe made at'},
      {key: 'wage', flags: ['--dry-run'], says: 'a run would settle it first'},
    ],
    made: 1,
  },
  'duplicates are not looked for without a profile': {steps: [{}, {key: 'again'}], made: 2},

  'a reply that says FAILED ends with 11, now and on every further run': ended('FAILED', 'FAILED'),
  'a reply that says CANCELLED does': ended('CANCELLED', 'cancelled'),
  'a reply that says EXPIRED does': ended('EXPIRED', 'Expired'),
  'a transaction that fails later ends with 11 from then on, whatever the list shows': {
    service: {laterStatus: {status: 'FAILED', afterReads: 1}},
    steps: [
      {},
      {},
      {code: 11},
      {code: 11, first: ({behaviour}) => (behaviour.listLagMs = 60_000)},
      {
        ...endedAs('FAILED'),
        first: (service) => service.script({at: 'GET /transactions', times: 9, reply: refusal(403, 'FORBIDDEN', 'No')}),
      },
    ],
    made: 1,
  },
  'a transaction that fails during --wait ends with 11': {
    service: {laterStatus: {status: 'failed', afterReads: 1}},
    steps: [{code: 11, flags: ['--wait'], says: /another key|a new key/}],
    made: 1,
  },
  'a transaction that was completed after all ends with 0': {
    service: {status: 'EXPIRED'},
    steps: [{code: 11}, {first: complete}],
    made: 1,
  },
  ...Object.fromEntries(
    ['AWAITING_TRANSFER', 'PROCESSING', 'COMPLETED', 'SOMETHING_NEW'].map((status) => [
      `${status} is no bad end`,
      {service: {status}, steps: [{}], made: 1},
    ]),
  ),

  'what is to arrive keeps its key: run again it asks for no quote, and another sum or an amount is another payment': {
    only: 'pay',
    service: priced,
    steps: [
      {...invoice, says: 'To send: 257.055556 USDC. Arrives: 230 USDC, guaranteed.'},
      {receive: '230', first: setRate('0.5'), says: madeBefore, shows: true},
      {receive: '231.00', code: 2, error: 'KEY_USED', says: 'receive 230 USDC → 231 USDC'},
      {amount: '257.055556', code: 2, error: 'KEY_USED'},
    ],
    made: 1,
    quotes: 2,
  },
  'what is to arrive and was sent, with the answer lost, is settled with the amount that was sent': {
    only: 'pay',
    service: {...priced, listLagMs: 60_000},
    steps: [
      {...invoice, flags: briefly, code: 7, first: (service) => service.script({reply: 'reset'})},
      {...invoice, first: (service) => (service.clock.advance(90_000), setRate('0.5')(service)), shows: true},
    ],
    made: 1,
    quotes: 2,
  },
  'what is to arrive is a possible duplicate, also if another amount brings it by now': {
    only: 'pay',
    service: priced,
    env: window,
    steps: [invoice, {...duplicate, ...invoice, first: setRate('0.89')}],
    made: 1,
  },
  'what is to arrive and another host has paid is adopted, whatever its price was, and only if it is the same sum': {
    only: 'pay',
    service: priced,
    steps: [
      invoice,
      {...invoice, host: 1, first: setRate('0.89'), says: "was found in the service's list and adopted", shows: true},
      {receive: '777', host: 2, code: 2},
    ],
    made: 1,
  },
  'a transaction that completes during --wait ends with 0': {
    service: {laterStatus: {status: 'COMPLETED', afterReads: 1}},
    steps: [{flags: ['--wait'], says: 'COMPLETED', shows: true}],
    made: 1,
  },
  'a transaction that has not ended when --timeout is up ends with 8, and is made': {
    service: {status: 'PROCESSING'},
    steps: [{flags: ['--wait', '--timeout', '1s'], code: 8, shows: true}, {}],
    made: 1,
  },
  'nothing is sent below --min-rate and --min-received, or above a share of --max-fee, and the key can be tried again':
    {
      only: 'pay',
      service: priced,
      steps: [
        {flags: ['--min-rate', '0.95'], code: 10, error: 'LIMIT_REACHED', says: 'at least 0.95 is required'},
        {flags: ['--min-received', '10'], code: 10, says: 'at least 10 USDC is required'},
        {
          flags: ['--max-fee', '0.1%'],
          code: 10,
          says: /fees are 1\.50? USDC, but at most 0\.01 USDC \(0\.1%\) is allowed/,
        },
        {flags: ['--min-rate', '0.9', '--max-fee', '20%']},
      ],
      made: 1,
    },
  'nothing is sent beyond --max-send or --max-fee, and nothing stays armed': {
    only: 'pay',
    service: priced,
    steps: [
      {...invoice, flags: ['--max-send', '250'], code: 10, says: 'at most 250 USDC may be sent'},
      {...invoice, flags: ['--max-fee', '1'], code: 10, says: 'at most 1 USDC is allowed'},
      invoice,
    ],
    made: 1,
  },
}

const lastLine = (text: string) => text.trimEnd().split('\n').at(-1) ?? ''

const payStep = ({home, env}: Host, service: PaymentService, step: Step) => {
  const {amount = '10', receive, flags = []} = step
  const words = payment(step.key ?? 'rent', amount)
  if (receive !== undefined) words.splice(words.indexOf('--amount'), 2, '--receive', receive)
  return run(home, [...words, '--yes', '--json', ...flags], {env: {...env, ...step.env?.(service)}})
}

const payRow = ({home, env}: Host, service: PaymentService, step: Step) => {
  const rows = createRows(1, {key: step.key ?? 'rent', amount: step.amount ?? '10'})
  return runPayouts({home, env: {...env, ...step.env?.(service)}}, rows, '--json', ...(step.flags ?? []))
}

// Where rows end badly, a file ends with 9, as it does where they are refused.
const drivers = {
  pay: {pay: payStep, badEnd: 11},
  'payouts run': {pay: payRow, badEnd: 9},
}

// What is told of the only row of a file.
const readRow = ({out}: RunResult) => {
  const [row] = (out === '' ? [] : (json(out)['payouts'] ?? [])) as Array<{
    state: string
    transaction?: string
    error?: Body
  }>
  return row && {state: row.state, transaction: row.transaction, error: row.error?.['error']}
}

const statusCodes: Readonly<Record<string, number>> = {CREATED: 0, UNKNOWN: 7, IN_PROGRESS: 8, NOT_TRIED: 8}

// `svc payouts status` says of a row what the run that paid it has said, or why a run refuses it.
async function compareStatus({home, env}: Host, service: PaymentService, step: Step, ran: RunResult) {
  const args = ['payouts', 'status', 'payroll.csv', '--rows', '--json']
  const status = await run(home, args, {env: {...env, ...step.env?.(service)}})
  const told = readRow(status)
  if (step.error === 'KEY_USED') expect(told).toMatchObject({error: 'KEY_USED'})
  else expect(told).toEqual(readRow(ran))
  expect(status.code).toBe(statusCodes[told?.state ?? ''] ?? 9)
}

// The transaction and the code of the error that are told, by the receipt of one payment or by the only row.
function readTold({out, err, code}: RunResult) {
  const printed = out === '' ? {} : json(out)
  const [row] = (printed['payouts'] ?? []) as Array<Record<string, unknown>>
  const {error} = code === 0 ? {} : ((row?.['error'] as {error: string} | undefined) ?? json(lastLine(err)))
  return {id: row ? row['transaction'] : printed['transactionId'], error}
}

describe.each(Object.entries(drivers))('by svc %s', (name, {pay, badEnd}) => {
  const own = Object.entries(rules).filter(([, {only = name}]) => only === name)

  it.each(own)('%s', async (_, {service: behaviour = {}, env, steps, made, quotes}) => {
    const service = await servePayments(behaviour)
    const hosts = [0, 1, 2].map(() => createHost(service, env))
    for (const [number, step] of steps.entries()) {
      await step.first?.(service)
      const {length: asked} = service.requests
      const result = await pay(hosts[step.host ?? 0] as Host, service, step)
      const {code, out, err} = result
      expect([number, code, err]).toEqual([number, step.code === 11 ? badEnd : (step.code ?? 0), err])
      const {id, error} = readTold(result)
      if (step.error !== undefined) expect(error).toBe(step.error)
      expect(out + err).toMatch(step.says ?? '')
      if (step.isSilent) expect(service.requests).toHaveLength(asked)
      const firstId = service.transactions[0]?.['transactionId']
      const isLast = number === steps.length - 1 && !step.flags?.includes('--dry-run')
      if (isLast && name === 'payouts run' && (id !== undefined || step.error === 'KEY_USED')) {
        await compareStatus(hosts[step.host ?? 0] as Host, service, step, result)
      }
      if (step.shows) expect(id).toBe(firstId)
      else if (step.code && step.code !== 11 && step.code !== 7 && !step.flags) expect(id).toBeUndefined()
    }
    expect(service.transactions).toHaveLength(made)
    if (quotes !== undefined) expect(service.requestsTo('POST /quotes')).toHaveLength(quotes)
  })
})

it('the journal notes once how a transaction ended, and keeps the template and the slot of a key', async () => {
  const service = await servePayments({laterStatus: {status: 'FAILED', afterReads: 1}})
  const host = createHost(service)
  for (let again = 0; again < 4; again++) await payStep(host, service, berlin('2026-03-29'))
  const entry = await readJournal(host, 'rent-2026-03-29')
  expect(entry).toMatchObject({ended: 'FAILED', template: 'rent-{date}', slot: '2026-03-29'})
  const what = (entry['history'] as Array<{what: string}>).map((line) => line.what)
  expect(what).toEqual(['INTENDED', 'QUOTED', 'ARMED', 'CREATED', 'ENDED'])
})

describe('a key at another address', () => {
  it('is stopped before its first byte if another process has paid it there meanwhile', async () => {
    const service = await servePayments()
    const host = createHost(service)
    const {promise: paid, resolve: release} = Promise.withResolvers<void>()
    const quote = service.script({at: 'POST /quotes', before: paid})
    const slow = payStep(host, service, {})
    await quote.reached
    expect((await payStep(host, service, {env: atOtherName})).code).toBe(0)
    release()
    expect(await slow).toMatchObject({code: 2, err: expect.stringContaining(toOtherName(service.url)) as string})
    expect(service.transactions).toHaveLength(1)
  })

  it('stops a transaction from a quote as well', async () => {
    const service = await servePayments({quotes: 'many', keys: 'per-body'})
    const {home, env} = createHost(service)
    const [, ...route] = payment('k', '10').slice(0, -2)
    const {out} = await run(home, ['quotes', 'create', ...route, '--json'], {env})
    const args = ['transactions', 'create', '--quote', String(json(out)['quoteId']), '--yes']
    const codes: Array<number | null> = []
    for (const more of [{}, atOtherName(service), atSameService(service)]) {
      codes.push((await run(home, args, {env: {...env, ...more}})).code)
    }
    expect(codes).toEqual([0, 2, 0])
    expect(service.transactions).toHaveLength(1)
  })
})

it('a person is asked about a possible duplicate with the price, and nothing is sent without a yes', async () => {
  const service = await servePayments()
  const host = createHost(service, window)
  await payStep(host, service, {})
  const start = async () => {
    const screen = onTerminal(host.home, payment('wage', '10'), {cols: 300, env: host.env})
    await screen.waitFor(/Pay this once more on \S+ \(the environment, live\), as wage\?/)
    expect(screen.text()).toContain('Possible duplicate: there is already 10 USDC')
    return screen
  }
  const unwilling = await start()
  unwilling.type('n\r')
  expect(await unwilling.ended).toBe(130)
  expect(service.transactions).toHaveLength(1)
  const willing = await start()
  willing.type('y\r')
  expect(await willing.ended).toBe(0)
  expect(service.transactions).toHaveLength(2)
})

describe('a profile', () => {
  it('asks about duplicates of three days, by the service’s clock, unless it is set', async () => {
    const home = freshHome()
    const steps: Array<[passed: string, key: string, code: number]> = [
      ['1s', 'a', 0],
      ['71h', 'b', 10],
      ['2h', 'b', 0],
      ['2h', 'c', 10],
    ]
    for (const [passed, name, code] of steps) {
      await setUp(home, ['sandbox', 'clock', 'advance', passed, '--quiet'])
      expect([name, (await payInSandbox(home, name, '10')).code]).toEqual([name, code])
    }
    await setUp(home, ['profiles', 'set', 'sandbox', '--duplicate-window', '1h', '--quiet'])
    expect((await payInSandbox(home, 'c', '10')).code).toBe(0)
    expect((await payInSandbox(home, 'd', '10')).code).toBe(10)
    expect((await run(home, [...payment('d', '10'), ...inSandbox], {env: {SVC_DUPLICATE_WINDOW: '0'}})).code).toBe(0)
  })

  it('takes a slot for one that has come by the clock of its service', async () => {
    const home = freshHome()
    await setUp(home, ['sandbox', 'clock', 'advance', '40d', '--quiet'])
    const args = [...payment(key, '10'), ...inSandbox, '--slot', inDays(37), '--quiet']
    expect((await run(home, args)).code).toBe(0)
    // By this machine's clock it has not come; a payment that was made is only shown.
    await setUp(home, ['sandbox', 'faults', 'add', '--path', '/transactions', '--kind', 'reset', '--quiet'])
    expect((await run(home, args)).code).toBe(0)
  })
})

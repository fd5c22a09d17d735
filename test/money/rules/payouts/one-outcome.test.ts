// What is said of a row is what the journal has of it and what the service says of its transaction, the same by `svc payouts run FILE`, by
// `svc payouts status FILE` and by a worker, whatever an earlier run or another process did.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {useFleet} from '../../../support/fleet.ts'
import {startSvc} from '../../../support/running.ts'
import {type PaymentService, makeTwice, refusal, servePayments} from '../../../support/scripted-service.ts'
import {reply} from '../../../support/service.ts'
import {type Home, freshHome, json, run} from '../../../support/svc.ts'
import {onTerminal} from '../../../support/terminal.ts'
import {useVirtualTime} from '../../../support/virtual-time.ts'
import {
  bank,
  createRow,
  inSandbox,
  readResultRows,
  readStates,
  wallet,
  writePayroll,
  zoe,
} from '../../../support/payroll.ts'

interface Row {
  state: string
  transaction?: string
  madeBefore?: boolean
  error?: {error: string; message: string}
}

const readRows = (out: string) => json(out)['payouts'] as Row[]

// The exit code, and what is said of the only row.
function readTold({code, out}: {code: number | null; out: string}) {
  const [row] = readRows(out)
  return {code, row: {state: row?.state, transaction: row?.transaction, error: row?.error}}
}

const payouts = (home: Home, {env}: PaymentService, ...args: string[]) => run(home, ['payouts', ...args], {env})

const runFile = (home: Home, service: PaymentService, ...flags: string[]) =>
  payouts(home, service, 'run', 'payroll.csv', '--yes', '--allow-duplicates', '--concurrency', '1', ...flags)

const work = (home: Home, service: PaymentService) =>
  payouts(home, service, 'work', '--until-idle', '--yes', '--listen', 'off')

const readStatus = async (home: Home, service: PaymentService) => {
  const {code, row} = readTold(await payouts(home, service, 'status', 'payroll.csv', '--rows', '--json'))
  const totals = json((await payouts(home, service, 'status', 'payroll.csv', '--json')).out)
  return {code, row, totals}
}

const writeRow = (home: Home, amount: string) => writePayroll(home, [createRow('a', {amount})])

async function prepare(home: Home = freshHome()) {
  const service = await servePayments({keys: 'ignored', quotes: 'many'})
  writeRow(home, '20')
  return {home, service}
}

type Pay = (home: Home, service: PaymentService) => Promise<{code: number | null}>
type Begin = (
  home: Home,
  service: PaymentService,
) => Promise<Pick<ReturnType<typeof readTold>, 'row'> & {states: unknown[]}>

const isSend = ({method, path: at}: {method: string; path: string}) => method === 'POST' && at === '/transactions'

// The transaction of b is made, and neither the answer nor the list says so.
async function leaveUnknown(home: Home, service: PaymentService): Promise<void> {
  service.script({at: 'POST /transactions', times: 1, reply: 'reset'})
  service.intercept = ({method}, response) => {
    if (method !== 'GET' || service.transactions.length === 0) return false
    response.socket?.destroy()
    return true
  }
  writePayroll(home, [createRow('b')])
  expect((await runFile(home, service, '--timeout', '2s')).code).toBe(7)
  service.intercept = () => false
  expect(service.transactions).toHaveLength(1)
}

// A run sends b and is killed before it hears of it.
async function leaveArmed(home: Home, service: PaymentService): Promise<void> {
  const sent = Promise.withResolvers<void>()
  service.intercept = (asked) => {
    if (isSend(asked)) sent.resolve()
    return isSend(asked)
  }
  const started = startSvc(home, ['payouts', 'run', writePayroll(home, [createRow('b')]), '--yes'], service.env)
  await sent.promise
  started.stop('SIGKILL')
  await started.ended
  service.intercept = () => false
}

describe('a row of a file', () => {
  useVirtualTime()

  it('that an interrupted run has sent counts as made before by the run that finds it at the service', async () => {
    const {home, service} = await prepare()
    await leaveUnknown(home, service)
    writePayroll(home, [createRow('b'), createRow('c')])
    const dry = await runFile(home, service, '--dry-run')
    expect([dry.code, dry.out]).toEqual([0, expect.stringContaining('It may have been paid')])
    const {code, out} = await runFile(home, service, '--json')
    expect([code, readRows(out).map(({madeBefore}) => madeBefore)]).toEqual([0, [true, undefined]])
    expect(service.transactions).toHaveLength(2)
  })

  it('that another process has settled meanwhile is told as made', async () => {
    const {home, service} = await prepare()
    await leaveUnknown(home, service)
    let hasSettled = false
    // While the run is at its first row, another process settles b.
    service.intercept = (asked, response) => {
      if (asked.path !== '/quotes' || hasSettled) return false
      hasSettled = true
      void startSvc(home, ['journal', 'settle', 'b', '--yes'], service.env).ended.then(() =>
        reply(response, 401, {error: 'UNAUTHORIZED', message: 'no', statusCode: 401}),
      )
      return true
    }
    writePayroll(home, [createRow('a'), createRow('b')])
    expect((await runFile(home, service)).code).toBe(9)
    expect(readStates(home)).toEqual(['REJECTED', 'CREATED'])
  })
})

const statusOf = (home: Home, service: PaymentService) => payouts(home, service, 'status', 'payroll.csv')

// What status says last, what it must not say, and how the row came to be so.
it.each<{
  what: string
  code: number
  says: string
  begin: (home: Home, service: PaymentService) => ReturnType<typeof statusOf>
}>([
  {
    what: 'is being paid now',
    code: 8,
    says: 'wait, and look again with `svc payouts status payroll.csv`',
    begin: async (home, service) => {
      const told = Promise.withResolvers<Awaited<ReturnType<typeof statusOf>>>()
      service.intercept = (asked, response) => {
        if (!isSend(asked)) return false
        service.intercept = () => false
        const status = statusOf(home, service)
        told.resolve(status)
        void status.finally(() => reply(response, 422, {error: 'NO_FUNDS', message: 'no', statusCode: 422}))
        return true
      }
      await runFile(home, service)
      return told.promise
    },
  },
  {
    what: 'has a key that was paid with another amount',
    code: 9,
    says: 'Give them other keys',
    begin: async (home, service) => {
      await runFile(home, service)
      writeRow(home, '30')
      expect((await runFile(home, service)).code).toBe(2)
      return statusOf(home, service)
    },
  },
  {
    what: 'has a key that may have been paid with another amount',
    code: 7,
    says: '`svc journal settle b`',
    begin: async (home, service) => {
      await leaveUnknown(home, service)
      writePayroll(home, [createRow('b', {amount: '30'})])
      expect((await runFile(home, service)).code).toBe(2)
      return statusOf(home, service)
    },
  },
  {
    what: 'ended badly',
    code: 9,
    says: 'give those rows new keys',
    begin: async (home, service) => {
      await runFile(home, service)
      Object.assign(service.transactions[0] ?? {}, {transactionStatus: 'FAILED'})
      return statusOf(home, service)
    },
  },
])('status advises no run of a file that would not pay the row, which $what', async ({code, says, begin}) => {
  const {home, service} = await prepare()
  const status = await begin(home, service)
  expect([status.code, status.err]).toEqual([code, expect.stringContaining(says)])
  expect(status.err).not.toContain('payouts run')
})

describe.each([
  ['UNKNOWN', leaveUnknown],
  ['ARMED, after kill -9', leaveArmed],
] as const)('a row that an earlier run left %s', (_, leave) => {
  useVirtualTime()

  it('is unknown with code 7 for status, and for a run that stops above it', async () => {
    const {home, service} = await prepare()
    await leave(home, service)
    expect(await readStatus(home, service)).toMatchObject({
      code: 7,
      row: {state: 'UNKNOWN'},
      totals: {state: 'OPEN', unknown: 1},
    })
    service.script({at: 'POST /quotes', times: 99, reply: refusal(401, 'UNAUTHORIZED', 'no')})
    writePayroll(home, [createRow('a'), createRow('b'), createRow('c')])
    const {code, err} = await runFile(home, service)
    expect(readStates(home)).toEqual(['REJECTED', 'UNKNOWN', 'NOT_TRIED'])
    expect(code).toBe(7)
    expect(err).toContain('Of 3 rows, 1 rejected, 1 unknown, 1 not tried')
  })

  it('is named by a run that is refused because of another row', async () => {
    const {home, service} = await prepare()
    await leave(home, service)
    const file = writePayroll(home, [createRow('b'), createRow('c', {amount: '3'}), createRow('d', {amount: '3'})])
    const env = {...service.env, SVC_DUPLICATE_WINDOW: '3d'}
    const {code, err} = await run(home, ['payouts', 'run', file, '--yes'], {env})
    expect(code).toBe(10)
    expect(err).toContain('Whether line 2 was paid by an earlier run is not known')
    expect(readStates(home)).toEqual(['UNKNOWN', 'NOT_TRIED', 'STOPPED'])
  })
})

// What a service says may name a person, also where its code belongs, and nothing of it is stored.
const words = 'Ada Lovelace is unknown'

// What the service does with the only row, the code of its status, and what is said of it.
const outcomes = {
  'that was made': {code: 0, state: 'CREATED', script: undefined},
  'whose quote was refused': {
    code: 9,
    state: 'REJECTED',
    script: {at: 'POST /quotes', reply: refusal(400, 'NO_WAY', words)},
  },
  'whose payee was not found': {
    code: 9,
    state: 'REJECTED',
    script: {at: 'POST /quotes', reply: refusal(404, 'NOT_FOUND', words)},
  },
  'that was refused': {
    code: 9,
    state: 'REJECTED',
    script: {at: 'POST /transactions', acts: 'never', reply: refusal(422, 'NO_FUNDS', words)},
  },
  'whose quote was refused in words': {
    code: 9,
    state: 'REJECTED',
    script: {at: 'POST /quotes', reply: refusal(400, words, words)},
  },
  'that was refused in words': {
    code: 9,
    state: 'REJECTED',
    script: {at: 'POST /transactions', acts: 'never', reply: refusal(422, words, words)},
  },
} as const

const {freshHost} = useFleet()

// How the only row is paid, what is said of it then, and how it is paid again after it was refused.
const ways = {
  'a run': {
    createHome: () => freshHome(),
    begin: async (home, service) => {
      const {row} = readTold(await runFile(home, service, '--json'))
      return {row, states: readStates(home)}
    },
    again: (home, service) => runFile(home, service),
  },
  'a worker': {
    createHome: () => freshHost(),
    begin: async (home, service) => {
      await payouts(home, service, 'submit', 'payroll.csv', '--yes')
      await work(home, service)
      const {row} = readTold(await payouts(home, service, 'status', 'payroll.csv', '--rows', '--json'))
      await payouts(home, service, 'status', 'payroll.csv', '--out', 'out.csv')
      return {row, states: readStates(home, 'out.csv')}
    },
    again: async (home, service) => {
      await payouts(home, service, 'resume', 'payroll.csv', '--failed')
      return work(home, service)
    },
  },
} satisfies Record<string, {createHome: () => Home; begin: Begin; again: Pay}>

const eachWay = (['a run', 'a worker'] as const).flatMap((way) =>
  Object.entries(outcomes).map(([name, outcome]) => ({name, way, ...outcome})),
)

it.each(eachWay)(
  'a row $name is the same to $way, its status and its journal',
  async ({name, way, code, state, script}) => {
    const {createHome, begin, again} = ways[way]
    const {home, service} = await prepare(createHome())
    const key = name.replaceAll(' ', '-')
    writePayroll(home, [createRow(key)])
    if (script) service.script({...script, times: 1})
    const {row: ran, states} = await begin(home, service)
    expect([ran.state, states]).toEqual([state, [state]])
    const status = await readStatus(home, service)
    expect(status).toMatchObject({code, row: {state, transaction: ran.transaction}})
    expect([status.row.error?.error, (await payouts(home, service, 'status', 'payroll.csv')).code]).toEqual([
      ran.error?.error,
      code,
    ])
    expect(status.totals).toMatchObject({
      failed: code === 0 ? 0 : 1,
      waiting: 0,
      attention: code === 0 ? [] : [{state}],
    })
    const shown = json((await run(home, ['journal', 'show', key, '--json'], {env: service.env})).out)
    expect(JSON.stringify(shown)).toContain(ran.error?.error ?? 'CREATED')
    expect(typeof shown['reason']).toBe(code === 0 ? 'undefined' : 'string')
    expect(JSON.stringify([shown, status])).not.toContain('Ada')
    // What was refused is paid by the next one, and is then made for everybody.
    expect((await again(home, service)).code).toBe(0)
    expect(await readStatus(home, service)).toMatchObject({code: 0, row: {state: 'CREATED'}})
  },
)

it('a row of a batch that a worker has made is told with the status that its transaction has now, in a file too', async () => {
  const {home, service} = await prepare(freshHost())
  writePayroll(home, [createRow('by-a-worker')])
  await payouts(home, service, 'submit', 'payroll.csv', '--yes')
  expect((await work(home, service)).code).toBe(0)
  for (const status of ['CREATED', 'COMPLETED']) {
    Object.assign(service.transactions[0] ?? {}, {transactionStatus: status})
    expect((await payouts(home, service, 'status', 'payroll.csv', '--out', 'out.csv')).code).toBe(0)
    const made = {state: 'CREATED', status, transaction: service.transactions[0]?.['transactionId']}
    expect(readResultRows(home, 'out.csv')).toMatchObject([made])
  }
  await makeTwice(service)
  expect(await readStatus(home, service)).toMatchObject({
    code: 7,
    row: {state: 'UNKNOWN', error: {error: 'SEVERAL_TRANSACTIONS'}},
  })
})

it('names, banks and notes stand in the files and on a screen, but not in JSON, and no names with --no-names', async () => {
  const home = freshHome()
  const file = path.join(home.folder, 'notes.csv')
  const row = `a,${zoe},${wallet},USDC,${bank},20,"May, first half"`
  fs.writeFileSync(file, `key,customer,from,from-currency,to,amount,note\n${row}\n`)
  await run(home, ['payouts', 'run', file, ...inSandbox])
  const readOut = async (name: string, ...flags: string[]) => {
    await run(home, ['payouts', 'status', file, '--out', path.join(home.folder, name), ...flags, '-p', 'sandbox'])
    return readResultRows(home, name)
  }
  const payee = {
    payee: 'Zoë Ångström',
    bank: 'Prairie Mutual Bank ****2169',
    note: 'May, first half',
    destination: bank,
  }
  expect(readResultRows(home, 'notes.csv.result.csv')).toMatchObject([{...payee, state: 'CREATED'}])
  expect(await readOut('named.csv')).toMatchObject([{...payee, state: 'CREATED'}])
  expect(await readOut('bare.csv', '--no-names')).toMatchObject([{payee: '', bank: '', note: 'May, first half'}])
  const {out} = await run(home, ['payouts', 'status', file, '--rows', '--json', '-p', 'sandbox'])
  expect(out).not.toContain('Ångström')
  const screen = onTerminal(home, ['payouts', 'status', file, '--rows', '-p', 'sandbox'])
  expect(await screen.ended).toBe(0)
  expect(screen.text()).toMatch(/PAYEE[^]*Zoë Ån[^\n]* \*\*\*\*2169/)
  const totals = await run(home, ['payouts', 'status', file, '-p', 'sandbox'])
  expect(totals).toMatchObject({code: 0, err: ''})
  expect(totals.out).toMatch(/State +DONE\nRows +1 of 1 \(100%\), 1 made\n\nMade +1 row +20 USDC, fees/)
})

// One way to pay: a person at a terminal, a script with --yes, an agent whose person is asked on a page,
// and a dry run meet the same rules. What differs is who is asked, and that a dry run ends there.
import {expect, it} from 'vitest'
import {payment} from '../../../support/payments.ts'
import {type PaymentService, refusal} from '../../../support/scripted-service.ts'
import {type Home, json, run} from '../../../support/svc.ts'
import {onTerminal} from '../../../support/terminal.ts'
import {askedPlan, createLiveHome, openAnnouncedPage, startAgent} from '../../../features/mcp/agent.ts'

const key = 'rent'
const words = [...payment(key, '10'), '-p', 'acme']

interface Ended {
  code: number | null
  // Whether somebody was asked for a yes.
  isAsked: boolean
}

type Caller = (home: Home, given: 'yes' | 'no') => Promise<Ended>

const callers = {
  async terminal(home, given) {
    const screen = onTerminal(home, words, {cols: 200})
    const asked = screen.waitFor(/, as rent\?/).then(() => {
      screen.type(`${given === 'yes' ? 'y' : 'n'}\r`)
      return true
    })
    const isAsked = await Promise.race([asked, screen.ended.then(() => false)])
    return {code: await screen.ended, isAsked}
  },

  async script(home) {
    const {code} = await run(home, [...words, '--yes', '--no-input', '--quiet'])
    return {code, isAsked: false}
  },

  async agent(home, given) {
    const agent = await startAgent(home, '-p', 'acme', '--allow-writes')
    const prepared = await agent.call('pay_prepare', {...askedPlan, key})
    if (prepared['planId'] === undefined) return {code: Number(prepared['exitCode']), isAsked: false}

    const paying = agent.call('pay_commit', {planId: prepared['planId'], key})
    const asked = openAnnouncedPage(agent).then(async ({answer}) => {
      await answer(given)
      return true
    })
    const isAsked = await Promise.race([asked, paying.then(() => false)])
    asked.catch(() => {})
    return {code: Number((await paying)['exitCode']), isAsked}
  },

  async dryRun(home) {
    const {code} = await run(home, [...words, '--dry-run', '--quiet'])
    return {code, isAsked: false}
  },
} satisfies Record<string, Caller>

type CallerName = keyof typeof callers

interface Rule {
  // What is so before the run.
  before?: (home: Home, service: PaymentService) => unknown
  given?: 'yes' | 'no'
  code: number | null
  // How many transactions there are in the end.
  made: number
  // Whether somebody is asked, where somebody can be.
  isAsked?: boolean
  // What the journal has of the payment in the end. Undefined if it has nothing.
  state?: string | undefined
  // Where a caller differs.
  but?: Partial<Record<CallerName, Partial<Pick<Rule, 'code' | 'made' | 'isAsked' | 'state'>>>>
}

const set = (home: Home, ...flags: string[]) => run(home, ['profiles', 'set', 'acme', ...flags])
const pay = (home: Home, name: string, amount = '10') =>
  run(home, [...payment(name, amount), '-p', 'acme', '--yes', '--quiet', '--timeout', '1s'])

const rules: Record<string, Rule> = {
  'a new payment is asked about and made': {
    code: 0,
    made: 1,
    isAsked: true,
    state: 'CREATED',
    but: {dryRun: {made: 0, state: undefined}},
  },
  'without a yes nothing is paid, and nothing is left behind': {
    given: 'no',
    code: 10,
    made: 0,
    isAsked: true,
    but: {terminal: {code: 130}, script: {code: 0, made: 1, state: 'CREATED'}, dryRun: {code: 0}},
  },
  'a limit stops it before anybody is asked': {
    before: (home) => set(home, '--payment-max', 'USDC=5'),
    code: 10,
    made: 0,
    but: {script: {state: 'STOPPED'}},
  },
  'what was paid that day counts': {
    before: async (home) => {
      await set(home, '--day-max', 'USDC=15')
      await pay(home, 'earlier', '9')
    },
    code: 10,
    made: 1,
    but: {script: {state: 'STOPPED'}},
  },
  'a quote by which nothing arrives is refused': {
    before: (_, {behaviour}) => (behaviour.rate = '0'),
    code: 10,
    made: 0,
    but: {script: {state: 'STOPPED'}},
  },
  'a possible duplicate is asked about with the price, where a person is asked': {
    before: async (home) => {
      await set(home, '--duplicate-window', '3d')
      await pay(home, 'earlier')
    },
    code: 10,
    made: 1,
    but: {terminal: {code: 0, made: 2, isAsked: true, state: 'CREATED'}, script: {state: 'QUOTED'}},
  },
  'a payment that was made is reported': {
    before: (home) => pay(home, key),
    code: 0,
    made: 1,
    state: 'CREATED',
  },
  'a payment that may have been made is settled first': {
    before: async (home, service) => {
      const step = service.script({at: 'POST /transactions', reply: 'reset', times: 9})
      service.behaviour.listLagMs = 60_000
      await pay(home, key)
      service.behaviour.listLagMs = 0
      step.remove()
    },
    code: 0,
    made: 1,
    state: 'CREATED',
    but: {dryRun: {state: 'UNKNOWN'}},
  },
  'a refused quote is told': {
    before: (_, service) =>
      service.script({at: 'POST /quotes', times: 99, reply: refusal(422, 'NO_ROUTE', 'No such route')}),
    code: 3,
    made: 0,
    but: {script: {state: 'INTENDED'}},
  },
}

const names: CallerName[] = ['terminal', 'script', 'agent', 'dryRun']

it.each(Object.entries(rules).flatMap(([rule, expected]) => names.map((caller) => ({rule, caller, expected}))))(
  '$rule: $caller',
  async ({caller, expected}) => {
    const {home, service} = await createLiveHome()
    const {before, given = 'yes', but, ...common} = expected
    await before?.(home, service)
    const wanted = {...common, ...but?.[caller]}

    const {code, isAsked} = await callers[caller](home, given)
    const asks = caller === 'terminal' || caller === 'agent'
    expect({code, isAsked}).toEqual({code: wanted.code, isAsked: asks && (wanted.isAsked ?? false)})
    expect(service.transactions).toHaveLength(wanted.made)

    const shown = await run(home, ['journal', 'show', key, '-p', 'acme', '--json'])
    expect(shown.code === 0 ? json(shown.out)['state'] : undefined).toBe(wanted.state)
  },
)

// The lease is taken after the yes, so another process may pay meanwhile.
it.each([
  ['pays', 0],
  ['may have paid', 60_000],
])('is not paid a second time by a yes that comes after another process %s it', async (_, listLagMs) => {
  const {home, service} = await createLiveHome()
  const screen = onTerminal(home, words, {cols: 200})
  await screen.waitFor(/, as rent\?/)
  if (listLagMs > 0) service.script({at: 'POST /transactions', reply: 'reset', times: 9})
  service.behaviour.listLagMs = listLagMs
  await pay(home, key)
  service.behaviour.listLagMs = 0

  screen.type('y\r')
  expect(await screen.ended).toBe(0)
  expect(service.transactions).toHaveLength(1)
})

// Whoever names a key at a terminal need not say again what it is for.
it.each([
  ['made', 'usual', /The payment rent was made before, at .*; nothing was sent/],
  ['maybe made', 'lost', /The payment rent was found in the service's list and adopted/],
])('a key that was %s is reported without a question', async (_, reply, says) => {
  const {home, service} = await createLiveHome()
  if (reply === 'lost') {
    service.script({at: 'POST /transactions', reply: 'reset', times: 9})
    service.behaviour.listLagMs = 60_000
  }
  await pay(home, key)
  service.behaviour.listLagMs = 0

  const screen = onTerminal(home, ['pay', '--key', key, '-p', 'acme'], {cols: 200})
  expect(await screen.ended).toBe(0)
  expect(screen.words()).toMatch(says)
  expect(service.transactions).toHaveLength(1)
  expect(service.requestsTo('POST /quotes')).toHaveLength(1)
})

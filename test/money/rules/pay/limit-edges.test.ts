// Every limit at its edge: what reaches it exactly is paid, and one unit more, or less where it is
// a minimum, ends with 10 and sends nothing. The figures are drawn from a printed seed.
import fs from 'node:fs'
import path from 'node:path'
import {Big} from 'big.js'
import {describe, expect, it} from 'vitest'
import type {Policy} from '../../../../src/controls/policy.ts'
import {createKey} from '../../../support/approvals.ts'
import {payment, route} from '../../../support/payments.ts'
import {logIn} from '../../../support/payroll.ts'
import {createRandom} from '../../../support/random.ts'
import {servePayments} from '../../../support/scripted-service.ts'
import type {Behaviour} from '../../../support/scripted/behaviour.ts'
import {seed} from '../../../support/seed.ts'
import {type Home, freshHome, json, run} from '../../../support/svc.ts'
import {useVirtualTime} from '../../../support/virtual-time.ts'

useVirtualTime()

const unit = new Big('0.000001')
// What is sent where the limit is about something else.
const amount = '200'
const developerFee = '0.25'
const earlier = '7.5'

const setProfile = (...flags: string[]) => ['profiles', 'set', 'acme', ...flags, '--quiet']
const writePolicy = ({folder}: Home, policy: Policy) => {
  fs.writeFileSync(path.join(folder, 'policy.json'), JSON.stringify(policy))
  return ['policy', 'set', 'policy.json', '-p', 'acme', '--quiet']
}
const approvers = ({folder}: Home) => [{name: 'alice', keys: [createKey(path.join(folder, 'alice'))]}]

interface Limit {
  name: string
  isMinimum?: true
  // Sets the limit: by flags of the payment, or by a command before it.
  flags?: (edge: string) => string[]
  set?: (edge: string, home: Home) => string[]
  // How the payment comes to the figure: by what the service charges, or by what is sent or is to
  // arrive.
  serve?: (figure: Big) => Partial<Behaviour>
  sent?: (figure: Big) => string
  received?: (figure: Big) => string
  // A dry run says that others would have to approve it, and ends with 0.
  passesDryRun?: true
  // What was paid before, which counts.
  earlier?: string
}

const limits: Limit[] = [
  {
    name: '--max-fee, an amount',
    flags: (edge) => ['--max-fee', edge],
    serve: (fee) => ({svcFee: fee.toFixed()}),
  },
  {
    name: '--max-fee with a developer fee',
    flags: (edge) => ['--max-fee', edge, '--developer-fee', developerFee],
    serve: (fee) => ({svcFee: fee.minus(developerFee).toFixed()}),
  },
  {
    name: '--max-fee, a percentage',
    flags: (edge) => ['--max-fee', `${new Big(edge).times('100').div(amount).toFixed()}%`],
    serve: (fee) => ({svcFee: fee.toFixed()}),
  },
  {
    name: '--min-rate',
    isMinimum: true,
    flags: (edge) => ['--min-rate', edge],
    serve: (rate) => ({rate: rate.toFixed()}),
  },
  {
    name: '--min-received',
    isMinimum: true,
    flags: (edge) => ['--min-received', edge],
    serve: (received) => ({svcFee: new Big(amount).minus(received).toFixed()}),
  },
  {
    name: '--max-send',
    flags: (edge) => ['--max-send', edge],
    serve: () => ({svcFee: '0.5'}),
    received: (sent) => sent.minus('0.5').toFixed(),
  },
  {name: 'the payment maximum of a profile', set: (edge) => setProfile('--payment-max', `USDC=${edge}`)},
  {name: 'the payment maximum of a policy', set: (edge, home) => writePolicy(home, {paymentMax: {USDC: edge}})},
  {
    name: 'the day maximum of a profile',
    set: (edge) => setProfile('--day-max', `USDC=${edge}`),
    sent: (sum) => sum.minus(earlier).toFixed(),
    earlier,
  },
  {
    name: 'the day maximum of a policy',
    set: (edge, home) => writePolicy(home, {dayMax: {USDC: edge}}),
    sent: (sum) => sum.minus(earlier).toFixed(),
    earlier,
  },
  {
    name: 'the sum up to which a policy wants no approval',
    set: (edge, home) => writePolicy(home, {approvers: approvers(home), approvals: {count: 1, above: {USDC: edge}}}),
    passesDryRun: true,
  },
]

// More than what was paid before and than the fees, and less than what is sent.
const drawEdge = ({below}: ReturnType<typeof createRandom>) => new Big(20_000_000 + below(80_000_000)).times(unit)

async function payAt(limit: Limit, edge: string, figure: Big) {
  const sent = limit.sent?.(figure) ?? (limit.serve ? amount : figure.toFixed())
  const service = await servePayments(limit.serve?.(figure))
  const home = freshHome()
  await logIn(home, service)
  const runHere = (args: readonly string[]) => run(home, args, {cwd: home.folder})
  if (limit.set) expect((await runHere(limit.set(edge, home))).code).toBe(0)
  const flags = [...(limit.flags?.(edge) ?? []), '-p', 'acme', '--allow-duplicates']
  if (limit.earlier) expect((await runHere([...payment('earlier', limit.earlier), ...flags, '--yes'])).code).toBe(0)
  const before = service.transactions.length
  const arriving = limit.received && ['pay', ...route, '--receive', limit.received(figure), '--key', 'k']
  const args = [...(arriving ?? payment('k', sent)), ...flags]
  const codes = [await runHere([...args, '--dry-run']), await runHere([...args, '--yes'])].map(({code}) => code)
  return {codes, made: service.transactions.length - before}
}

describe(`the edge of a limit, with seed ${seed},`, () => {
  it.each(limits)('$name: is paid, and one unit beyond it is not', async (limit) => {
    const edge = drawEdge(createRandom(seed))
    const step = limit.isMinimum ? unit.neg() : unit
    const figures = [edge.minus(step), edge, edge.plus(step)]
    const ended = await Promise.all(figures.map((figure) => payAt(limit, edge.toFixed(), figure)))
    expect(ended).toEqual([
      {codes: [0, 0], made: 1},
      {codes: [0, 0], made: 1},
      {codes: [limit.passesDryRun ? 0 : 10, 10], made: 0},
    ])
  })
})

describe('a limit that stops a payment', () => {
  it.each<[string, set: string[], flags: string[], reason: RegExp]>([
    ['a price', [], ['--min-rate', '9', '--min-received', '9999'], /^The rate is /],
    [
      'a price before a payment maximum',
      ['--payment-max', 'USDC=1'],
      ['--min-received', '9999'],
      /received, but at least/,
    ],
    [
      'a payment maximum before a day maximum',
      ['--payment-max', 'USDC=1', '--day-max', 'USDC=2'],
      [],
      /than the 1 USDC/,
    ],
    ['a day maximum, which the journal counts', ['--day-max', 'USDC=2'], [], /exceed the 2 USDC/],
  ])('is told and recorded once: %s', async (_, set, flags, reason) => {
    const service = await servePayments()
    const home = freshHome()
    await logIn(home, service)
    if (set.length > 0) expect((await run(home, setProfile(...set))).code).toBe(0)
    const {code, err} = await run(home, [...payment('k', amount), ...flags, '-p', 'acme', '--yes', '--json'])
    const shown = json((await run(home, ['journal', 'show', 'k', '-p', 'acme', '--json'])).out)
    expect([code, json(err)['error'], service.transactions]).toEqual([10, 'LIMIT_REACHED', []])
    expect(shown).toMatchObject({state: 'STOPPED', reason: expect.stringMatching(reason)})
    const own = String(shown['reason'])
    expect(json(err)['message']).toBe(`The payment k was stopped: ${own.charAt(0).toLowerCase()}${own.slice(1)}.`)
  })
})

// What a rule would do: firings that are croner's, and moves that add up.
import {Big} from 'big.js'
import {Cron} from 'croner'
import * as fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {type SimulationSettings, simulateRule} from '../../../src/rules/simulate/simulate-rule.ts'
import {anyConfiguration, payroll, withTemplate} from '../configurations.ts'
import {anySchedule} from '../schedules.ts'

const atMs = Date.parse('2026-03-26T00:00:00Z')
const given = (amount: string): Partial<SimulationSettings> => ({balance: {amount, from: 'given'}})
const simulated = (rule: unknown, more: Partial<SimulationSettings> = {}) =>
  simulateRule(rule, {atMs, count: 5, ...more})

const threshold = (thresholdAmount: string) => ({trigger: {type: 'THRESHOLD_BASED' as const, thresholdAmount}})
const share = (value: string) => ({amount: {type: 'PCT' as const, value}})

describe('the firings of a simulated rule', () => {
  it('are those after the instant, not at it', () => {
    const {firings} = simulated(payroll, {atMs: Date.parse('2026-03-26T09:00:00Z'), count: 2})
    expect(firings.map(({utc}) => utc)).toEqual(['2026-03-27T09:00:00Z', '2026-03-30T09:00:00Z'])
  })

  it('are croner’s, whatever the schedule, and the local time is the same instant', () => {
    fc.assert(
      fc.property(anySchedule, fc.integer({min: 1, max: 20}), (cronSchedule, count) => {
        const {firings} = simulated({...payroll, trigger: {type: 'TIME_BASED', cronSchedule}}, {count})
        const expected = new Cron(cronSchedule, {mode: '5-part', timezone: 'UTC'}).nextRuns(count, new Date(atMs))
        expect(firings.map(({utc}) => Date.parse(utc))).toEqual(expected.map(Number))
        expect(firings.map(({local}) => Date.parse(local))).toEqual(expected.map(Number))
      }),
    )
  })

  it('are none where a service sent a schedule that cannot be read, which is said', () => {
    const {firings, notes} = simulated({...payroll, trigger: {type: 'TIME_BASED', cronSchedule: 'daily, please'}})
    expect(firings).toEqual([])
    expect(notes[0]).toBe('svc cannot read this schedule, so it shows no firings')
  })
})

describe('the moves of a simulated rule', () => {
  it('go on until a firing would find too little', () => {
    const {moves, runsOut} = simulated(payroll, given('250'))
    expect(moves).toEqual([
      {firing: 1, utc: '2026-03-26T09:00:00Z', balanceBefore: '250.00', amount: '100.00', balanceAfter: '150.00'},
      {firing: 2, utc: '2026-03-27T09:00:00Z', balanceBefore: '150.00', amount: '100.00', balanceAfter: '50.00'},
      {
        firing: 3,
        utc: '2026-03-30T09:00:00Z',
        balanceBefore: '50.00',
        amount: '100.00',
        refused: 'too little: 50.00 of 100.00 USDC',
      },
    ])
    expect(runsOut).toEqual({firing: 3, utc: '2026-03-30T09:00:00Z'})
  })

  it('say when the balance runs out, beyond the firings that are shown too', () => {
    const {moves, runsOut} = simulated(payroll, {...given('1000'), count: 1})
    expect(moves).toHaveLength(1)
    expect(runsOut).toEqual({firing: 11, utc: '2026-04-09T09:00:00Z'})
  })

  it('take a share of what is left, rounded down to what the currency carries', () => {
    const {moves, runsOut} = simulated(withTemplate(share('33')), {...given('0.00001'), count: 3})
    expect(moves.map(({amount, balanceAfter}) => [amount, balanceAfter])).toEqual([
      ['0.000003', '0.000007'],
      ['0.000002', '0.000005'],
      ['0.000001', '0.000004'],
    ])
    expect(runsOut).toBeUndefined()
  })

  it('round by the decimals that the service sent, else by those that are known', () => {
    const source = (sourceCurrency: unknown) => {
      const rule = withTemplate(share('50'))
      const {transactionTemplate} = rule
      return {
        ...rule,
        transactionTemplate: {...transactionTemplate, source: {...transactionTemplate.source, sourceCurrency}},
      }
    }
    const first = (currency: unknown) => simulated(source(currency), given('1.1111111111')).moves[0]?.amount
    expect(first({label: 'USDC', currencyDecimals: 3})).toBe('0.555')
    expect(first({label: 'USDC', currencyDecimals: null})).toBe('0.555555')
    expect(first('USD')).toBe('0.55')
    expect(first('NEWCOIN')).toBe('0.555555')
  })

  it('say what is missing below a threshold, and move nothing', () => {
    const {threshold: state, moves} = simulated(withTemplate({}, threshold('500')), given('120.5'))
    expect({state, moves}).toEqual({state: {amount: '500.00', reached: false, missing: '379.50'}, moves: []})
  })

  it('happen once at a threshold that is reached', () => {
    const {threshold: state, moves, firings} = simulated(withTemplate(share('25'), threshold('500')), given('500'))
    expect(state).toEqual({amount: '500.00', reached: true})
    expect(moves).toEqual([{balanceBefore: '500.00', amount: '125.00', balanceAfter: '375.00'}])
    expect(firings).toEqual([])
  })

  it('warn of an amount that the threshold does not cover', () => {
    const {notes} = simulated(withTemplate({}, threshold('99')), given('50'))
    expect(notes).toEqual(['A wallet that holds just 99.00 USDC would hold too little for the amount'])
  })

  it('are unknown without a balance, and how to know them is said', () => {
    const {moves, notes} = simulated(payroll)
    expect(moves).toEqual([])
    expect(notes).toEqual([
      'Whether there is enough, and what it would cost, depends on what wallet W holds: say it with --balance AMOUNT',
    ])
  })

  it('never take more than there is, and always add up', () => {
    const balance = fc
      .bigInt({min: 0n, max: 10n ** 18n})
      .map((minor) => new Big(String(minor)).div('1000000').toFixed())
    fc.assert(
      fc.property(anyConfiguration, balance, (configuration, amount) => {
        const {moves} = simulated(configuration, given(amount))
        for (const {balanceBefore, amount: moved, balanceAfter} of moves) {
          if (balanceAfter === undefined) continue
          expect(new Big(moved).plus(balanceAfter).eq(balanceBefore)).toBe(true)
          expect(new Big(balanceAfter).gte('0')).toBe(true)
        }
        expect(moves.slice(0, -1).every(({refused}) => refused === undefined)).toBe(true)
      }),
    )
  })

  it('are there for whatever a service may send', () => {
    fc.assert(
      fc.property(fc.anything(), (rule) => {
        expect(simulated(rule, given('5')).words).toMatch(/\.$/)
      }),
    )
  })
})

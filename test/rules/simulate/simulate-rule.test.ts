// Simulations: the firings agree with croner, and the moves add up.
import {Big} from 'big.js'
import {Cron} from 'croner'
import * as fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import type {LooseRule} from '../../../src/contract/loose.ts'
import {type SimulationSettings, simulateRule} from '../../../src/rules/simulate/simulate-rule.ts'
import {anyConfiguration, payroll, withTemplate} from '../configurations.ts'
import {anySchedule} from '../schedules.ts'

const atMs = Date.parse('2026-03-26T00:00:00Z')
const given = (amount: string): Partial<SimulationSettings> => ({balance: {amount, from: 'given'}})
const simulate = (rule: unknown, more: Partial<SimulationSettings> = {}) =>
  simulateRule(rule as LooseRule | null | undefined, {atMs, count: 5, ...more})

const threshold = (thresholdAmount: string) => ({trigger: {type: 'THRESHOLD_BASED' as const, thresholdAmount}})
const share = (value: string) => ({amount: {type: 'PCT' as const, value}})

describe('the firings of a simulated rule', () => {
  it('are those after the instant, not at it', () => {
    const {firings} = simulate(payroll, {atMs: Date.parse('2026-03-26T09:00:00Z'), count: 2})
    expect(firings.map(({utc}) => utc)).toEqual(['2026-03-27T09:00:00Z', '2026-03-30T09:00:00Z'])
  })

  it('agree with croner for every schedule, and the local time is the same instant', () => {
    fc.assert(
      fc.property(anySchedule, fc.integer({min: 1, max: 20}), (cronSchedule, count) => {
        const {firings} = simulate({...payroll, trigger: {type: 'TIME_BASED', cronSchedule}}, {count})
        const expected = new Cron(cronSchedule, {mode: '5-part', timezone: 'UTC'}).nextRuns(count, new Date(atMs))
        expect(firings.map(({utc}) => Date.parse(utc))).toEqual(expected.map(Number))
        expect(firings.map(({local}) => Date.parse(local))).toEqual(expected.map(Number))
      }),
    )
  })

  it('are empty if the schedule cannot be read, and a note says so', () => {
    const {firings, notes} = simulate({...payroll, trigger: {type: 'TIME_BASED', cronSchedule: 'daily, please'}})
    expect(firings).toEqual([])
    expect(notes[0]).toBe('svc cannot read this schedule, so it shows no firings')
  })
})

describe('the moves of a simulated rule', () => {
  it('go on until a firing would find too little', () => {
    const {moves, runsOut} = simulate(payroll, given('250'))
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

  it('include when the balance runs out, also after the firings that are shown', () => {
    const {moves, runsOut} = simulate(payroll, {...given('1000'), count: 1})
    expect(moves).toHaveLength(1)
    expect(runsOut).toEqual({firing: 11, utc: '2026-04-09T09:00:00Z'})
  })

  it('take a percentage of the rest, rounded down to the decimals of the currency', () => {
    const {moves, runsOut} = simulate(withTemplate(share('33')), {...given('0.00001'), count: 3})
    expect(moves.map(({amount, balanceAfter}) => [amount, balanceAfter])).toEqual([
      ['0.000003', '0.000007'],
      ['0.000002', '0.000005'],
      ['0.000001', '0.000004'],
    ])
    expect(runsOut).toBeUndefined()
  })

  it('round to the decimals that the service sent, else to those of the currency', () => {
    const source = (sourceCurrency: unknown) => {
      const rule = withTemplate(share('50'))
      const {transactionTemplate} = rule
      return {
        ...rule,
        transactionTemplate: {...transactionTemplate, source: {...transactionTemplate.source, sourceCurrency}},
      }
    }
    const first = (currency: unknown) => simulate(source(currency), given('1.1111111111')).moves[0]?.amount
    expect(first({label: 'USDC', currencyDecimals: 3})).toBe('0.555')
    expect(first({label: 'USDC', currencyDecimals: null})).toBe('0.555555')
    expect(first('USD')).toBe('0.55')
    expect(first('NEWCOIN')).toBe('0.555555')
  })

  it('are empty below a threshold, with the missing amount', () => {
    const {threshold: state, moves} = simulate(withTemplate({}, threshold('500')), given('120.5'))
    expect({state, moves}).toEqual({state: {amount: '500.00', reached: false, missing: '379.50'}, moves: []})
  })

  it('happen once if the threshold is reached', () => {
    const {threshold: state, moves, firings} = simulate(withTemplate(share('25'), threshold('500')), given('500'))
    expect(state).toEqual({amount: '500.00', reached: true})
    expect(moves).toEqual([{balanceBefore: '500.00', amount: '125.00', balanceAfter: '375.00'}])
    expect(firings).toEqual([])
  })

  it('come with a warning if the threshold does not cover the amount', () => {
    const {notes} = simulate(withTemplate({}, threshold('99')), given('50'))
    expect(notes).toEqual(['A wallet that holds exactly 99.00 USDC would hold too little for the amount'])
  })

  it('are unknown without a balance, and a note says how to give it', () => {
    const {moves, notes} = simulate(payroll)
    expect(moves).toEqual([])
    expect(notes).toEqual([
      'Whether there is enough, and what it would cost, depends on the balance of wallet W: give it with --balance AMOUNT',
    ])
  })

  it('never take more than there is, and always add up', () => {
    const balance = fc
      .bigInt({min: 0n, max: 10n ** 18n})
      .map((minor) => new Big(String(minor)).div('1000000').toFixed())
    fc.assert(
      fc.property(anyConfiguration, balance, (configuration, amount) => {
        const {moves} = simulate(configuration, given(amount))
        for (const {balanceBefore, amount: moved, balanceAfter} of moves) {
          if (balanceAfter === undefined) continue
          expect(new Big(moved).plus(balanceAfter).eq(balanceBefore)).toBe(true)
          expect(new Big(balanceAfter).gte('0')).toBe(true)
        }
        expect(moves.slice(0, -1).every(({refused}) => refused === undefined)).toBe(true)
      }),
    )
  })

  it('never throw, whatever a service sends', () => {
    fc.assert(
      fc.property(fc.anything(), (rule) => {
        expect(simulate(rule, given('5')).words).toMatch(/\.$/)
      }),
    )
  })
})

// Automation rules: how they are listed, and when they fire.
import {describe, expect, it} from 'vitest'
import {endpoints} from '../../src/contract/endpoints.ts'
import {measureCpuMs} from '../support/cpu-time.ts'
import {call, dayMs, findAccountEnds, listAllTransactions, openTemporary, toRoute, zoe} from './open.ts'

function open() {
  const sandbox = openTemporary({frozenAt: new Date('2026-11-16T12:00:00Z')})
  const {wallet, ACH} = findAccountEnds(sandbox)
  const create = async (amount: object, trigger: object = {type: 'TIME_BASED', cronSchedule: '0 9 * * *'}) => {
    const transactionTemplate = {...toRoute(wallet, ACH), amount}
    const body = {name: 'Payroll', customerId: zoe, transactionTemplate, trigger}
    const reply = await call(sandbox, 'POST', '/automation-rules', body)
    expect(reply).toMatchObject({status: 200})
    return endpoints.rules.create.reply.parse(reply.body)
  }
  // What the rule has paid, newest first.
  const listPaid = async (ruleId: string) =>
    (await listAllTransactions(sandbox, {pageSize: 100})).filter(({correlationId}) => correlationId === ruleId)
  return {sandbox, wallet, create, listPaid}
}

const flat = (value: string) => ({type: 'FLAT', value})
const share = (value: string) => ({type: 'PCT', value})
const threshold = (thresholdAmount: string) => ({type: 'THRESHOLD_BASED', thresholdAmount})

describe('an automation rule', () => {
  it('can be created, listed, read and deleted, with an id that is not a UUID', async () => {
    const {sandbox, wallet, create} = open()
    const rule = await create(flat('25.00'))
    expect(rule.id).toMatch(/^rule_/)
    expect(rule.transactionTemplate).toMatchObject({
      source: {sourceCurrency: {label: 'USDC', currencyDecimals: 6}},
      destination: {destinationCurrency: {label: 'USD'}},
    })
    const list = async (query: string) =>
      endpoints.rules.list.reply.parse((await call(sandbox, 'GET', `/automation-rules?${query}`)).body).automationRules
    expect(await list(`customerId=${zoe}`)).toEqual([rule])
    expect(await list(`sourcePaymentAccountId=${wallet.id}`)).toEqual([rule])
    expect(await list('sourcePaymentAccountId=elsewhere')).toEqual([])
    const at = `/automation-rules/${rule.id}`
    expect((await call(sandbox, 'GET', at)).body).toEqual(rule)
    expect((await call(sandbox, 'DELETE', at)).body).toEqual(rule)
    expect((await call(sandbox, 'GET', at)).status).toBe(404)
  })

  it('fires on its schedule, in UTC, and its transactions are in the list', async () => {
    const {sandbox, create, listPaid} = open()
    const [{id}, nothing] = [await create(flat('25.00')), await create(share('0'))]
    expect(await listPaid(id)).toEqual([])
    sandbox.clock.advance(3 * dayMs)
    const paid = await listPaid(id)
    expect(paid.map(({createdAt, source}) => [createdAt, source.sourceAmount])).toEqual(
      ['19', '18', '17'].map((day) => [`2026-11-${day}T09:00:00Z`, '25.00']),
    )
    expect(await listPaid(nothing.id)).toEqual([])
    await call(sandbox, 'DELETE', `/automation-rules/${id}`)
    sandbox.clock.advance(3 * dayMs)
    expect(await listPaid(id)).toHaveLength(3)
  })

  it('fires once per crossing of its threshold', async () => {
    const {sandbox, wallet, create, listPaid} = open()
    const {id} = await create(share('10'), threshold('1000000'))
    for (const [deposited, fired] of [
      ['500000', 0],
      ['700000', 1],
      ['10', 1],
    ] as const) {
      sandbox.money.fund(wallet.id, deposited, 'USDC')
      expect(await listPaid(id)).toHaveLength(fired)
    }
    // Ten percent of 1.2 million leaves it above the threshold; another rule of the same wallet takes it below.
    const {id: sweep} = await create(flat('200000'), threshold('1'))
    expect(await listPaid(sweep)).toHaveLength(1)
    sandbox.money.fund(wallet.id, '400000', 'USDC')
    expect(await listPaid(id)).toHaveLength(2)
  })

  it('can be created for a customer that is not ACTIVE, and then pays nothing', async () => {
    const {sandbox, create, listPaid} = open()
    sandbox.verification.force(zoe, {outcome: 'deactivated'})
    const {id} = await create(flat('25.00'))
    sandbox.clock.advance(2 * dayMs)
    expect(await listPaid(id)).toEqual([])
  })

  it('runs with fifty others for a month within seconds', async () => {
    const measureMonth = async () => {
      const {sandbox, create} = open()
      for (let count = 0; count < 50; count++) await create(flat('1.00'))
      return measureCpuMs(() => sandbox.clock.advance(30 * dayMs))
    }
    // What other tests left in memory is cleared away meanwhile, which only adds time.
    let quickestMs = await measureMonth()
    for (let more = 0; more < 3 && quickestMs >= 1_650; more++) quickestMs = Math.min(quickestMs, await measureMonth())
    expect(quickestMs).toBeLessThan(1_650)
  })
})

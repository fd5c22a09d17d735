// Automation rules: what can be created, what can be changed, and when they fire.
import {describe, expect, it} from 'vitest'
import {endpoints} from '../../../../src/contract/endpoints.ts'
import type {Sandbox} from '../../../../src/sandbox/sandbox.ts'
import {measureCpuMs} from '../../../support/cpu-time.ts'
import {call, openTemporary as open} from '../../open.ts'

interface Account {
  paymentAccountId: string
  paymentAccountType: string
  externalBankAccount?: {bankAccountPaymentMethod: string}
  svcCryptoWallet?: {address: {chain: string}}
}

const noon = new Date('2026-11-16T12:00:00Z')

async function createActiveCustomer(sandbox: Sandbox) {
  const {body} = await call(sandbox, 'GET', '/customers?pageSize=100')
  const {customers} = body as {customers: Array<{customerId: string; customerStatus: string}>}
  const customerId = customers.find(({customerStatus}) => customerStatus === 'ACTIVE')?.customerId ?? ''
  const {paymentAccounts} = (await call(sandbox, 'GET', `/payment-accounts?customerId=${customerId}&pageSize=100`))
    .body as {
    paymentAccounts: Account[]
  }
  const of = (type: string, method?: string) =>
    paymentAccounts.find(
      (account) =>
        account.paymentAccountType === type &&
        account.paymentAccountId !== '' &&
        (method === undefined || account.externalBankAccount?.bankAccountPaymentMethod === method),
    ) as Account
  return {customerId, of}
}

async function createRuleBody(sandbox: Sandbox, more: Record<string, unknown> = {}) {
  const {customerId, of} = await createActiveCustomer(sandbox)
  const wallet = of('SVC_CRYPTO_WALLET')
  const body = {
    name: 'Payroll',
    customerId,
    transactionTemplate: {
      source: {
        sourcePaymentAccountId: wallet.paymentAccountId,
        sourcePaymentMethod: wallet.svcCryptoWallet?.address.chain,
        sourceCurrency: 'USDC',
      },
      destination: {
        destinationPaymentAccountId: of('EXTERNAL_BANK_ACCOUNT', 'ACH').paymentAccountId,
        destinationPaymentMethod: 'ACH',
        destinationCurrency: 'USD',
      },
      amount: {type: 'FLAT', value: '25.00'},
    },
    trigger: {type: 'TIME_BASED', cronSchedule: '0 9 * * *'},
    ...more,
  }
  return {body, wallet, of, customerId}
}

type RuleBody = Awaited<ReturnType<typeof createRuleBody>>['body']

const withTemplate = (body: RuleBody, more: Record<string, unknown>) => ({
  ...body,
  transactionTemplate: {...body.transactionTemplate, ...more},
})

async function createRule(sandbox: Sandbox, body: object) {
  const reply = await call(sandbox, 'POST', '/automation-rules', body)
  expect(reply).toMatchObject({status: 200})
  return endpoints.rules.create.reply.parse(reply.body)
}

async function listTransactionsOfRule(sandbox: Sandbox, ruleId: string) {
  const {body} = await call(sandbox, 'GET', '/transactions?pageSize=100')
  const {transactions} = endpoints.transactions.list.reply.parse(body)
  return transactions.filter(({correlationId}) => correlationId === ruleId)
}

describe('an automation rule', () => {
  it('can be created, listed, read and deleted, with an id that is not a UUID', async () => {
    const sandbox = open({frozenAt: noon})
    const {body, wallet, customerId} = await createRuleBody(sandbox)
    const rule = await createRule(sandbox, body)
    expect(rule.id).toMatch(/^rule_/)
    expect(rule.transactionTemplate.source.sourceCurrency).toMatchObject({label: 'USDC', currencyDecimals: 6})
    expect(rule.transactionTemplate.destination.destinationCurrency).toEqual({label: 'USD'})
    const list = async (query: string) =>
      endpoints.rules.list.reply.parse((await call(sandbox, 'GET', `/automation-rules?${query}`)).body).automationRules
    expect(await list(`customerId=${customerId}`)).toEqual([rule])
    expect(await list(`sourcePaymentAccountId=${wallet.paymentAccountId}`)).toEqual([rule])
    expect(await list('sourcePaymentAccountId=elsewhere')).toEqual([])
    expect((await call(sandbox, 'GET', `/automation-rules/${rule.id}`)).body).toEqual(rule)
    expect((await call(sandbox, 'DELETE', `/automation-rules/${rule.id}`)).body).toEqual(rule)
    expect((await call(sandbox, 'GET', `/automation-rules/${rule.id}`)).status).toBe(404)
  })

  it('accepts only a service-managed wallet as source, and no automatic fiat account as destination', async () => {
    const sandbox = open({frozenAt: noon})
    const {body, of} = await createRuleBody(sandbox)
    const {source, destination} = body.transactionTemplate
    const bank = of('EXTERNAL_BANK_ACCOUNT', 'ACH').paymentAccountId
    const automatic = of('SVC_AUTO_FIAT_ACCOUNT').paymentAccountId
    for (const [named, wrong] of [
      ['sourcePaymentAccountId', withTemplate(body, {source: {...source, sourcePaymentAccountId: bank}})],
      [
        'destinationPaymentAccountId',
        withTemplate(body, {destination: {...destination, destinationPaymentAccountId: automatic}}),
      ],
      [
        'destinationPaymentMethod',
        withTemplate(body, {destination: {...destination, destinationPaymentMethod: 'SEPA'}}),
      ],
      ['destinationCurrency', withTemplate(body, {destination: {...destination, destinationCurrency: 'EUR'}})],
      ['amount.value', withTemplate(body, {amount: {type: 'FLAT', value: '0.00'}})],
      ['amount.value', withTemplate(body, {amount: {type: 'PCT', value: '101'}})],
      ['amount.value', withTemplate(body, {amount: {type: 'PCT', value: '100.00000000000000000001'}})],
      ['trigger.cronSchedule', {...body, trigger: {type: 'TIME_BASED', cronSchedule: '0 25 * * *'}}],
      ['trigger.cronSchedule', {...body, trigger: {type: 'TIME_BASED', cronSchedule: '0 0 31 2 *'}}],
      ['trigger.thresholdAmount', {...body, trigger: {type: 'THRESHOLD_BASED', thresholdAmount: '0'}}],
    ] as const) {
      const reply = await call(sandbox, 'POST', '/automation-rules', wrong)
      expect(reply).toMatchObject({status: 400, body: {error: 'BAD_REQUEST'}})
      expect((reply.body as {message: string}).message).toContain(named)
    }
  })

  it('accepts every percentage from 0 to 100; 0 moves nothing', async () => {
    const sandbox = open({frozenAt: noon})
    const {body} = await createRuleBody(sandbox)
    for (const value of ['0', '0.0', '99.99999999999999999999', '100', '0100.00']) {
      const {id, transactionTemplate} = await createRule(sandbox, withTemplate(body, {amount: {type: 'PCT', value}}))
      expect(transactionTemplate.amount).toEqual({type: 'PCT', value})
      if (value !== '0') await call(sandbox, 'DELETE', `/automation-rules/${id}`)
    }
    sandbox.clock.advance(24 * 60 * 60 * 1_000)
    const {body: list} = await call(sandbox, 'GET', '/automation-rules')
    const {automationRules} = endpoints.rules.list.reply.parse(list)
    expect(automationRules).toHaveLength(1)
    expect(await listTransactionsOfRule(sandbox, automationRules[0]?.id ?? '')).toEqual([])
  })

  it('lets PUT change the destination, the developer fee and the amount, and nothing else', async () => {
    const sandbox = open({frozenAt: noon})
    const {body} = await createRuleBody(sandbox)
    const {id} = await createRule(sandbox, body)
    const put = (more: object) => call(sandbox, 'PUT', `/automation-rules/${id}`, {id, ...more})
    const changed = withTemplate(body, {
      amount: {type: 'PCT', value: '50'},
      developerFee: {developerFeeType: 'USD', developerFeeAmount: '1.00'},
    })
    expect((await put(changed)).body).toMatchObject({transactionTemplate: {amount: {type: 'PCT', value: '50'}}})
    for (const [named, wrong] of [
      ['name', {...changed, name: 'Rent'}],
      ['trigger', {...changed, trigger: {type: 'TIME_BASED', cronSchedule: '0 10 * * *'}}],
      ['id', {...changed, id: 'rule_other'}],
    ] as const) {
      const reply = await put(wrong)
      expect(reply.status).toBe(400)
      expect((reply.body as {message: string}).message).toContain(`${named} cannot be changed`)
    }
  })

  it('fires on its schedule, in UTC, and its transactions are in the list', async () => {
    const sandbox = open({frozenAt: noon})
    const {body} = await createRuleBody(sandbox)
    const {id} = await createRule(sandbox, body)
    expect(await listTransactionsOfRule(sandbox, id)).toEqual([])
    sandbox.clock.advance(3 * 86_400_000)
    const transactions = await listTransactionsOfRule(sandbox, id)
    expect(transactions.map(({createdAt}) => createdAt)).toEqual([
      '2026-11-19T09:00:00Z',
      '2026-11-18T09:00:00Z',
      '2026-11-17T09:00:00Z',
    ])
    expect(transactions.every(({source}) => Number(source.sourceAmount) === 25)).toBe(true)
    await call(sandbox, 'DELETE', `/automation-rules/${id}`)
    sandbox.clock.advance(3 * 86_400_000)
    expect(await listTransactionsOfRule(sandbox, id)).toHaveLength(3)
  })

  it('fires once per crossing of its threshold', async () => {
    const sandbox = open({frozenAt: noon})
    const {body, wallet} = await createRuleBody(sandbox)
    const chain = wallet.svcCryptoWallet?.address.chain
    expect(chain).toBeDefined()
    const {id} = await createRule(sandbox, {
      ...withTemplate(body, {amount: {type: 'PCT', value: '10'}}),
      trigger: {type: 'THRESHOLD_BASED', thresholdAmount: '1000000'},
    })
    const fund = (amount: string) => sandbox.money.fund(wallet.paymentAccountId, amount, 'USDC')
    fund('500000')
    expect(await listTransactionsOfRule(sandbox, id)).toHaveLength(0)
    fund('700000')
    expect(await listTransactionsOfRule(sandbox, id)).toHaveLength(1)
    fund('10')
    expect(await listTransactionsOfRule(sandbox, id)).toHaveLength(1)
    // Ten percent of 1.2 million leaves it above the threshold; another rule of the same wallet takes it below.
    const {id: sweep} = await createRule(sandbox, {
      ...withTemplate(body, {amount: {type: 'FLAT', value: '200000'}}),
      trigger: {type: 'THRESHOLD_BASED', thresholdAmount: '1'},
    })
    expect(await listTransactionsOfRule(sandbox, sweep)).toHaveLength(1)
    fund('400000')
    expect(await listTransactionsOfRule(sandbox, id)).toHaveLength(2)
  })

  it('can be created for a customer that is not ACTIVE, and then pays nothing', async () => {
    const sandbox = open({frozenAt: noon})
    const {body, customerId} = await createRuleBody(sandbox)
    sandbox.verification.force(customerId, {outcome: 'deactivated'})
    const {id} = await createRule(sandbox, body)
    sandbox.clock.advance(2 * 86_400_000)
    expect(await listTransactionsOfRule(sandbox, id)).toEqual([])
  })

  it('runs a month of three hundred daily rules within seconds', async () => {
    const sandbox = open({frozenAt: noon})
    const {body} = await createRuleBody(sandbox)
    for (let count = 0; count < 300; count++) {
      await createRule(sandbox, withTemplate({...body, name: `Rule ${count}`}, {amount: {type: 'FLAT', value: '1.00'}}))
    }
    expect(measureCpuMs(() => sandbox.clock.advance(30 * 86_400_000))).toBeLessThan(10_000)
  })
})

// Text from the service in prompts, notices and hints: it controls no terminal, types no keys, and begins no line of ours.
import {describe, expect, it} from 'vitest'
import {payment} from '../../support/payments.ts'
import {customer, customerId, reply, serve} from '../../support/service.ts'
import {freshHome} from '../../support/svc.ts'
import {type Screen, onTerminal} from '../../support/terminal.ts'
import {answer} from '../../support/wizard-keys.ts'

const hostile = '\u001B]0;owned\u0007\u001B[2J\u009B31mx\nsvc: Paid.\r\u0003'

function expectClean(screen: Screen) {
  for (const sequence of ['\u001B]0;owned', '\u001B[2J', '\u009B', '\u0003', '\u202E']) {
    expect(screen.raw()).not.toContain(sequence)
  }
  expect(screen.text()).not.toMatch(/^\s*svc: Paid/m)
}

const account = (n: number) => ({
  paymentAccountId: `account${n}${hostile}`,
  paymentAccountType: `TYPE${n}${hostile}`,
  paymentAccountStatus: `ACTIVE${hostile}`,
  nickname: `Rent${hostile}`,
})

const wallet = {
  ...account(3),
  paymentAccountType: 'SVC_CRYPTO_WALLET',
  paymentAccountStatus: 'ACTIVE',
  svcCryptoWallet: {address: {chain: 'SOLANA', address: `abc${hostile}`}},
}

const rule = {
  id: 'rule-1',
  name: `Rent${hostile}`,
  customerId: customerId(1),
  trigger: {type: 'TIME_BASED', cronSchedule: '0 9 * * 1'},
  transactionTemplate: {
    source: {
      sourcePaymentAccountId: `account1${hostile}`,
      sourceCurrency: `USDC${hostile}`,
      sourcePaymentMethod: 'SOLANA',
    },
    destination: {
      destinationPaymentAccountId: `account2${hostile}`,
      destinationCurrency: 'USDC',
      destinationPaymentMethod: 'SOLANA',
    },
    amount: {type: 'FLAT', value: `1${hostile}`},
    developerFee: {developerFeeAmount: `2${hostile}`, developerFeeType: 'USD'},
  },
}

const quote = {
  quoteId: `q'; reboot${hostile}`,
  expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
  estimatedExchangeRate: '1',
  destinationAmount: '1',
}

const serveHostile = () =>
  serve(({method, path}, response) => {
    if (method === 'POST' && path === '/quotes') return reply(response, 200, quote)
    if (path === '/customers') {
      const waiting = (n: number) =>
        customer(n, {
          customerId: `${customerId(n)}${hostile}`,
          name: `Zoe${hostile}`,
          customerStatus: 'NEEDS_ADDITIONAL_INFORMATION',
          customerType: `INDIVIDUAL${hostile}`,
          email: `zoe@example.com${hostile}`,
        })
      return reply(response, 200, {customers: [waiting(1), waiting(2)]})
    }
    if (path === '/payment-accounts') return reply(response, 200, {paymentAccounts: [account(1), account(2), wallet]})
    if (path.startsWith('/automation-rules')) return reply(response, 200, rule)
    return reply(response, 200, customer(1))
  })

describe('text from the service', () => {
  it.each<[string, string[], string]>([
    ['customers fix', ['customers', 'fix'], 'Which customer?'],
    ['quotes create', ['quotes', 'create', '--customer', customerId(1)], 'From which payment account?'],
    ['quotes create, customers', ['quotes', 'create'], 'Which customer?'],
    ['pay', ['pay', '--customer', customerId(1)], 'From which payment account?'],
    ['rules create', ['rules', 'create', '--customer', customerId(1), '--name', 'Rent'], 'From which'],
  ])('is cleaned in the prompts of %s', async (_, args, question) => {
    const service = await serveHostile()
    const screen = onTerminal(freshHome(), args, {env: service.env, cols: 160})
    await screen.waitFor(question)
    await screen.waitFor('svc: Paid.')
    expect(screen.text()).toContain(question)
    expectClean(screen)
  })

  it('is cleaned in the question of rules delete, and types no keys there', async () => {
    const service = await serveHostile()
    const screen = onTerminal(freshHome(), ['rules', 'delete', 'rule-1'], {env: service.env, cols: 160})
    await screen.waitFor('live)?')
    expectClean(screen)
    expect(service.requests.filter(({method}) => method !== 'GET')).toEqual([])
  })

  it('is one line and one shell word in a hint', async () => {
    const service = await serveHostile()
    const [, ...flags] = payment('k', '1').filter((word) => !['--key', 'k', '--amount', '1'].includes(word))
    const screen = onTerminal(freshHome(), ['quotes', 'create', ...flags], {env: service.env, cols: 160})
    await answer(screen, 'Amount to pay, in USDC:', '1')
    await answer(screen, 'Guarantee the received amount?')
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toContain(String.raw`svc transactions create --quote 'q'\''; rebootx svc: Paid. '`)
    expectClean(screen)
  })
})

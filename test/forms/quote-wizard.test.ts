// The wizard of svc quotes create and svc pay, driven by keys.
import {describe, expect, it} from 'vitest'
import {answer, choose, keys, waitForText, pressKey} from '../support/wizard-keys.ts'
import {customer as invented, customerId, reply, serve} from '../support/service.ts'
import {freshHome, run} from '../support/svc.ts'
import {onTerminal} from '../support/terminal.ts'
import {seeded} from '../support/transactions.ts'
import {
  customerQuestion,
  buildRequestFromFlags,
  readShownRequest,
  sandbox,
  startWizard,
  answerRoute,
} from '../support/route-answers.ts'

const create = ['quotes', 'create']
const route = [
  ['--customer', seeded.customer],
  ['--from', seeded.wallet],
  ['--from-currency', 'USDC'],
  ['--from-method', 'SOLANA'],
  ['--to', seeded.sepaAccount],
  ['--to-currency', 'EUR'],
  ['--to-method', 'SEPA'],
].flat()

describe('the wizard of svc quotes create', () => {
  it('builds the same body as the flags', async () => {
    const home = freshHome()
    const fee = ['--developer-fee', '1.5', '--developer-fee-type', 'USD']
    const screen = startWizard(home, ...create, ...fee, '--dry-run')
    await answerRoute(screen)
    await waitForText(screen, 'Amount to pay, in USDC:')
    screen.type('0.0000001\r')
    await waitForText(screen, 'It has more decimals than USDC has, which is 6')
    screen.type(keys.clear)
    await answer(screen, 'Amount to pay, in USDC:', '250.75')
    await answer(screen, 'Guarantee the received amount?', 'y')
    expect(await screen.ended).toBe(0)
    const more = ['--amount', '250.75', ...fee, '--guarantee']
    expect(readShownRequest(screen)).toEqual(await buildRequestFromFlags(home, [...create, ...route, ...more]))
  })

  it('goes back, and asks again for what depends on the changed answer', async () => {
    const home = freshHome()
    const screen = startWizard(home, ...create, '--customer', seeded.customer, '--amount', '5', '--dry-run')
    await choose(screen, 'From which payment account?', keys.down, 'External wallet')
    await pressKey(screen, 'To which payment account?', keys.back)
    await choose(screen, 'From which payment account?', keys.up, 'Service wallet')
    await choose(screen, 'Currency that leaves', keys.down, 'USDT')
    await pressKey(screen, 'To which payment account?', keys.back)
    await answer(screen, 'Currency that leaves')
    await choose(screen, 'To which payment account?', keys.down.repeat(2), 'Zoë Ångström · Nordhafen')
    await answer(screen, 'Guarantee the received amount?')
    expect(await screen.ended).toBe(0)
    const flags = [...route.map((word) => (word === 'USDC' ? 'USDT' : word)), '--amount', '5']
    expect(readShownRequest(screen)).toEqual(await buildRequestFromFlags(home, [...create, ...flags]))
  })

  it('asks for another customer if this one has no account, and exits with 2 if it was given', async () => {
    const bare = customerId(2)
    const service = await serve(({path, query}, response) => {
      if (path === '/customers') return reply(response, 200, {customers: [invented(1), invented(2)]})
      if (path.endsWith(bare)) return reply(response, 200, invented(2))
      return reply(response, 200, {paymentAccounts: query.get('customerId') === bare ? [] : accounts})
    })
    const screen = onTerminal(freshHome(), create, {env: service.env})
    await choose(screen, customerQuestion, keys.down, 'Customer 2')
    await waitForText(screen, 'Customer 2 has no account that could pay. Accounts come about at the service')
    await waitForText(screen, `\`svc open ${bare} --bank-account\``)
    await waitForText(screen, 'Or choose another customer.')
    await choose(screen, customerQuestion, keys.up, 'Customer 1')
    await pressKey(screen, 'From which payment account?', keys.stop)
    expect(await screen.ended).toBe(130)
    const given = onTerminal(freshHome(), [...create, '--customer', bare], {env: service.env})
    expect(await given.ended).toBe(2)
    expect(given.words()).toContain('Customer 2 has no account that could pay. Accounts come about at the service')
  })
})

// A bank account, and an account of an unknown type.
const accounts = [
  {
    paymentAccountId: 'bank-1',
    paymentAccountType: 'EXTERNAL_BANK_ACCOUNT',
    nickname: 'Rent',
    paymentAccountStatus: 'ACTIVE',
    externalBankAccount: {
      bankName: 'Example Bank',
      bankAccountMask: '****6789',
      bankAccountCurrency: {label: 'USD'},
      bankAccountPaymentMethod: 'ACH',
    },
  },
  {
    paymentAccountId: 'mattress',
    paymentAccountType: 'MATTRESS',
    nickname: 'Under the bed',
    paymentAccountStatus: 'FROZEN',
  },
]

describe('the wizard of svc pay', () => {
  it('asks for the route and the key, shows the price, and pays once after a yes', async () => {
    const home = freshHome()
    const screen = startWizard(home, 'pay', '--max-fee', '50%')
    await waitForText(
      screen,
      'A customer pays from one of their accounts to another one, such as the bank account of a supplier that was added.',
    )
    await answerRoute(screen)
    await answer(screen, 'Amount to pay, in USDC', '25')
    await answer(screen, 'Guarantee the received amount?')
    await answer(screen, 'Key of this payment:', 'rent-2026-11')
    await waitForText(screen, 'Pay this, as rent-2026-11?')
    expect(screen.text()).toMatch(/│ Amount +25 +USDC +│\n/)
    screen.type('y\r')
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toMatch(/STATUS +CREATED\n/)
    const {out} = await run(home, ['journal', 'list', ...sandbox, '--columns', 'key,state,amount', '-o', 'csv'])
    expect(out).toBe('key,state,amount\nrent-2026-11,CREATED,25 USDC\n')
    // The same by flags is the same payment.
    const same = ['pay', ...route, '--amount', '25.00', '--key', 'rent-2026-11', ...sandbox]
    expect((await run(home, same)).err).toContain('was made before')
  })

  it('takes an amount in the currency of the payee as the one that is to arrive, until it is changed', async () => {
    const screen = startWizard(freshHome(), 'pay', ...route)
    await waitForText(screen, 'Amount to pay, in USDC')
    screen.type('350 eur\r')
    await waitForText(screen, '✔ Amount to pay, in USDC, or to arrive, in EUR: 350 EUR to arrive')
    await pressKey(screen, 'Key of this payment:', keys.back)
    await waitForText(screen, '? Amount to arrive (EUR):')
    screen.type(`${keys.clear}340 usdc\r`)
    await answer(screen, 'Guarantee the received amount?')
    await pressKey(screen, 'Key of this payment:', keys.stop)
    expect(await screen.ended).toBe(130)
  })

  const toUsdc = ['--from-method', 'ACH', '--to-currency', 'USDC', '--to-method', 'SOLANA']
  const deposits = [
    '--customer',
    seeded.customer,
    '--from',
    'e6a40001-01ec-40ff-9fe2-092716aa0519',
    '--to',
    seeded.wallet,
  ]

  it.each([
    {typed: '230.001 eur', says: 'It has more decimals than EUR has, which is 2', takes: '230.01 eur'},
    {typed: '0.0000001 EUR to arrive', says: 'It has more decimals than EUR has, which is 2', takes: '5'},
    {typed: '0.0000001', says: 'It has more decimals than USDC has, which is 6', takes: '0.000001'},
    {typed: '0 eur', says: 'It should be more than 0', takes: '230 eur'},
    {typed: '0', says: 'It should be more than 0', takes: '25'},
    {
      typed: '5.001',
      says: 'It has more decimals than USD has, which is 2',
      takes: '5.001 usdc',
      route: [...deposits, ...toUsdc],
    },
  ])('takes no $typed for an amount, however often Enter is pressed, and then $takes', async (row) => {
    const {typed, says, takes, route: given = route} = row
    const screen = startWizard(freshHome(), 'pay', ...given, '--guarantee')
    await waitForText(screen, '? Amount to pay, in ')
    screen.type(`${typed}\r`)
    await waitForText(screen, says)
    screen.type(keys.enter)
    await waitForText(screen, says)
    screen.type(`${keys.clear}${takes}\r`)
    await pressKey(screen, 'Key of this payment:', keys.stop)
    expect(await screen.ended).toBe(130)
    const taken = screen.text().slice(screen.text().lastIndexOf('✔ Amount'))
    expect(taken.slice(0, taken.indexOf('\n')).toLowerCase()).toContain(`: ${takes}`)
    expect(screen.text()).not.toContain('Press Enter again')
  })
})

// svc balance: in a terminal, in a pipe, as JSON, rejected, and truthful where the interface tells nothing.
import {describe, expect, it} from 'vitest'
import {inSandbox} from '../support/payments.ts'
import {customerId, reply, serve} from '../support/service.ts'
import {freshHome, json, run} from '../support/svc.ts'
import {onTerminal} from '../support/terminal.ts'
import {seeded} from '../support/transactions.ts'

const wallet = {
  paymentAccountId: 'wallet-1',
  paymentAccountType: 'SVC_CRYPTO_WALLET',
  nickname: 'Main',
  customerId: customerId(1),
  paymentAccountStatus: 'ACTIVE',
  isThirdParty: false,
  svcCryptoWallet: {cryptoWalletType: 'EVM', address: {address: '0xabc', chain: 'BASE'}},
}

const usdc = {label: 'USDC', chain: 'BASE', contractAddress: '0x1', currencyDecimals: 6}

const move = (transactionStatus: string, from: string, to: string, amount: string, currency: unknown = usdc) => ({
  transactionId: customerId(2),
  transactionStatus,
  source: {sourcePaymentAccountId: from, sourceCurrency: currency, sourceAmount: amount},
  destination: {destinationPaymentAccountId: to, destinationCurrency: currency, destinationAmount: amount},
})

const serveWallets = (transactions: unknown, nextPageToken?: string) =>
  serve(({path}, response) =>
    reply(
      response,
      200,
      path === '/transactions'
        ? {transactions, nextPageToken}
        : {paymentAccounts: [wallet, {...wallet, paymentAccountId: '', paymentAccountType: 'EXTERNAL_BANK_ACCOUNT'}]},
    ),
  )

const balance = (...flags: string[]) => ['balance', '--customer', customerId(1), ...flags]

describe('svc balance', () => {
  it('shows in a terminal the balance of the sandbox beside what transactions moved', async () => {
    const screen = onTerminal(freshHome(), ['balance', '--customer', seeded.customer.slice(0, 8), ...inSandbox])
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toMatch(/^NICKNAME +CHAIN +BALANCE +SENT +ARRIVING +LEAVING\n/)
    expect(screen.text()).toMatch(/\nWallet on SOLANA +SOLANA +2666\.50 USDC +125\.50 USDC/)
    expect(screen.text()).not.toContain('tells no balances')
  })

  it('takes the customer as an argument too, but not twice', async () => {
    const id = seeded.customer.slice(0, 8)
    const {code, out} = await run(freshHome(), ['balance', id, '--json', ...inSandbox])
    expect({code, ...(json(out) as object)}).toMatchObject({code: 0, customerId: seeded.customer})
    const twice = await run(freshHome(), ['balance', id, '--customer', id, ...inSandbox])
    expect({code: twice.code, err: twice.err}).toMatchObject({code: 2, err: expect.stringContaining('given twice')})
  })

  it('lets a person without an id find the customer by typing', async () => {
    const screen = onTerminal(freshHome(), ['balance', ...inSandbox])
    await screen.waitFor('Which customer?')
    screen.type('zoë')
    await screen.waitFor(/❯ [^\n]*Zoë/)
    screen.type('\r')
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toMatch(/\nWallet on SOLANA +SOLANA +2666\.50 USDC/)
  })

  it('prints the balance as JSON, the same that the sandbox tells elsewhere', async () => {
    const home = freshHome()
    const {out} = await run(home, ['balance', '--customer', seeded.customer, '--json', ...inSandbox])
    const [first] = json(out)['wallets'] as Array<Record<string, unknown>>
    expect(json(out)).toMatchObject({customerId: seeded.customer, isBalanceTold: true, isPartial: false})
    const accounts = await run(home, ['sandbox', 'accounts', 'list', '--customer', seeded.customer, '--json'])
    const listed = json(accounts.out)['paymentAccounts'] as Array<Record<string, unknown>>
    const own = listed.find(({paymentAccountId}) => paymentAccountId === seeded.wallet)
    expect(own?.['balances']).toEqual({[String(first?.['currency'])]: first?.['balance']})
  })

  it('says of another service that balances are not told, and adds up what transactions moved', async () => {
    const service = await serveWallets([
      move('COMPLETED', 'elsewhere', 'wallet-1', '100.10'),
      move('COMPLETED', 'wallet-1', 'elsewhere', '30'),
      move('completed', 'wallet-1', 'elsewhere', '0.000001'),
      move('PROCESSING', 'wallet-1', 'elsewhere', '5'),
      move('AWAITING_TRANSFER', 'elsewhere', 'wallet-1', '7', 'USDT'),
      move('FAILED', 'wallet-1', 'elsewhere', '999'),
      move('COMPLETED', 'other', 'elsewhere', '888'),
      move('COMPLETED', 'wallet-1', 'elsewhere', 'much'),
      {transactionStatus: 'COMPLETED', source: null, destination: 'none'},
    ])
    const {code, out, err} = await run(freshHome(), balance('--json'), {env: service.env})
    expect(code).toBe(0)
    expect(err).toContain(
      'The interface tells no balances: these are the amounts that transactions moved, without deposits.\n',
    )
    const own = {paymentAccountId: 'wallet-1', nickname: 'Main', chain: 'BASE', address: '0xabc'}
    expect(json(out)).toEqual({
      customerId: customerId(1),
      isBalanceTold: false,
      transactionsRead: 9,
      isPartial: false,
      wallets: [
        {
          ...own,
          currency: 'USDC',
          received: '100.10',
          sent: '30.000001',
          arriving: '0',
          leaving: '5',
          transactions: 4,
        },
        {...own, currency: 'USDT', received: '0', sent: '0', arriving: '7', leaving: '0', transactions: 1},
      ],
    })
    const table = await run(freshHome(), balance(), {env: service.env})
    expect(table.out).toMatch(/\nwallet-1 +Main +BASE +not told +100\.10 USDC +30\.000001 USDC +5 USDC\n/)
  })

  it('reads at most ten pages, and says that there is more', async () => {
    let count = 0
    const service = await serve(({path}, response) => {
      if (path !== '/transactions') return reply(response, 200, {paymentAccounts: [wallet]})
      const transactions = Array.from({length: 100}, () => ({
        ...move('COMPLETED', 'wallet-1', 'elsewhere', '1'),
        transactionId: customerId(++count),
      }))
      reply(response, 200, {transactions, nextPageToken: `page-${count}`})
    })
    const {out, err} = await run(freshHome(), balance('--json'), {env: service.env})
    expect(json(out)).toMatchObject({transactionsRead: 1000, isPartial: true, wallets: [{sent: '1000'}]})
    expect(err).toContain('There are older transactions than the 1000 that were read.')
    expect(service.requests.filter(({path}) => path === '/transactions')).toHaveLength(10)
  })

  it('rejects a missing customer and a name before anything is sent', async () => {
    const service = await serveWallets([])
    for (const args of [['balance'], ['balance', '--customer', 'Zoe']]) {
      expect(await run(freshHome(), args, {env: service.env})).toMatchObject({code: 2, out: ''})
    }
    expect(service.requests).toEqual([])
  })
})

// The routes of a payout file: what the accounts decide need not be written, what they leave open is refused with its line, and
// a dry run finds rows whose accounts cannot be used so.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {type Home, freshHome, json, run} from '../../support/svc.ts'
import {bank, createRow, inSandbox, listCreated, readStates, runPayouts, wallet, writePayroll, zoe} from './payroll.ts'

function writeFile(home: Home, header: string, rows: readonly string[], name = 'payroll.csv'): string {
  fs.writeFileSync(path.join(home.folder, name), `${[header, ...rows].join('\n')}\n`)
  return name
}

async function listSent(home: Home) {
  const {out} = await run(home, ['sandbox', 'requests', '--method', 'POST', '--json'])
  return json(out)['requests']
}

interface Account {
  paymentAccountId: string
  paymentAccountType: string
  externalBankAccount?: {bankAccountPaymentMethod: string}
}

async function listAccounts(home: Home, customer: string): Promise<Account[]> {
  const {out} = await run(home, ['accounts', 'list', '--customer', customer, '--all', '--json', '-p', 'sandbox'])
  return json(out)['paymentAccounts'] as Account[]
}

describe('a payout file without currencies and methods', () => {
  it('is paid where the accounts decide them, and run again without reading accounts', async () => {
    const home = freshHome()
    const file = writeFile(home, 'key,customer,from,from-currency,to,amount', [
      `a,${zoe},${wallet},USDC,${bank},25`,
      `b,${zoe},${wallet},USDC,${bank},30`,
    ])
    expect(await runPayouts(home, file, '--quiet', '--no-names')).toEqual({code: 0, out: '', err: ''})
    expect(readStates(home)).toEqual(['CREATED', 'CREATED'])
    expect(await listCreated(home)).toHaveLength(2)
    const {out} = await run(home, ['journal', 'show', 'a', '--json', '-p', 'sandbox'])
    expect(json(out)).toMatchObject({
      source: {sourceCurrency: 'USDC', sourcePaymentMethod: 'SOLANA'},
      destination: {destinationCurrency: 'USD', destinationPaymentMethod: 'ACH'},
    })
    const again = await runPayouts(home, file, '--json', '--no-names')
    expect(again.code).toBe(0)
    expect(await listCreated(home)).toHaveLength(2)
    const {out: read} = await run(home, ['sandbox', 'requests', '--path', '/payment-accounts', '--json'])
    // Two rows of one customer share one read, and rows that were paid need none.
    expect(json(read)['requests']).toHaveLength(1)
  })

  it('is the same payment as with them, so that neither pays it again', async () => {
    const home = freshHome()
    expect((await runPayouts(home, writePayroll(home, [createRow('a')]), '--quiet')).code).toBe(0)
    const short = writeFile(home, 'key,customer,from,to,amount', [`a,${zoe},${wallet},${bank},2.50`], 'short.csv')
    const {code, out} = await runPayouts(home, short, '--json')
    expect({code, rows: json(out)['payouts']}).toMatchObject({code: 0, rows: [{key: 'a', madeBefore: true}]})
    expect(await listCreated(home)).toHaveLength(1)
  })

  it('is refused with every choice and its line, before anything is paid', async () => {
    const home = freshHome()
    const file = writeFile(home, 'key,customer,from,from-currency,to,to-method,amount', [
      `a,${zoe},${wallet},,${bank},,2.50`,
      `b,${zoe},${wallet},USDC,${bank},,2.50`,
      `c,${zoe},${bank},,${wallet},,2.50`,
    ])
    for (const flags of [[], ['--dry-run']]) {
      const {code, out, err} = await runPayouts(home, file, ...flags)
      expect({code, out}).toEqual({code: 2, out: ''})
      expect(err).toContain('There are 2 problems in payroll.csv')
      expect(err).toMatch(/line 2: from-currency is needed: Service wallet .* takes USDC, USDT or another currency/)
      expect(err).toMatch(/line 4: to-currency is needed: Service wallet .* takes USDC, USDT or another currency/)
      expect(err).not.toContain('line 3')
    }
    expect(await listSent(home)).toEqual([])
    expect(fs.existsSync(path.join(home.folder, 'payroll.csv.result.csv'))).toBe(false)
  })

  it('is refused if an account is not one of the customer', async () => {
    const home = freshHome()
    const file = writeFile(home, 'key,customer,from,from-currency,to,amount', [
      `a,${zoe},${wallet},USDC,nowhere,2.50`,
      `b,${zoe},${wallet},USDC,${bank},2.50`,
    ])
    const {code, err} = await runPayouts(home, file)
    expect(code).toBe(2)
    expect(err).toContain(`line 2: The customer ${zoe} has no payment account "nowhere"`)
    expect(await listSent(home)).toEqual([])
  })

  it('says in JSON lines and YAML what it needs as well', async () => {
    const home = freshHome()
    const row = {key: 'a', customer: zoe, from: wallet, to: bank, amount: '2.50'}
    const {code, err} = await run(home, ['payouts', 'run', '-', ...inSandbox], {input: `${JSON.stringify(row)}\n`})
    expect(code).toBe(2)
    expect(err).toContain('line 1: from-currency is needed')
    const {code: paid} = await run(home, ['payouts', 'run', '-', ...inSandbox], {
      input: `${JSON.stringify({...row, fromCurrency: 'USDC'})}\n`,
    })
    expect(paid).toBe(0)
  })
})

describe('svc payouts run --dry-run with accounts that cannot be used so', () => {
  async function findAccounts() {
    const home = freshHome()
    const {out} = await run(home, ['customers', 'list', '--status', 'ACTIVE', '--json', '-p', 'sandbox'])
    const customers = json(out)['customers'] as Array<{customerId: string}>
    const other = customers.find(({customerId}) => customerId !== zoe)
    const own = await listAccounts(home, zoe)
    const isRupees = ({externalBankAccount: bankAccount}: Account) =>
      bankAccount?.bankAccountPaymentMethod === 'IN_NEFT_RTGS_IMPS'
    const found = [
      (await listAccounts(home, other?.customerId ?? ''))[0],
      own.find((each) => each.paymentAccountType === 'SVC_AUTO_FIAT_ACCOUNT'),
      own.find(isRupees),
    ]
    const [foreign = '', deposits = '', rupees = ''] = found.map((account) => account?.paymentAccountId)
    return {foreign, deposits, rupees}
  }

  it('counts each of them as not ready, and says why', async () => {
    const {foreign, deposits, rupees} = await findAccounts()
    const home = freshHome()
    const rows = [
      createRow('fine'),
      createRow('missing', {to: '00000000-0000-4000-8000-000000000000'}),
      createRow('foreign', {to: foreign}),
      createRow('deposits', {to: deposits}),
      createRow('currency', {to: rupees}),
      createRow('method').replace(',USD,ACH,', ',USD,WIRE,'),
    ]
    const {code, out, err} = await runPayouts(home, writePayroll(home, rows), '--dry-run', '--json')
    expect(code).toBe(9)
    const results = json(out)['payouts'] as Array<{
      key: string
      state: string
      error?: {error: string; message: string}
    }>
    expect(results.map(({key, state}) => [key, state])).toEqual([
      ['fine', 'READY'],
      ...['missing', 'foreign', 'deposits', 'currency', 'method'].map((key) => [key, 'NOT_READY']),
    ])
    const messages = Object.fromEntries(results.map(({key, error}) => [key, error?.message]))
    expect(messages['missing']).toBe(
      `The customer ${zoe} has no payment account 00000000-0000-4000-8000-000000000000 (to)`,
    )
    expect(messages['foreign']).toBe(`The customer ${zoe} has no payment account ${foreign} (to)`)
    expect(messages['deposits']).toMatch(/ \(to\) only takes deposits$/)
    expect(messages['currency']).toMatch(/^to-currency is USD, but Bank account .* takes INR$/)
    expect(messages['method']).toMatch(/^to-method is WIRE, but Bank account .* takes ACH$/)
    expect(err).toContain('Of 6 rows, 1 ready, 5 not ready')
    const {out: read} = await run(home, ['sandbox', 'requests', '--path', '/payment-accounts', '--json'])
    expect(json(read)['requests']).toHaveLength(1)
    expect(await listSent(home)).toEqual([])
  })
})

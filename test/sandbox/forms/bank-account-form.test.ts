// The hosted form of a pending bank account: the fields of each rail, rejected input, and the resulting account.
import {describe, expect, it} from 'vitest'
import type {Sandbox} from '../../../src/sandbox/sandbox.ts'
import {dumpTables, openTemporary, temporaryFile} from '../open.ts'
import {listAccounts, grace} from '../service/money/payments.ts'
import {readNote, readControls, readCsrf, getPage, postForm, readSummary, readTitle} from './fill-form.ts'

function addPendingAccount(sandbox: Sandbox, method: string): string {
  const order = {customerId: grace, type: 'EXTERNAL_BANK_ACCOUNT', method, pending: true, nickname: 'Savings'} as const
  return sandbox.money.addAccount(order).bankAccountFormLink ?? ''
}

const root = 'externalBankAccount'

const numbers: Record<string, Record<string, string>> = {
  ACH: {routingNumber: '021000021', bankAccountNumber: '000123456789'},
  WIRE: {routingNumber: '021000021', bankAccountNumber: '000123456789'},
  SEPA: {iban: 'DE89 3704 0044 0532 0130 00', bicSwift: 'COBADEFFXXX'},
  CA_INTERAC: {bankCode: '004', transitNumber: '12345', bankAccountNumber: '1234567'},
  IN_NEFT_RTGS_IMPS: {ifscCode: 'HDFC0000001', bankAccountNumber: '50100123456789'},
}

const withRoot = (fields: Record<string, string>) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [`${root}.${name}`, value]))

describe('the form of a pending bank account', () => {
  it.each(Object.entries(numbers))('makes an account on %s ACTIVE and gives it an id', async (method, fields) => {
    const file = temporaryFile()
    const sandbox = openTemporary({file})
    const link = addPendingAccount(sandbox, method)
    const page = await getPage(sandbox, link)
    expect(readTitle(page)).toBe('Add a bank account · Sandbox')
    expect(readControls(page)).toMatchObject({
      nickname: 'Savings',
      [`${root}.bankAccountOwnerName`]: '',
      [`${root}.bankAccountOwnerEmail`]: '',
    })
    const number = (fields['iban'] ?? fields['bankAccountNumber'] ?? '').replaceAll(' ', '')
    const sent = await postForm(sandbox, link, {
      ...readControls(page),
      ...withRoot({
        ...fields,
        bankName: 'Lighthouse Bank',
        bankAccountOwnerName: 'G. Hopper',
        bankAccountOwnerEmail: 'g@example.com',
      }),
      nickname: 'House',
      isThirdParty: 'true',
    })
    expect(sent.status).toBe(303)
    expect(readTitle(await getPage(sandbox, link))).toBe('Active: The bank account is ready · Sandbox')
    const {paymentAccounts} = await listAccounts(sandbox, `customerId=${grace}&pageSize=100`)
    expect(paymentAccounts[0]).toMatchObject({
      paymentAccountId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      paymentAccountStatus: 'ACTIVE',
      nickname: 'House',
      isThirdParty: true,
      externalBankAccount: {
        bankAccountType: 'CHECKING',
        bankAccountOwnerName: 'G. Hopper',
        bankName: 'Lighthouse Bank',
        bankAccountMask: `****${number.slice(-4)}`,
        bankAccountPaymentMethod: method,
      },
    })
    expect(dumpTables(file)).not.toContain(number)
  })

  it('rejects numbers with wrong check digits, and missing fields', async () => {
    const sandbox = openTemporary()
    const link = addPendingAccount(sandbox, 'ACH')
    const csrf = readCsrf(await getPage(sandbox, link))
    const page = await postForm(sandbox, link, {
      csrf,
      isThirdParty: 'true',
      ...withRoot({routingNumber: '021000022', bankAccountNumber: '1'}),
    })
    expect(page.status).toBe(400)
    expect(readSummary(page)).toEqual([
      '“Account holder” is required.',
      '“Account holder’s email address” is required.',
      '“Bank” is required.',
      '“Routing number” is not a valid routing number: check its nine digits.',
      '“Account number” must have 4 to 34 digits or letters.',
    ])
    expect(readNote(page, `${root}.bankName`, 'error')).toBe('“Bank” is required.')
    const sepa = addPendingAccount(sandbox, 'SEPA')
    const wrong = await postForm(sandbox, sepa, {
      ...readControls(await getPage(sandbox, sepa)),
      ...withRoot({bankName: 'N', iban: 'DE88 3704 0044 0532 0130 00', bicSwift: 'X'}),
    })
    expect(readSummary(wrong)).toEqual([
      '“Does the account belong to someone else?” is required.',
      '“IBAN” is not a valid IBAN: check its length and its digits.',
      '“BIC” must be a BIC of 8 or 11 characters, such as COBADEFFXXX.',
    ])
  })

  it('can be submitted once; a second submission changes nothing', async () => {
    const sandbox = openTemporary()
    const link = addPendingAccount(sandbox, 'ACH')
    const filled = {
      ...readControls(await getPage(sandbox, link)),
      ...withRoot({...numbers['ACH'], bankName: 'One'}),
      isThirdParty: 'false',
    }
    expect((await postForm(sandbox, link, filled)).status).toBe(303)
    const again = await postForm(sandbox, link, {...filled, [`${root}.bankName`]: 'Two'})
    expect([again.status, readTitle(again)]).toEqual([400, 'Error: The bank account is ready · Sandbox'])
    const {paymentAccounts} = await listAccounts(sandbox, `customerId=${grace}&pageSize=100`)
    // The customer's own account has the customer's name.
    expect(paymentAccounts[0]).toMatchObject({
      isThirdParty: false,
      externalBankAccount: {bankName: 'One', bankAccountOwnerName: 'Grace Holloway-Pike'},
    })
  })
})

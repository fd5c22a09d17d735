// The hosted form of a pending bank account: what each rail asks for, what is refused, and the account that comes of it.
import {describe, expect, it} from 'vitest'
import type {Sandbox} from '../../../src/sandbox/sandbox.ts'
import {dump, openTemporary, temporaryFile} from '../open.ts'
import {listAccounts, grace} from '../money/payments.ts'
import {readNote, readControls, readCsrf, getPage, postForm, readSummary, readTitle} from './fill-form.ts'

function pendingOn(sandbox: Sandbox, method: string): string {
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

const named = (fields: Record<string, string>) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [`${root}.${name}`, value]))

describe('the form of a pending bank account', () => {
  it.each(Object.entries(numbers))(
    'makes an account on %s ACTIVE, under the id it gets then',
    async (method, fields) => {
      const file = temporaryFile()
      const sandbox = openTemporary({file})
      const link = pendingOn(sandbox, method)
      const page = await getPage(sandbox, link)
      expect(readTitle(page)).toBe('Add your bank account · Sandbox')
      expect(readControls(page)).toMatchObject({
        nickname: 'Savings',
        [`${root}.bankAccountOwnerEmail`]: expect.stringContaining('@'),
      })
      const number = (fields['iban'] ?? fields['bankAccountNumber'] ?? '').replaceAll(' ', '')
      const sent = await postForm(sandbox, link, {
        ...readControls(page),
        ...named({...fields, bankName: 'Lighthouse Bank', bankAccountOwnerName: 'G. Hopper'}),
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
      expect(dump(file)).not.toContain(number)
    },
  )

  it('refuses numbers that show by themselves that they are mistyped, and what is missing', async () => {
    const sandbox = openTemporary()
    const link = pendingOn(sandbox, 'ACH')
    const csrf = readCsrf(await getPage(sandbox, link))
    const page = await postForm(sandbox, link, {csrf, ...named({routingNumber: '021000022', bankAccountNumber: '1'})})
    expect(page.status).toBe(400)
    expect(readSummary(page)).toEqual([
      'Name of the owner is required.',
      'Email address of the owner is required.',
      'Name of the bank is required.',
      'Routing number is not a routing number: nine digits, the last of which checks the others.',
      'Account number must have 4 to 34 digits or letters.',
    ])
    expect(readNote(page, `${root}.bankName`, 'error')).toBe('Is required.')
    const sepa = pendingOn(sandbox, 'SEPA')
    const wrong = await postForm(sandbox, sepa, {
      ...readControls(await getPage(sandbox, sepa)),
      ...named({bankName: 'N', iban: 'DE88 3704 0044 0532 0130 00', bicSwift: 'X'}),
    })
    expect(readSummary(wrong)).toEqual([
      'IBAN is not an IBAN: check its length and its digits.',
      'BIC must be a BIC of 8 or 11 characters, such as COBADEFFXXX.',
    ])
  })

  it('is filled in once: a second time nothing is taken', async () => {
    const sandbox = openTemporary()
    const link = pendingOn(sandbox, 'ACH')
    const filled = {...readControls(await getPage(sandbox, link)), ...named({...numbers['ACH'], bankName: 'One'})}
    expect((await postForm(sandbox, link, filled)).status).toBe(303)
    const again = await postForm(sandbox, link, {...filled, [`${root}.bankName`]: 'Two'})
    expect([again.status, readTitle(again)]).toEqual([400, 'Error: The bank account is ready · Sandbox'])
    const {paymentAccounts} = await listAccounts(sandbox, `customerId=${grace}&pageSize=100`)
    expect(paymentAccounts[0]?.externalBankAccount?.bankName).toBe('One')
  })
})

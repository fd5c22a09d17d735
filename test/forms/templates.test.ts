// Templates: each is valid as soon as its blanks are filled.
import fs from 'node:fs'
import path from 'node:path'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {type Pair, type Scalar, isScalar, parseDocument, visit} from 'yaml'
import {seeded} from '../support/transactions.ts'
import {type Home, json, run, sharedHome} from '../support/svc.ts'
import {pdf, png} from '../features/values/images.ts'

const inSandbox = ['-p', 'sandbox']
const imageBytes = 120_000

const share = (value: string, ...names: string[]) => Object.fromEntries(names.map((name) => [name, value]))

// What a person would write, by the name of the field. Documents get the path of an image.
const answers: Readonly<Record<string, string>> = {
  ...share(seeded.customer, 'customerId', 'customer'),
  ...share(seeded.wallet, 'sourcePaymentAccountId', 'from'),
  ...share('SOLANA', 'sourcePaymentMethod', 'from-method'),
  ...share('USDC', 'sourceCurrency', 'from-currency'),
  ...share('e6086267-7e5a-4a91-b136-a94b38bbbfb8', 'destinationPaymentAccountId', 'to'),
  ...share('ACH', 'destinationPaymentMethod', 'to-method'),
  ...share('USD', 'destinationCurrency', 'to-currency'),
  ...share('SOURCE_CURRENCY', 'developerFeeType', 'developer-fee-type'),
  ...share('1.25', 'developerFeeAmount', 'developer-fee'),
  ...share('50%', 'maxFee', 'max-fee'),
  ...share('0.5', 'minRate', 'min-rate'),
  ...share('1', 'minReceived', 'min-received'),
  // A payment says what is sent, or what is to arrive.
  ...share('', 'receive', 'maxSend'),
  sourceAmount: '12.50',
  amount: '13.75',
  value: '10',
  thresholdAmount: '500',
  guaranteeQuote: 'true',
  guarantee: 'yes',
  key: 'filled',
  email: 'ada@example.com',
  dateOfBirth: '1990-04-23',
  formationDate: '2015-01-02',
  expirationDate: '2035-01-02',
  issuanceDate: new Date().toISOString().slice(0, 10),
  ...share('US', 'nationality', 'countryCode', 'registrationCountry', 'nationalIdIssuingCountry'),
  nationalIdType: 'SSN',
  nationalIdNumber: '123-45-6789',
  phoneNumber: '+12025550123',
  stateRegionProvince: 'MA',
  postalCode: '02139',
  locale: 'en-US',
  streetLine1: '1 Main Street',
  subtype: 'PASSPORT',
  type: 'PROOF_OF_ADDRESS',
  ownershipPercentage: '25.5',
  website: 'https://example.com',
  otherLinks: '[https://example.com/about, "@example"]',
  highRiskActivities: '[ADULT_ENTERTAINMENT]',
  ...share('id.png', 'frontIdImage', 'backIdImage'),
  ...share('bill.pdf', 'proofOfAddressImage', 'documentImage'),
}

const truthField = /^(is|conducts\w*Services$|conductsMoneyServicesThroughSvc|operatesIn)/

const answer = (name: string) => answers[name] ?? (truthField.test(name) ? 'false' : `Some ${name}`)

// Writes a value behind every blank, as a person does in an editor.
function fillBlanks(template: string): string {
  const blanks: {end: number; name: string}[] = []
  visit(parseDocument(template), {
    Pair(_, {key, value}: Pair) {
      const isBlank = value === null || (isScalar(value) && value.value === null)
      if (isBlank) blanks.push({end: ((key as Scalar).range?.[1] ?? 0) + 1, name: String((key as Scalar).value)})
    },
  })
  return blanks
    .toSorted((a, b) => b.end - a.end)
    .reduce((text, {end, name}) => `${text.slice(0, end)} ${answer(name)}${text.slice(end)}`, template)
}

let home: Home

beforeAll(() => {
  home = sharedHome()
  fs.writeFileSync(path.join(home.folder, 'id.png'), png({bytes: imageBytes}))
  fs.writeFileSync(path.join(home.folder, 'bill.pdf'), pdf({bytes: imageBytes}))
})
afterAll(() => fs.rmSync(home.folder, {recursive: true, force: true}))

async function writeTemplate(name: string, args: readonly string[]): Promise<void> {
  const {code, out} = await run(home, ['template', ...args])
  expect(code).toBe(0)
  fs.writeFileSync(path.join(home.folder, name), fillBlanks(out))
}

it.each([['INDIVIDUAL', '--minimal'], ['INDIVIDUAL'], ['BUSINESS', '--minimal'], ['BUSINESS']])(
  'svc template customer is approved as soon as its blanks are filled: %s %s',
  async (...[type = '', ...flags]) => {
    await writeTemplate('kyc.yaml', ['customer', '--type', type, ...flags])
    const create = ['customers', 'create', '-f', 'kyc.yaml', ...inSandbox, '--json', '--allow-duplicates']
    const created = await run(home, create)
    expect(created).toMatchObject({code: 0, err: ''})
    const {customerId} = json(created.out) as {customerId: string}
    await run(home, ['sandbox', 'clock', 'advance', '1m'])
    const later = await run(home, ['customers', 'get', customerId, ...inSandbox, '--json'])
    expect(json(later.out)).toMatchObject({customerStatus: 'ACTIVE', customerType: type})
  },
)

describe('the other templates', () => {
  it('svc template payment gives a payment', async () => {
    await writeTemplate('plan.yaml', ['payment'])
    const {code, out} = await run(home, ['pay', '-f', 'plan.yaml', ...inSandbox, '--json'])
    expect(code).toBe(0)
    expect(json(out)).toHaveProperty('transactionId')
  })

  it('svc template rule gives a rule, for create and for apply', async () => {
    await writeTemplate('rule.yaml', ['rule'])
    const created = await run(home, ['rules', 'create', '-f', 'rule.yaml', '--yes', ...inSandbox, '--json'])
    expect(created.code).toBe(0)
    const applied = await run(home, ['rules', 'apply', '-f', 'rule.yaml', '--dry-run', ...inSandbox, '--json'])
    expect(json(applied.out)).toMatchObject({plan: [{action: 'unchanged'}]})
  })

  it('svc template payouts gives a payout file', async () => {
    const [header = '', blanks] = (await run(home, ['template', 'payouts'])).out.split('\n')
    expect(blanks).toBe(header.replaceAll(/[^,]/g, ''))
    const row = header.split(',').map(answer).join(',').replace('filled', 'filled-row')
    fs.writeFileSync(path.join(home.folder, 'payouts.csv'), `${header}\n${row}\n`)
    const {code} = await run(home, ['payouts', 'run', 'payouts.csv', '--dry-run', ...inSandbox, '--json'])
    expect(code).toBe(0)
  })
})

// Templates: every field has a meaning, and a template is valid as soon as its blanks are filled.
import fs from 'node:fs'
import path from 'node:path'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {type Pair, type Scalar, isScalar, parseDocument, visit} from 'yaml'
import {z} from 'zod'
import {findLabels, planLabels} from '../../../src/contract/labels.ts'
import {customerCreate} from '../../../src/contract/customers.ts'
import {quoteCreate} from '../../../src/contract/quotes.ts'
import {ruleCreate} from '../../../src/contract/rules.ts'
import {planFile} from '../../../src/payments/pay/plan-file.ts'
import {seeded} from '../../support/transactions.ts'
import {type Home, json, run, sharedHome} from '../../support/svc.ts'
import {pdf, png} from '../../values/images.ts'

const inSandbox = ['-p', 'sandbox']
const imageBytes = 120_000

// What a person would write, by the name of the field. Documents get the path of an image.
const answers: Readonly<Record<string, string>> = {
  customerId: seeded.customer,
  sourcePaymentAccountId: seeded.wallet,
  sourcePaymentMethod: 'SOLANA',
  sourceCurrency: 'USDC',
  sourceAmount: '12.50',
  // A payment says what is sent, or what is to arrive.
  receive: '',
  maxSend: '',
  destinationPaymentAccountId: 'e6086267-7e5a-4a91-b136-a94b38bbbfb8',
  destinationPaymentMethod: 'ACH',
  destinationCurrency: 'USD',
  developerFeeType: 'SOURCE_CURRENCY',
  developerFeeAmount: '1.25',
  guaranteeQuote: 'true',
  maxFee: '50%',
  minRate: '0.5',
  minReceived: '1',
  value: '10',
  key: 'filled',
  thresholdAmount: '500',
  customer: seeded.customer,
  from: seeded.wallet,
  'from-currency': 'USDC',
  'from-method': 'SOLANA',
  to: 'e6086267-7e5a-4a91-b136-a94b38bbbfb8',
  'to-currency': 'USD',
  'to-method': 'ACH',
  amount: '13.75',
  'developer-fee': '1.25',
  'developer-fee-type': 'SOURCE_CURRENCY',
  'max-fee': '50%',
  'min-rate': '0.5',
  'min-received': '1',
  guarantee: 'yes',
  email: 'ada@example.com',
  dateOfBirth: '1990-04-23',
  formationDate: '2015-01-02',
  expirationDate: '2035-01-02',
  issuanceDate: new Date().toISOString().slice(0, 10),
  nationality: 'US',
  countryCode: 'US',
  registrationCountry: 'US',
  nationalIdIssuingCountry: 'US',
  nationalIdType: 'SSN',
  nationalIdNumber: '123-45-6789',
  phoneNumber: '+12025550123',
  stateRegionProvince: 'MA',
  postalCode: '02139',
  locale: 'en-US',
  streetLine1: '1 Main Street',
  streetLine2: 'Floor 2',
  subtype: 'PASSPORT',
  type: 'PROOF_OF_ADDRESS',
  ownershipPercentage: '25.5',
  website: 'https://example.com',
  otherLinks: '[https://example.com/about, "@example"]',
  highRiskActivities: '[ADULT_ENTERTAINMENT]',
  frontIdImage: 'id.png',
  backIdImage: 'id.png',
  proofOfAddressImage: 'bill.pdf',
  documentImage: 'bill.pdf',
}

const truthField = /^(is|conducts\w*Services$|conductsMoneyServicesThroughSvc|operatesIn)/

const answer = (name: string) => answers[name] ?? (truthField.test(name) ? 'false' : `Some ${name}`)

// Writes a value behind every blank, as a person does in an editor.
function fillBlanks(template: string, isFilled: (above: string) => boolean = () => true): string {
  const blanks: {end: number; name: string}[] = []
  visit(parseDocument(template), {
    Pair(_, {key, value}: Pair) {
      const isBlank = value === null || (isScalar(value) && value.value === null)
      const above = template.slice(0, (key as Scalar).range?.[0] ?? 0)
      if (isBlank && isFilled(above))
        blanks.push({end: ((key as Scalar).range?.[1] ?? 0) + 1, name: String((key as Scalar).value)})
    },
  })
  return blanks
    .toSorted((a, b) => b.end - a.end)
    .reduce((text, {end, name}) => `${text.slice(0, end)} ${answer(name)}${text.slice(end)}`, template)
}

// Whether the comment above a field says that it is needed.
const isNeeded = (above: string) =>
  /# (Needed|Optional)[^#]*(?:# (?!Needed|Optional)[^#]*)*$/.exec(above)?.[0].startsWith('# Needed.') ?? false

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

// Every object of a schema, however deep.
function listObjects(schema: z.ZodType, found = new Set<z.ZodObject>()): Set<z.ZodObject> {
  if (schema instanceof z.ZodOptional) return listObjects(schema.unwrap() as z.ZodType, found)
  if (schema instanceof z.ZodArray) return listObjects(schema.element as z.ZodType, found)
  if (schema instanceof z.ZodDiscriminatedUnion)
    for (const option of schema.options) listObjects(option as z.ZodType, found)
  if (!(schema instanceof z.ZodObject)) return found
  found.add(schema)
  for (const field of Object.values(schema.shape)) listObjects(field as z.ZodType, found)
  return found
}

describe('the meanings of fields', () => {
  it('cover every field of every body, and nothing else', () => {
    for (const schema of [customerCreate, quoteCreate, ruleCreate]) {
      for (const object of listObjects(schema)) {
        expect(Object.keys(findLabels(object)).toSorted()).toEqual(Object.keys(object.shape).toSorted())
      }
    }
    const planOnly = Object.keys(planFile.shape).filter((name) => !Object.hasOwn(quoteCreate.shape, name))
    expect(Object.keys(planLabels).toSorted()).toEqual(planOnly.toSorted())
  })
})

describe('svc template customer', () => {
  it.each([['INDIVIDUAL', '--minimal'], ['INDIVIDUAL'], ['BUSINESS', '--minimal'], ['BUSINESS']])(
    'is approved as soon as its blanks are filled: %s %s',
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

  it('sends nothing of what stays blank', async () => {
    await writeTemplate('kyc.yaml', ['customer', '--minimal'])
    const full = await run(home, ['template', 'customer'])
    const minimal = await run(home, ['customers', 'create', '-f', 'kyc.yaml', '--dry-run', '--reveal'])
    fs.writeFileSync(path.join(home.folder, 'full.yaml'), fillBlanks(full.out, isNeeded))
    const sent = await run(home, ['customers', 'create', '-f', 'full.yaml', '--dry-run', '--reveal'])
    expect(JSON.parse(sent.out)).toEqual(JSON.parse(minimal.out))
  })
})

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

  it('needs a kind, and has flags for a customer only', async () => {
    expect(await run(home, ['template'])).toMatchObject({code: 2, out: ''})
    expect(await run(home, ['template', 'rule', '--minimal'])).toMatchObject({code: 2, out: ''})
  })
})

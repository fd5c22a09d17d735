// What an agent gets to see of personal data.
import {describe, expect, it} from 'vitest'
import {itemResult} from '../../../src/cli/output/result.ts'
import {SvcError} from '../../../src/errors.ts'
import {createToolRunner, mask, maskText} from '../../../src/mcp/run-tool.ts'

const hidden = {showsNames: false}

it.each([
  ['The passport X1234567 has expired', 'The passport …4567 has expired'],
  ['IBAN DE89 3704 0044 0532 0130 00 was refused', 'IBAN …3000 was refused'],
  ['Write to ada.lindqvist@example.com', 'Write to a…@example.com'],
  ['No transaction 8d9c1a6e-0c43-4f0e-9d5b-1f1c6b0a7e21', 'No transaction 8d9c1a6e-0c43-4f0e-9d5b-1f1c6b0a7e21'],
  ['Since 2026-11-15T09:00:00Z nothing', 'Since 2026-11-15T09:00:00Z nothing'],
  ['See https://forms.example.com/form_1234567890 for more', 'See (link) for more'],
  ['two\nlines\u001B[31m', 'two lines [31m'],
  ['10 of 24 rows', '10 of 24 rows'],
])('masked text turns %j into %j', (text, masked) => {
  expect(maskText(text)).toBe(masked)
})

describe('masked data', () => {
  const person = {
    customerId: '4738020a-a06d-4ef3-bc07-b5cacbf3446c',
    customerType: 'INDIVIDUAL',
    name: 'Ada Lindqvist',
    email: 'ada@example.com',
    verificationLink: 'https://forms.example.com/form_1',
    externalBankAccount: {
      bankAccountOwnerName: 'Ada Lindqvist',
      bankAccountMask: '****2223',
      bankName: 'Nordhafen Bank AG',
    },
    source: {sourceAmount: '1234567.00', sourceReferenceId: '0xabcdef0123456789'},
    passport: 'X1234567',
    updatedAt: '2026-11-15T09:00:00Z',
  }
  const shown = {
    customerId: '4738020a-a06d-4ef3-bc07-b5cacbf3446c',
    customerType: 'INDIVIDUAL',
    name: 'A… L…',
    email: 'a…@example.com',
    verificationLink: '(link)',
    externalBankAccount: {bankAccountOwnerName: 'A… L…', bankAccountMask: '…2223', bankName: 'Nordhafen Bank AG'},
    source: {sourceAmount: '1234567.00', sourceReferenceId: '…6789'},
    passport: '…4567',
    updatedAt: '2026-11-15T09:00:00Z',
  }

  it('keeps ids, statuses, amounts and times, and masks everything that is not known to be harmless', () => {
    expect(mask(person, hidden)).toEqual(shown)
  })

  it.each(Object.entries(person))('has the same of a list of it as of one value: %s', (field, value) => {
    const masked = shown[field as keyof typeof shown]
    expect(mask({[field]: [value, [value]]}, hidden)).toEqual({[field]: [masked, [masked]]})
  })

  it('shows the names of businesses, and of people where the operator wants it', () => {
    expect(mask({customerType: 'BUSINESS', name: 'Sahyadri Textiles'}, hidden)).toMatchObject({
      name: 'Sahyadri Textiles',
    })
    expect(mask({name: 'Ada Lindqvist'}, {showsNames: true})).toEqual({name: 'Ada Lindqvist'})
  })
})

it('nothing that an agent gets to hear of a command has what is masked, whether it succeeds or fails', async () => {
  const secrets = ['ada@example.com', 'DE89 3704 0044 0532 0130 00', 'https://forms.example.com/form_1']
  const text = `Of ${secrets.join(' and ')}`
  const failure = new SvcError({error: 'REFUSED', kind: 'refused', message: text, hint: text, problems: [text, text]})
  const results = [itemResult({sentence: text, [text]: [text]}), itemResult({}, undefined, failure)]
  const runs = [
    ...results.map((result) => async () => ({result, notices: [text, text]})),
    async () => Promise.reject(failure),
    async () => Promise.reject(new Error(text)),
  ]
  for (const run of runs) {
    const told = JSON.stringify(await createToolRunner(run, 'sandbox', hidden)('customers:get', []))
    expect(told).toContain(maskText(text))
    for (const secret of secrets) expect(told).not.toContain(secret)
  }
})

// The client that programs import and its types. test/release/package.test.ts compiles and runs programs that use them.
import {expect, it} from 'vitest'
import {buildLibraryTypes} from '../../../scripts/library-types.ts'
import {endpoints} from '../../../src/contract/endpoints.ts'
import {createClient} from '../../../src/library/client.ts'
import {toRuleUpdate} from '../../../src/library/contract.ts'
import {createSandbox} from '../../../src/library/sandbox.ts'

const paged = new Set(['customers', 'accounts', 'transactions'])
const expected = Object.entries(endpoints).map(([topic, verbs]) => ({
  topic,
  verbs: [...Object.keys(verbs), ...(paged.has(topic) ? ['all'] : [])].toSorted(),
}))

it('has a function for every endpoint of the contract, and one for every list that has pages', () => {
  const client = createClient({baseUrl: 'http://localhost:1', credential: 'key'})
  const found = Object.entries(client).map(([topic, verbs]) => ({topic, verbs: Object.keys(verbs).toSorted()}))
  expect(found).toEqual(expected)
})

it('declares the same functions for programs', () => {
  const {'client-methods.ts': text = ''} = buildLibraryTypes()
  const topics = text.split(/^(?=\w+: \{$)/m).slice(1)
  const found = topics.map((each) => ({
    topic: each.slice(0, each.indexOf(':')),
    verbs: [...each.matchAll(/^\s*(\w+)\(/gm)].map(([, verb = '']) => verb).toSorted(),
  }))
  expect(found).toEqual(expected)
})

it('declares types that need nothing but each other', () => {
  const {'service-types.ts': text = ''} = buildLibraryTypes()
  expect(text).not.toMatch(/\bimport\b|\bz\./)
  expect(text).toContain('export interface CustomerCreate {')
  expect(text).toContain('customerStatus: "CREATED" | "UNDER_REVIEW"')
})

it('makes the body of an update from a rule that was read', async () => {
  using sandbox = createSandbox()
  const {rules} = sandbox.client
  const created = await rules.create({
    name: 'Sweep',
    customerId: '4738020a-a06d-4ef3-bc07-b5cacbf3446c',
    transactionTemplate: {
      source: {
        sourcePaymentAccountId: '64fbd491-4b09-49d5-b40c-8b27facb31a9',
        sourcePaymentMethod: 'SOLANA',
        sourceCurrency: 'USDC',
      },
      destination: {
        destinationPaymentAccountId: '5e24c2b3-ff61-4ecc-b251-513b79598ccd',
        destinationPaymentMethod: 'SOLANA',
        destinationCurrency: 'USDC',
      },
      amount: {type: 'FLAT', value: '5'},
    },
    trigger: {type: 'TIME_BASED', cronSchedule: '0 9 * * *'},
  })
  expect(await rules.update(created.id, toRuleUpdate(created))).toEqual(created)
})

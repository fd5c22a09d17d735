// The client that programs import and its types. test/journeys/package.test.ts compiles and runs programs that use them.
import {expect, it} from 'vitest'
import {buildLibraryTypes} from '../../scripts/library-types.ts'
import {endpoints} from '../../src/contract/endpoints.ts'
import {createClient} from '../../src/library/client.ts'

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

// Decisions of people in the journal: who decided what, and why, in every store.
import {describe, expect, it} from 'vitest'
import {describeOperator} from '../../../src/values/operator.ts'
import {type TestStore, useStores} from './stores.ts'

const serviceId = 'https://api.example.com'

describe.each(useStores())('decisions in $name', (store: TestStore) => {
  it('are kept with who decided and why, about a payment or anything else', async () => {
    const created = await store.create()
    const [one, other] = [await created.open(), await created.open()]
    const before = await created.now()
    await one.recordDecision({
      kind: 'APPROVAL_USED',
      about: {serviceId, key: 'rent'},
      who: {user: 'ann', host: 'till', signer: 'ann@example.com'},
      data: {digest: 'abc', signatures: [{signer: 'bob@example.com'}]},
    })
    await other.recordDecision({
      kind: 'LIMITS_CHANGED',
      about: {profile: 'acme'},
      who: {user: 'ann', host: 'till'},
      why: "ticket 4711 „ü“ ' \u0007",
    })
    const [used, changed, ...more] = await other.listDecisions()
    expect(more).toEqual([])
    expect(used).toEqual({
      at: expect.any(Number),
      what: 'DECISION',
      serviceId,
      key: 'rent',
      detail: {
        id: expect.any(String),
        kind: 'APPROVAL_USED',
        user: 'ann',
        host: 'till',
        signer: 'ann@example.com',
        data: {digest: 'abc', signatures: [{signer: 'bob@example.com'}]},
      },
    })
    expect(used?.at).toBeGreaterThanOrEqual(before)
    expect(changed).toEqual({
      at: expect.any(Number),
      what: 'DECISION',
      detail: {
        id: expect.any(String),
        kind: 'LIMITS_CHANGED',
        profile: 'acme',
        user: 'ann',
        host: 'till',
        why: "ticket 4711 „ü“ ' \u0007",
      },
    })
    // One about a payment is a line of its history as well.
    expect((await one.history(serviceId, 'rent')).map(({what}) => what)).toEqual(['DECISION'])
  })
})

it('name the user of the operating system and the machine', () => {
  const {user, host} = describeOperator()
  expect(user).not.toBe('')
  expect(host).not.toBe('')
})

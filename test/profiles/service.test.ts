// What payments know about a service: whether they trust its keys, and how long they wait for its list.
import {describe, expect, it} from 'vitest'
import type {Caller} from '../../src/profiles/caller.ts'
import {listLagDefaultMs} from '../../src/profiles/service.ts'
import {readServiceTraits} from '../../src/transport.ts'

const createCaller = (more: Pick<Caller, 'resend' | 'listLagMaxMs'>): Caller => ({
  label: 'profile "acme"',
  profileName: 'acme',
  baseUrl: 'https://api.example.com',
  service: 'https://api.example.com',
  environment: 'live',
  readOnly: false,
  duplicateWindowMs: 0,
  credential: async () => 'secret',
  renewable: false,
  ...more,
})

describe('what is known about a service', () => {
  it.each([
    [undefined, false],
    ['unknown', false],
    ['yes', true],
  ] as const)('is that keys are honoured only if somebody said so: %s', async (resend, areKeysHonoured) => {
    expect(await readServiceTraits(createCaller({resend}))).toMatchObject({areKeysHonoured})
  })

  it.each([
    [undefined, listLagDefaultMs],
    [20 * 60_000, 20 * 60_000],
  ])('is how long its list may lag: %s', async (stated, listLagMaxMs) => {
    expect(await readServiceTraits(createCaller({listLagMaxMs: stated}))).toMatchObject({listLagMaxMs})
  })
})

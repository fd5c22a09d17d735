// The oracle of the random payments of one host finds a lie of each kind, which is planted in a copy of what a story said.
import {beforeAll, describe, expect, it} from 'vitest'
import {type SaidOutcome, findLies, runStory} from './random-runs.ts'
import {Stage} from './stage.ts'

const seeds = [1, 2, 3, 4, 5, 6]

const all: SaidOutcome[] = []

beforeAll(async () => {
  const stage = new Stage('none')
  const journals = [stage.journal(), stage.journal()] as const
  for (const seed of seeds) all.push(...(await runStory(stage, seed, journals)).said)
  stage.close()
})

// Words about a payment that existed before the run, or about one that never did.
function getSaid(isMade: boolean): SaidOutcome {
  const said = all.find(({code, madeBefore, madeAfter}) =>
    isMade ? code === 0 && madeBefore.length > 0 : madeAfter.length === 0,
  )
  if (!said) throw new Error('no story has such an outcome')
  return {...said, isListedAtOnce: true, hasTwoHosts: false}
}

const lies: Record<string, () => SaidOutcome> = {
  'code 0 for nothing': () => ({...getSaid(false), code: 0}),
  'code 11 for nothing': () => ({...getSaid(false), code: 11}),
  'code 0 with the transaction of another': () => ({...getSaid(true), transactionId: 'another'}),
  'code 3 for a payment that exists': () => ({...getSaid(true), code: 3, state: 'REJECTED'}),
  'code 10 for a payment that exists': () => ({...getSaid(true), code: 10}),
  'that nothing was made': () => ({...getSaid(true), code: 6, message: 'The service failed, so nothing was made'}),
  'that it was not made': () => ({...getSaid(true), code: 6, message: 'The payment was not made'}),
  'that nothing was paid': () => ({...getSaid(true), code: 2, message: 'Nothing was paid'}),
  'CREATED in the journal for nothing': () => ({...getSaid(false), code: 6, state: 'CREATED'}),
  'another transaction in the journal': () => ({...getSaid(true), state: 'CREATED', recordedId: 'another'}),
  'a fault of svc': () => ({...getSaid(true), code: 1}),
}

describe('the oracle of one host', () => {
  it('finds nothing in what was really said', () => {
    expect(all.length).toBeGreaterThan(seeds.length)
    expect(all.flatMap(findLies)).toEqual([])
  })

  it.each(Object.keys(lies))('finds %s', (name) => {
    expect(findLies((lies[name] as () => SaidOutcome)())).not.toEqual([])
  })

  it('lets a host say that nothing was made of what another made, until it is listed', () => {
    const said = {...getSaid(true), code: 6, message: 'Nothing was made', hasTwoHosts: true}
    expect(findLies({...said, isListedAtOnce: false})).toEqual([])
    expect(findLies(said)).not.toEqual([])
  })
})

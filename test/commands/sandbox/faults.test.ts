// svc sandbox faults add, list, clear and set: output on a terminal, in a pipe and as JSON, and rejected input.
import {describe, expect, it} from 'vitest'
import {type Home, freshHome, json, run, spawnSvc} from '../../support/svc.ts'

const faults = (home: Home, ...args: string[]) => run(home, ['sandbox', 'faults', ...args])
const lose = ['add', '--method', 'POST', '--path', '/transactions', '--kind', 'lose', '--times', '1']

describe('a request that is carried out late', () => {
  it('creates its customer in another process, which nothing was loaded in before', async () => {
    const home = freshHome()
    const add = 'sandbox faults add --method POST --path /customers --kind reset --commit-after 90s --times 1'
    expect((await spawnSvc(home, add.split(' '))).code).toBe(0)
    const create = 'api POST /customers -p sandbox --set customerType=INDIVIDUAL --set email=late@example.com'
    expect((await spawnSvc(home, create.split(' '))).code).toBe(7)
    const advanced = await spawnSvc(home, ['sandbox', 'clock', 'advance', '2m', '--json'])
    expect(advanced).toMatchObject({code: 0, err: ''})
    const listed = await run(home, ['customers', 'get', 'late@example.com', '-p', 'sandbox', '--json'])
    expect(json(listed.out)).toMatchObject({email: 'late@example.com', customerStatus: 'CREATED'})
    expect(json((await run(home, ['sandbox', 'status', '--json'])).out)['queue']).toMatchObject({failed: 0})
  })
})

describe('svc sandbox faults', () => {
  it('prints JSON for a script, with the behaviours beside the faults', async () => {
    const home = freshHome()
    const {faultId, ...rest} = json((await faults(home, ...lose, '--json')).out)
    expect(rest).toMatchObject({method: 'POST', path: '/transactions', kind: 'lose', times: 1, acted: 0})
    const listed = json((await faults(home, 'list', '--json')).out)
    expect(listed).toMatchObject({behaviours: {idempotency: 'replay'}, faults: [{faultId}]})
    expect(json((await faults(home, 'clear', String(faultId), '--json')).out)).toMatchObject({faults: [{faultId}]})
    const again = await faults(home, 'clear', String(faultId), '--json')
    expect(again).toMatchObject({code: 5, out: ''})
    expect(json(again.err)).toMatchObject({error: 'NOT_FOUND', exitCode: 5})
  })
})

describe('svc sandbox faults set', () => {
  it('sets the given behaviours, keeps the others, and resets them', async () => {
    const home = freshHome()
    const set = async (flags: string) => json((await faults(home, 'set', ...flags.split(' '), '--json')).out)
    const defaults = await set('--quote-use single')
    expect(await set('--idempotency forget-after-30m --list-lag 2m --tier builder')).toEqual({
      ...defaults,
      idempotency: 'forget-after-30m',
      listLagSeconds: 120,
      tier: 'builder',
    })
    expect(
      await set('--page-token-life 5m --date-skew -90s --outcome-after 2m --transaction-outcome failed'),
    ).toMatchObject({
      idempotency: 'forget-after-30m',
      pageTokenSeconds: 300,
      dateSkewSeconds: -90,
      outcomeAfterSeconds: 120,
      transactionOutcome: 'failed',
    })
    expect(await set('--reset --quote-use many')).toEqual({...defaults, quoteUse: 'many'})
  })
})

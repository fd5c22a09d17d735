// svc reconcile: in a terminal, in a pipe, as JSON, rejected, and each kind of finding.
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {inSandbox, payWithUnknownOutcome, pay, payment} from '../../../support/payments.ts'
import {servePayments} from '../../../support/scripted-service.ts'
import type {Body} from '../../../support/scripted/behaviour.ts'
import {reply} from '../../../support/service.ts'
import {type Home, freshHome, json, run, setUp} from '../../../support/svc.ts'
import {useVirtualTime} from '../../../support/virtual-time.ts'
import {seeded, transaction} from '../../../support/transactions.ts'

const reconcile = (home: Home, ...flags: string[]) =>
  run(home, ['reconcile', '--since', '1d', '--json', ...inSandbox, ...flags])

interface Found {
  kind: string
  key?: string
  transactionId?: string
  detail: string
}
const readFindings = (out: string) => json(out)['findings'] as Found[]

useVirtualTime()

describe('svc reconcile', () => {
  it('finds nothing if both sides agree, with 0', async () => {
    const home = freshHome()
    await pay(home, 'a', '10', '--quiet')
    // The sandbox also has transactions that were not made by svc.
    const {code, out, err} = await reconcile(home)
    expect({code, found: json(out)}).toEqual({code: 0, found: {findings: []}})
    expect(err).toMatch(/^Compared 1 payment of the journal with \d+ transactions? of the service since \S+Z: each/)
  })

  it('finds what svc made but this journal lacks, and what others made only with --foreign', async () => {
    const home = freshHome()
    const made = await pay(home, 'a', '10', '--json')
    const {transactionId} = json(made.out) as {transactionId: string}
    const other = {...home, env: {...home.env, SVC_JOURNAL: path.join(home.folder, 'new.sqlite')}}
    const found = await reconcile(other)
    expect(found.code).toBe(12)
    expect(readFindings(found.out)).toMatchObject([{kind: 'NOT_IN_JOURNAL', transactionId}])
    const all = readFindings((await reconcile(home, '--foreign', '--customer', seeded.customer)).out)
    expect(new Set(all.map(({kind}) => kind))).toEqual(new Set(['FOREIGN']))
    expect(all.map((one) => one.transactionId)).toContain(seeded.awaiting)
    expect(all.every(({detail}) => /^[\d.]+ [A-Z]+, [A-Z_]+, made \d{4}-/.test(detail))).toBe(true)
    expect(all.map((one) => one.transactionId)).not.toContain(transactionId)
    const later = await run(other, ['reconcile', '--since', '2999-01-01', '--json', ...inSandbox])
    expect(later.code).toBe(0)
  })

  it('finds payments that are unknown, and those that the service lacks once the list can no longer lag', async () => {
    const home = freshHome()
    const made = await pay(home, 'a', '10', '--json')
    await setUp(home, ['sandbox', 'faults', 'set', '--list-lag', '1h', '--quiet'])
    const early = await reconcile(home)
    expect(early.code).toBe(0)
    expect(early.err).toContain('each payment has exactly one transaction, except 1 too new to be listed yet.')
    const settle = () => run(home, ['journal', 'settle', 'a', '--why', 'asked', '--yes', ...inSandbox])
    expect(await settle()).toMatchObject({code: 2, err: expect.stringContaining('has not ended badly')})
    await setUp(home, ['sandbox', 'clock', 'advance', '10m', '--quiet'])
    const found = await reconcile(home)
    expect(found.code).toBe(12)
    // What the service does not list any more, a person may have asked about.
    expect(await settle()).toMatchObject({code: 0})
    const {transactionId} = json(made.out) as {transactionId: string}
    expect(readFindings(found.out)).toMatchObject([{kind: 'NOT_AT_SERVICE', key: 'a', transactionId}])
    await payWithUnknownOutcome(home, 'b', '20')
    expect(readFindings((await reconcile(home)).out)).toMatchObject([{key: 'a'}, {kind: 'UNSETTLED', key: 'b'}])
  })

  it('finds payments whose transaction ended badly, within the scope, until a person has dealt with them', async () => {
    const status = 'Cancelled'
    const [home, service] = [freshHome(), await servePayments()]
    await run(home, [...payment('a', '10'), '--yes', '--quiet'], {env: service.env})
    await run(home, [...payment('b', '20'), '--yes', '--quiet'], {env: service.env})
    const [made = {}] = service.transactions
    const {transactionId, updatedAt} = made
    Object.assign(made, {transactionStatus: status, destination: {destinationAmount: '0'}})
    const search = (...flags: string[]) => run(home, ['reconcile', '--json', ...flags], {env: service.env})
    const found = await search('--since', '1d')
    expect(found.code).toBe(12)
    expect(readFindings(found.out)).toEqual([
      {
        kind: 'ENDED_BADLY',
        key: 'a',
        transactionId,
        detail: `${status.toUpperCase()} since ${String(updatedAt)}`,
        next: 'To pay it again, choose a new key. Once it is dealt with: `svc journal settle a --why TEXT`',
      },
    ])
    expect((await search('--since', '1d', '--customer', seeded.customer)).code).toBe(12)
    for (const flags of [
      ['--since', '2999-01-01'],
      ['--since', '1d', '--customer', '00000000-0000-4000-8000-000000000001'],
    ]) {
      expect(readFindings((await search(...flags)).out)).toEqual([])
    }
    const settle = (key: string, ...flags: string[]) =>
      run(home, ['journal', 'settle', key, '--why', 'paid again as c', ...flags], {env: service.env})
    expect((await settle('a')).code).toBe(2)
    expect(await settle('b', '--yes')).toMatchObject({
      code: 2,
      err: expect.stringContaining('The transaction of the payment b has not ended badly'),
    })
    expect((await search('--since', '1d')).code).toBe(12)
    expect((await settle('a', '--yes')).out).toMatch(/ENDING_DEALT_WITH by .*because: paid again as c/)
    expect(await search('--since', '1d')).toMatchObject({code: 0})
  })
})

// A list by the last update, in pages of two: a payment that the service made twice, with eight transactions of others between.
// While the second page is read, `change` may move what comes later to the front, where this walk does not see it.
async function serveMovingList(home: Home, change: (items: Body[], reads: number) => Body[]) {
  const service = await servePayments({status: 'COMPLETED'})
  await run(home, [...payment('a', '10'), '--yes', '--quiet'], {env: service.env})
  const [made = {}] = service.transactions
  const others = [101, 102, 103, 104, 105, 106, 107, 108].map((number) => transaction(number, 'COMPLETED'))
  let items: Body[] = [made, ...others, {...made, transactionId: transaction(109).transactionId}]
  let reads = 0
  service.intercept = ({path: at, query}, response) => {
    if (at !== '/transactions') return false
    const token = query.get('pageToken')
    if (token === String(items[1]?.['transactionId'])) items = change(items, ++reads)
    const start = items.findIndex((each) => each['transactionId'] === token) + 1
    const page = items.slice(start, start + 2)
    const isLast = start + 2 >= items.length
    reply(response, 200, {
      transactions: page,
      ...(!isLast && {nextPageToken: page.at(-1)?.['transactionId']}),
    })
    return true
  }
  return service
}

const moveLastToFront = (items: Body[], reads: number): Body[] => [
  {...items.at(-1), updatedAt: new Date(Date.now() + reads).toISOString()},
  ...items.slice(0, -1),
]

describe.each([['reconcile'], ['journal export'], ['report']])(
  'svc %s of a list that changes while it is read',
  (name) => {
    const read = (home: Home, env: Record<string, string>) =>
      run(home, [...name.split(' '), '--since', '1d', '--json'], {env})

    it('finds a second transaction that moved past the read, with 12', async () => {
      const home = freshHome()
      const service = await serveMovingList(home, (items, reads) =>
        reads === 1 ? moveLastToFront(items, reads) : items,
      )
      const {code, out, err} = await read(home, service.env)
      expect(code).toBe(12)
      expect(out + err).toMatch(/"kind": "SEVERAL"|1 payment with several transactions/)
    })

    it('ends with 6 and prints nothing if the list never stands still', async () => {
      const home = freshHome()
      const service = await serveMovingList(home, moveLastToFront)
      expect(await read(home, service.env)).toMatchObject({
        code: 6,
        out: '',
        err: expect.stringContaining('LIST_CHANGING'),
      })
    })
  },
)

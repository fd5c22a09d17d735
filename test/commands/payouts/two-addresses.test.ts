// A key belongs to a service, not to the spelling of its address: payout files at one service with two addresses.
import {describe, expect, it} from 'vitest'
import {type PaymentService, servePayments} from '../../support/scripted-service.ts'
import {type Home, freshHome, json, run} from '../../support/svc.ts'
import {createRow, createRows, readStates, writePayroll} from './payroll.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'

useVirtualTime()

const toOtherName = (url: string) => url.replace('127.0.0.1', 'localhost')
const toOtherAddress = ({env, url}: PaymentService) => ({...env, SVC_BASE_URL: toOtherName(url)})

const runPayouts = (home: Home, env: Record<string, string>, file: string, ...flags: string[]) =>
  run(home, ['payouts', 'run', file, '--yes', ...flags], {env})

const login = (home: Home, name: string, url: string) =>
  run(home, ['login', '-p', name, '--base-url', url, '--live', '--store', 'file', '--quiet'], {input: 'test-key'})

const runWith = (home: Home, profile: string, file: string, ...flags: string[]) =>
  run(home, ['payouts', 'run', file, '--yes', '--allow-duplicates', '-p', profile, ...flags])

const countTransactions = ({transactions}: PaymentService) => transactions.length

describe('a payout file at another address of the same service', () => {
  it('stops before anything is sent, and says how to state which service it is', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    const file = writePayroll(home, createRows('a', 20))
    expect((await runPayouts(home, service.env, file)).code).toBe(0)
    const countBefore = service.requests.length
    for (const flags of [[], ['--dry-run'], ['--dry-run', '--with-quotes']]) {
      const {code, out, err} = await runPayouts(home, toOtherAddress(service), file, ...flags)
      expect({code, out}).toEqual({code: 2, out: ''})
      expect(err).toContain(
        `The journal has the payment a-1 with the same content at ${service.url} (CREATED), which may be the same service as ${toOtherName(service.url)}`,
      )
      expect(err).toContain(
        `If it is the same service, set \`SVC_SERVICE=${service.url}\` and run the command again; if it is another one, use another key`,
      )
    }
    const {err} = await runPayouts(home, toOtherAddress(service), file, '--json')
    expect(json(err)).toMatchObject({error: 'KEY_AT_OTHER_SERVICE', exitCode: 2})
    expect(service.requests).toHaveLength(countBefore)
    const same = await runPayouts(home, {...toOtherAddress(service), SVC_SERVICE: service.url}, file, '--json')
    expect(same.code).toBe(0)
    const rows = json(same.out)['payouts'] as Array<Record<string, unknown>>
    expect(rows.map(({madeBefore}) => madeBefore)).toEqual(Array.from({length: 20}, () => true))
    expect(countTransactions(service)).toBe(20)
  })

  it('stops for rows that may have been made there', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    const rows = createRows('a', 4)
    service.script({acts: 'never', reply: 'reset'})
    expect((await runPayouts(home, service.env, writePayroll(home, rows.slice(0, 2)), '--timeout', '2s')).code).toBe(7)
    const changed = [...rows.slice(0, 2), createRow('a-3', {amount: '9'}), createRow('a-4')]
    const {code, err} = await runPayouts(home, toOtherAddress(service), writePayroll(home, changed))
    expect(code).toBe(2)
    expect(err).toMatch(/the payment a-1 with the same content at \S+ \((UNKNOWN|CREATED)\)/)
    expect(countTransactions(service)).toBe(1)
  })
})

describe('svc profiles set --base-url', () => {
  it('continues a file with the same keys, and another host that was set up alike derives the same ids', async () => {
    const service = await servePayments()
    const move = async (home: Home) => {
      await run(home, ['profiles', 'set', 'acme', '--base-url', toOtherName(service.url), '--quiet'])
      expect(await run(home, ['login', '-p', 'acme', '--store', 'file', '--quiet'], {input: 'test-key'})).toMatchObject(
        {
          code: 0,
        },
      )
    }
    const [home, other] = [freshHome(), freshHome()]
    await login(home, 'acme', service.url)
    expect((await runWith(home, 'acme', writePayroll(home, createRows('a', 5)))).code).toBe(0)
    await move(home)
    expect((await runWith(home, 'acme', writePayroll(home, createRows('a', 8)))).code).toBe(0)
    expect(countTransactions(service)).toBe(8)
    expect(service.requests.at(-1)?.headers.host).toMatch(/^localhost:/)
    await login(other, 'acme', service.url)
    await move(other)
    expect((await runWith(other, 'acme', writePayroll(other, createRows('a', 8)))).code).toBe(0)
    expect(readStates(other)).toEqual(Array.from({length: 8}, () => 'CREATED'))
    expect(countTransactions(service)).toBe(8)
  })
})

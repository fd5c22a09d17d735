// svc probe: on a terminal, in a pipe, as JSON; what it announces, refuses, keeps and continues.
import {spawn} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {stripVTControlCharacters} from 'node:util'
import {describe, expect, it} from 'vitest'
import {login, readStoredSettings} from '../profiles/logins.ts'
import {inSandbox} from '../support/payments.ts'
import {type PaymentService, servePayments} from '../support/scripted-service.ts'
import {type Home, bin, freshHome, json, run} from '../support/svc.ts'
import {onTerminal, readRemainingRaw} from '../support/terminal.ts'
import {seeded} from '../support/transactions.ts'
import {useVirtualTime} from '../support/virtual-time.ts'

const time = useVirtualTime()

const route = [
  ['--customer', seeded.customer],
  ['--from', seeded.wallet, '--from-currency', 'USDC', '--from-method', 'SOLANA'],
  ['--to', seeded.externalWallet, '--to-currency', 'USDC', '--to-method', 'SOLANA'],
].flat()

const quickNotice = '--quick leaves out what needs minutes of waiting; `svc probe` without it continues with that.'

const acme = ['-p', 'acme']
const probe = (home: Home, ...flags: string[]) => run(home, ['probe', ...route, ...flags])

// A scripted service with a profile for it, in a test environment.
async function serveAcme(changes: Parameters<typeof servePayments>[0] = {}) {
  const service = await servePayments(changes)
  const home = freshHome()
  const {code, err} = await run(
    home,
    ['login', '-p', 'acme', '--base-url', service.url, '--sandbox', '--store', 'file'],
    {
      input: 'test-key',
    },
  )
  expect({code, err}).toMatchObject({code: 0})
  return {service, home}
}

const countSent = (service: PaymentService) => service.requestsTo('POST /transactions').length
const listStateFiles = (home: Home) => {
  const folder = path.join(home.env['SVC_CONFIG_DIR'] ?? '', 'state', 'probes')
  return fs.existsSync(folder) ? fs.readdirSync(folder).filter((name) => name.endsWith('.json')) : []
}

describe('svc probe', () => {
  it('says what it will make, asks, shows a table, and keeps what it found', async () => {
    const {service, home} = await serveAcme({quotes: 'many'})
    const screen = onTerminal(home, ['probe', ...route, '--quick', ...acme])
    await screen.waitFor('Probe http')
    expect(screen.text()).toContain('About 4 transactions of 1.00 USDC will be made, and at most 9 (9.00 USDC)')
    for (const id of [seeded.customer, seeded.wallet, seeded.externalWallet]) expect(screen.text()).toContain(id)
    expect(countSent(service)).toBe(0)
    screen.type('yes\r')
    expect(await screen.ended).toBe(0)
    const text = screen.text().replaceAll(/\s+/g, ' ')
    expect(text).toContain('ASKED FOUND FOR PAYMENTS')
    expect(text).toContain(quickNotice.replace('`svc probe`', '`svc probe -p acme`'))
    const table = stripVTControlCharacters(readRemainingRaw(screen)).split('ASKED')[1]?.split('--quick')[0] ?? ''
    expect(Math.max(...table.split('\n').map((line) => line.trimEnd().length))).toBeLessThanOrEqual(80)
    expect(readStoredSettings(home).profiles['acme']).toMatchObject({knowledge: {usedQuote: 'created'}})
    expect((await run(home, ['profiles', 'show', 'acme'])).out).toContain(
      'A used quote under another key: A second transaction is made',
    )
  })

  it('makes nothing after a no', async () => {
    const {service, home} = await serveAcme()
    const screen = onTerminal(home, ['probe', ...route, '--quick', ...acme])
    await screen.waitFor('Probe http')
    screen.type('\r')
    expect(await screen.ended).toBe(130)
    expect(countSent(service)).toBe(0)
    expect(listStateFiles(home)).toEqual([])
  })

  it('prints the knowledge and the transactions as JSON', async () => {
    const {service, home} = await serveAcme({keys: 'ignored', quotes: 'many'})
    const {code, out} = await probe(home, ...acme, '--quick', '--yes', '--json')
    const result = json(out)
    expect(code).toBe(0)
    expect(result).toMatchObject({
      isComplete: false,
      knowledge: {sameRequest: 'created', otherRequest: 'created', usedQuote: 'created', serviceId: service.url},
    })
    const ids = service.transactions.map(({transactionId}) => transactionId)
    expect(new Set(result['transactionIds'] as string[])).toEqual(new Set(ids))
    expect(result['findings']).toContainEqual({
      subject: 'sameRequest',
      asked: 'The same key with the same request',
      isKnown: true,
      found: 'A second transaction is made',
      means: 'An unanswered payment is never sent again; the list settles it',
    })
  })

  it('shows what is known without a request once everything is, until --restart or --forget-knowledge', async () => {
    const {service, home} = await serveAcme()
    const settings = path.join(home.env['SVC_CONFIG_DIR'] ?? '', 'config.json')
    const stored = readStoredSettings(home)
    const knowledge = {
      probedAt: '2026-11-14T10:00:00.000Z',
      serviceId: service.url,
      sameRequest: 'replayed',
      otherRequest: 'rejected',
      keyAfterRejection: 'usable',
      usedQuote: 'rejected',
      expiredQuote: 'rejected',
      listLagMs: 1_200,
    }
    Object.assign(stored.profiles['acme'] ?? {}, {knowledge})
    fs.writeFileSync(settings, JSON.stringify(stored))
    const sent = service.requests.length
    const {code, out, err} = await run(home, ['probe', ...acme, '--json'])
    expect(code).toBe(0)
    expect(json(out)).toMatchObject({isComplete: true, knowledge})
    expect(err).toContain('nothing was sent. --restart probes again')
    expect(service.requests).toHaveLength(sent)
    const doctor = await run(home, ['doctor', ...acme])
    expect(doctor.out).toMatch(/knowledge +Probed 2026-11-14\. svc may send an unanswered payment again\./)
    const restarted = await run(home, ['probe', ...acme, '--restart'])
    expect(restarted).toMatchObject({code: 2})
    expect(restarted.err).toContain('--customer')
    await run(home, ['profiles', 'set', 'acme', '--forget-knowledge', '--quiet'])
    expect(readStoredSettings(home).profiles['acme']).not.toHaveProperty('knowledge')
    expect((await run(home, ['doctor', ...acme])).out).toMatch(/knowledge +Nothing is known .*`svc probe` finds out/)
  })
})

describe('a probe that may not run', () => {
  it('in a script without --yes: code 2, with what it would make, before any request', async () => {
    const {service, home} = await serveAcme()
    const before = service.requests.length
    const {code, err} = await probe(home, ...acme)
    expect(code).toBe(2)
    expect(err).toContain('up to 14 transactions of 1.00 USDC (14.00 USDC in all) and needs a yes')
    expect(service.requests).toHaveLength(before)
  })

  it('names every flag that is missing in a script', async () => {
    const {home} = await serveAcme()
    const {code, err} = await run(home, ['probe', ...acme, '--yes'])
    expect(code).toBe(2)
    for (const flag of [
      '--customer',
      '--from',
      '--from-currency',
      '--from-method',
      '--to',
      '--to-currency',
      '--to-method',
    ])
      expect(err).toContain(flag)
    expect(err).not.toContain('--amount')
  })

  it.each([[[]], [['--yes']], [['--live']]])('on a live profile with only %j', async (flags) => {
    const service = await servePayments()
    const home = freshHome()
    await login(home, 'prod', service.url, 'test-key')
    const before = service.requests.length
    const {code, err} = await probe(home, '-p', 'prod', ...flags)
    expect(code).toBe(2)
    expect(err).toContain('--live and --yes')
    expect(service.requests).toHaveLength(before)
  })

  it('with credentials from the environment without --live', async () => {
    const service = await servePayments()
    const {code, err} = await run(freshHome(), ['probe', ...route, '--yes'], {env: service.env})
    expect(code).toBe(2)
    expect(err).toContain('credentials from the environment count as live')
    expect(service.requests).toEqual([])
  })

  it('with a read-only profile', async () => {
    const {service, home} = await serveAcme()
    await run(home, ['profiles', 'set', 'acme', '--read-only', '--quiet'])
    const before = service.requests.length
    const {code, err} = await probe(home, ...acme, '--yes')
    expect(code).toBe(2)
    expect(err).toContain('read-only')
    expect(service.requests).toHaveLength(before)
  })

  it('beyond the limits of the profile: code 10, and a payment of the same day counts what the probe has spent', async () => {
    const {service, home} = await serveAcme()
    await run(home, ['profiles', 'set', 'acme', '--day-max', 'USDC=2', '--quiet'])
    const {code, err} = await probe(home, ...acme, '--yes', '--quick')
    expect(code).toBe(10)
    expect(err).toContain('2 USDC')
    expect(countSent(service)).toBe(2)
    const paid = await run(home, ['pay', ...route, '--amount', '1.50', '--key', 'rent', ...acme])
    expect(paid).toMatchObject({code: 10})
  })

  it('with SVC_DRY_RUN', async () => {
    const {service, home} = await serveAcme()
    const {code} = await run(home, ['probe', ...route, '--yes', ...acme], {env: {SVC_DRY_RUN: '1'}})
    expect(code).toBe(2)
    expect(countSent(service)).toBe(0)
  })
})

describe('a probe with credentials from the environment', () => {
  it('prints what it found, and says that nothing is kept', async () => {
    const service = await servePayments()
    const home = freshHome()
    const flags = ['--yes', '--live', '--quick', '--json']
    const {code, out, err} = await run(home, ['probe', ...route, ...flags], {env: service.env})
    expect(code).toBe(0)
    expect(json(out)).toMatchObject({knowledge: {usedQuote: 'rejected'}})
    expect(err).toContain('Nothing was kept')
  })
})

describe('the amount', () => {
  it('is the smallest that the service quotes', async () => {
    const {service, home} = await serveAcme()
    const tooSmall = {status: 400, body: {error: 'BAD_REQUEST', message: 'sourceAmount: too small', statusCode: 400}}
    service.script({at: 'POST /quotes', times: 2, reply: tooSmall})
    const {err} = await probe(home, ...acme, '--yes', '--quick', '--json')
    expect(err).toContain('About 4 transactions of 5.00 USDC')
    expect(new Set(service.transactions.map(({source}) => (source as {sourceAmount: string}).sourceAmount))).toEqual(
      new Set(['5.00']),
    )
  })

  it('that no service quotes ends with its reason', async () => {
    const {service, home} = await serveAcme()
    service.unknownIds.add(seeded.externalWallet)
    const {code, err} = await probe(home, ...acme, '--yes', '--quick')
    expect(code).toBe(3)
    expect(err).toContain('does not exist')
    expect(countSent(service)).toBe(0)
  })
})

describe('an interrupted probe', () => {
  it('ends with 8 at --timeout, keeps what it knows, and continues with the same accounts', async () => {
    const {service, home} = await serveAcme()
    // Each request takes a moment, so that the order of the list can be seen.
    service.intercept = () => {
      time.advance(10)
      return false
    }
    const {code, out, err} = await probe(home, ...acme, '--yes', '--json', '--timeout', '3s')
    expect(code).toBe(8)
    expect(json(out)).toMatchObject({isComplete: false, knowledge: {listOrder: expect.any(String) as string}})
    expect(json(err.trim().split('\n').at(-1) ?? '')).toMatchObject({error: 'PENDING', exitCode: 8})
    expect(listStateFiles(home)).toHaveLength(1)
    const sent = countSent(service)
    const other = await run(home, ['probe', ...acme, '--amount', '7', '--yes'])
    expect(other).toMatchObject({code: 2})
    expect(other.err).toContain('other accounts or another amount')
    // Without accounts: those of the first run.
    const continued = await run(home, ['probe', ...acme, '--yes', '--quick', '--json'])
    expect(continued.code).toBe(0)
    // Only the two that come last.
    expect(countSent(service) - sent).toBe(2)
  })

  it('is continued after kill -9 in the middle of a request, and makes nothing twice', async () => {
    const {service, home} = await serveAcme()
    const never = new Promise(() => {})
    const {reached} = service.script({skip: 3, times: 1, after: never})
    const child = spawn(process.execPath, [bin, 'probe', ...route, ...acme, '--quick', '--yes'], {
      env: {...home.env},
      cwd: home.folder,
      stdio: 'ignore',
    })
    const ended = new Promise((resolve) => child.on('close', resolve))
    await reached
    child.kill('SIGKILL')
    await ended
    const {code} = await probe(home, ...acme, '--quick', '--yes', '--json')
    expect(code).toBe(0)
    for (const [, made] of service.transactionsByCorrelationId) expect(made).toHaveLength(1)
    expect(service.transactions).toHaveLength(4)
  })

  it('does not run twice at the same time', async () => {
    const {service, home} = await serveAcme()
    const {promise: held, resolve: release} = Promise.withResolvers<void>()
    const {reached} = service.script({times: 1, before: held})
    const first = run(home, ['probe', ...route, ...acme, '--quick', '--yes', '--quiet'])
    await reached
    const child = spawn(process.execPath, [bin, 'probe', ...route, ...acme, '--quick', '--yes'], {
      env: {...home.env},
      cwd: home.folder,
      stdio: 'ignore',
    })
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(2)
    release()
    expect((await first).code).toBe(0)
  })
})

describe('a probe of the embedded sandbox', () => {
  it('finds how its behaviours are set', async () => {
    const home = freshHome()
    await run(home, ['sandbox', 'faults', 'set', '--quote-use', 'many', '--idempotency', 'ignore', '--quiet'])
    const {code, out} = await probe(home, ...inSandbox, '--quick', '--yes', '--json')
    expect(code).toBe(0)
    expect(json(out)).toMatchObject({
      knowledge: {sameRequest: 'created', otherRequest: 'created', usedQuote: 'created', listOrder: 'newest-first'},
    })
  })
})

describe('knowledge', () => {
  const knowledge = {probedAt: '2026-11-14T10:00:00.000Z', sameRequest: 'replayed', otherRequest: 'created'}

  const storeKnowledge = (home: Home, serviceId: string) => {
    const stored = readStoredSettings(home)
    Object.assign(stored.profiles['acme'] ?? {}, {knowledge: {...knowledge, serviceId}})
    fs.writeFileSync(path.join(home.env['SVC_CONFIG_DIR'] ?? '', 'config.json'), JSON.stringify(stored))
  }

  it('of a test environment is taken over for a live profile by a statement, which says where it is from', async () => {
    const {service, home} = await serveAcme()
    storeKnowledge(home, service.url)
    const live = await servePayments()
    await login(home, 'prod', live.url, 'test-key')
    const set = await run(home, ['profiles', 'set', 'prod', '--knowledge-from', 'acme', '--json'])
    expect(json(set.out)).toMatchObject({knowledge: {...knowledge, serviceId: live.url, takenFrom: service.url}})
    const doctor = await run(home, ['doctor', '-p', 'prod'])
    expect(doctor.out).toContain(`Probed 2026-11-14 at ${service.url}. svc may send an unanswered payment again`)
    const none = await run(home, ['profiles', 'set', 'prod', '--knowledge-from', 'sandbox'])
    expect(none).toMatchObject({code: 2})
    expect(none.err).toContain('Nothing is known')
  })

  it('stays when the address of the service changes, and says so', async () => {
    const {service, home} = await serveAcme()
    storeKnowledge(home, service.url)
    const set = await run(home, ['profiles', 'set', 'acme', '--base-url', 'https://api2.example.com', '--json'])
    expect(json(set.out)).toMatchObject({knowledge})
    expect(set.err).toContain('belongs to the service and stays')
    expect(set.err).toContain('--forget-knowledge')
  })

  it('of another service is not used, and doctor says so', async () => {
    const {home} = await serveAcme()
    storeKnowledge(home, 'https://other.example.com')
    expect((await run(home, ['doctor', ...acme])).out).toContain(
      'What is known belongs to another service, https://other.example.com',
    )
  })
})

describe('payments', () => {
  // The first request never reaches the service. Only with what a probe found may it be sent again.
  it.each([
    ['of which nothing is known', {}, 1, 7],
    ['that honours keys', {sameRequest: 'replayed'}, 2, 0],
    ['that makes a second transaction', {sameRequest: 'created'}, 1, 7],
  ])('of a service %s', async (_name, found, sends, code) => {
    const {service, home} = await serveAcme()
    const stored = readStoredSettings(home)
    Object.assign(stored.profiles['acme'] ?? {}, {knowledge: {probedAt: '2026-11-14T10:00:00.000Z', ...found}})
    fs.writeFileSync(path.join(home.env['SVC_CONFIG_DIR'] ?? '', 'config.json'), JSON.stringify(stored))
    service.script({times: 1, acts: 'never', reply: 'reset'})
    const paid = await run(home, ['pay', ...route, '--amount', '3', '--key', 'rent', '--timeout', '4s', ...acme])
    expect([paid.code, countSent(service)]).toEqual([code, sends])
  })
})

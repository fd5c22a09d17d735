// svc customers list, get and issues: filters, search, what is new in the service, and what follows on a refusal.
import {describe, expect, it} from 'vitest'
import {login} from '../../profiles/logins.ts'
import {customer, customerId, reply, serve} from '../../support/service.ts'
import {freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
import {seeded} from '../../support/transactions.ts'

const inSandbox = ['-p', 'sandbox', '--json']

type Listed = Array<Record<string, string>>

const list = async (...flags: string[]) =>
  json((await run(freshHome(), ['customers', 'list', '--all', ...flags, ...inSandbox])).out)['customers'] as Listed

describe('svc customers list', () => {
  it('filters by status, type and time of change', async () => {
    const some = await list(
      '--status',
      'active,Needs additional-information',
      '--type',
      'business',
      '--since',
      '2026-10-01',
    )
    const wanted = (await list()).filter(
      (each) =>
        /^(ACTIVE|NEEDS_ADDITIONAL_INFORMATION)$/.test(each['customerStatus'] ?? '') &&
        each['customerType'] === 'BUSINESS' &&
        (each['updatedAt'] ?? '') >= '2026-10-01',
    )
    expect(wanted.length).toBeGreaterThan(0)
    expect(some.map((each) => each['customerId'])).toEqual(wanted.map((each) => each['customerId']))
  })

  it.each([
    [['zoe.ANGSTROM@'], 1],
    [['4738020A-a06d'], 1],
    [['zoë'], 1],
    [['nobody'], 0],
    [['zoe', '--type', 'BUSINESS'], 0],
    [['ANGSTROM zoe', '--whole-words'], 1],
    [['zoe angs', '--whole-words'], 0],
  ])('finds with --search %j: %i', async ([text = '', ...flags], count) => {
    const found = await list('--search', text, ...flags)
    expect(found.map((each) => each['customerId'])).toEqual(count === 1 ? [seeded.customer] : [])
  })

  it('keeps fields and values that are new in the service, as get does', async () => {
    const grown = customer(1, {customerStatus: 'ON_HOLD', riskTier: {level: 'gold'}})
    const service = await serve(({path}, response) =>
      reply(response, 200, path === '/customers' ? {customers: [grown], total: 1} : grown),
    )
    const {code, out, err} = await run(freshHome(), ['customers', 'list', '--json'], {env: service.env})
    expect({code, err}).toEqual({code: 0, err: ''})
    expect(json(out)).toEqual({total: 1, customers: [grown]})
    const record = await run(freshHome(), ['customers', 'get', customerId(1)], {env: service.env})
    expect(record.out).toMatch(/riskTier +\{"level":"gold"\}\n$/)
  })
})

it('svc customers get adds payment methods when asked for', async () => {
  const get = ['customers', 'get', seeded.customer, ...inSandbox]
  expect(json((await run(freshHome(), get)).out)).not.toHaveProperty('availablePaymentMethods')
  const {out} = await run(freshHome(), [...get, '--payment-methods'])
  expect(json(out)['availablePaymentMethods']).toContain('BASE')
})

const issuesFound = [
  {code: 'DOC_QUALITY_POOR', message: 'The picture is blurred.', timestamp: '2026-11-01T12:34:56Z', severity: 3},
  {code: 'MOON_PHASE', message: 'Wait for the full moon.', timestamp: '2026-11-02T12:34:56Z'},
]

const serveIssues = (verificationIssues: unknown, customerStatus = 'NEEDS_ADDITIONAL_INFORMATION') =>
  serve(({path}, response) => {
    const refused = customer(1, {customerStatus, verificationIssues})
    return reply(response, 200, path === '/customers' ? {customers: [refused], nextPageToken: ''} : refused)
  })

describe('svc customers issues', () => {
  const issues = (...flags: string[]) => ['customers', 'issues', customerId(1), ...flags]

  it('shows the meaning and the fields of each code, and as JSON the issues as they came', async () => {
    const {env} = await serveIssues(issuesFound)
    const {code, out, err} = await run(freshHome(), issues(), {env})
    expect({code, err}).toEqual({code: 0, err: ''})
    expect(out).toMatch(/^CODE +MESSAGE +WHO +MEANING +WHEN \(UTC\) +FIELDS\n/)
    expect(out).toMatch(/too poor to check +2026-11-01 12:34 +documents\.frontIdImage, documents\.backIdImage\n/)
    expect(out).toMatch(/\nMOON_PHASE +Wait for the full moon\. +2026-11-02 12:34\n$/)
    expect(json((await run(freshHome(), issues('--json'), {env})).out)).toEqual({verificationIssues: issuesFound})
  })

  it.each([null, [], 'none'])('says that there are none, and names the status: %j', async (none) => {
    const {env} = await serveIssues(none, 'ACTIVE')
    for (const flags of [[], ['--json']]) {
      const {code, err} = await run(freshHome(), issues(...flags), {env})
      expect(code).toBe(0)
      expect(err).toMatch(/(^|\n)No verification issues; the customer is ACTIVE\.\n$/)
    }
  })
})

it.each([
  ['NEEDS_ADDITIONAL_INFORMATION', `\`svc customers fix ${customerId(1)} -p named\` corrects it`],
  ['REJECTED', 'takes no more data of this customer'],
])('what follows on %s is the last line in a terminal, with the profile that was named', async (status, next) => {
  const service = await serveIssues(issuesFound, status)
  const home = freshHome()
  await login(home, 'named', service.url)
  for (const verb of ['get', 'issues']) {
    const args = ['customers', verb, customerId(1), '-p', 'named']
    const screen = onTerminal(home, args)
    expect(await screen.ended).toBe(0)
    expect(screen.text().split('Next: ')[1]?.replaceAll(/\s+/g, ' ')).toContain(next)
    expect((await run(home, args)).err).not.toContain('Next: ')
  }
})

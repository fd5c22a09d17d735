// svc customers issues: in a terminal, in a pipe, as JSON, and rejected.
import {describe, expect, it} from 'vitest'
import {customer, customerId, reply, serve} from '../../support/service.ts'
import {login} from '../../profiles/logins.ts'
import {freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'

const issuesFound = [
  {code: 'DOC_QUALITY_POOR', message: 'The picture is blurred.', timestamp: '2026-11-01T12:34:56Z', severity: 3},
  {code: 'MOON_PHASE', message: 'Wait for the full moon.', timestamp: '2026-11-02T12:34:56Z'},
]

const serveCustomerWithIssues = (
  verificationIssues: unknown,
  customerStatus: unknown = 'NEEDS_ADDITIONAL_INFORMATION',
) =>
  serve(({path}, response) => {
    const refused = customer(1, {customerStatus, verificationIssues})
    return reply(response, 200, path === '/customers' ? {customers: [refused], nextPageToken: ''} : refused)
  })

const issues = (...flags: string[]) => ['customers', 'issues', customerId(1), ...flags]

describe('svc customers issues', () => {
  it('shows in a pipe the meaning and the fields of each code; an unknown code is shown as it is', async () => {
    const service = await serveCustomerWithIssues(issuesFound)
    const {code, out, err} = await run(freshHome(), issues(), {env: service.env})
    expect({code, err}).toEqual({code: 0, err: ''})
    expect(out).toMatch(/^CODE +MESSAGE +WHO +MEANING +WHEN \(UTC\) +FIELDS\n/)
    expect(out).toMatch(/too poor to check +2026-11-01 12:34 +documents\.frontIdImage, documents\.backIdImage\n/)
    expect(out).toMatch(/\nMOON_PHASE +Wait for the full moon\. +2026-11-02 12:34\n$/)
  })

  it('prints the issues as JSON exactly as they came', async () => {
    const service = await serveCustomerWithIssues(issuesFound)
    const {out, err} = await run(freshHome(), issues('--json'), {env: service.env})
    expect(err).toBe('')
    expect(json(out)).toEqual({verificationIssues: issuesFound})
  })

  it.each([[undefined], [null], [[]], ['none']])('says that there are none, and names the status: %j', async (none) => {
    const service = await serveCustomerWithIssues(none, 'ACTIVE')
    const asTable = await run(freshHome(), issues(), {env: service.env})
    expect(asTable).toMatchObject({code: 0, out: ''})
    expect(asTable.err).toMatch(/(^|\n)No verification issues; the customer is ACTIVE\.\n$/)
    const asJson = await run(freshHome(), issues('--json'), {env: service.env})
    expect(asJson.code).toBe(0)
    expect(json(asJson.out)).toEqual({verificationIssues: []})
    expect(asJson.err).toMatch(/(^|\n)No verification issues; the customer is ACTIVE\.\n$/)
  })
})

describe('what follows on a refusal', () => {
  it.each([
    ['NEEDS_ADDITIONAL_INFORMATION', issuesFound, `\`svc customers fix ${customerId(1)} -p named\` corrects it`],
    ['REJECTED', issuesFound, 'takes no more data of this customer'],
  ])('is the last line in a terminal, with the profile that was named (%s)', async (status, found, next) => {
    const service = await serveCustomerWithIssues(found, status)
    const home = freshHome()
    await login(home, 'named', service.url)
    await login(home, 'other', service.url)
    await run(home, ['profiles', 'use', 'other'])
    for (const verb of ['get', 'issues']) {
      const screen = onTerminal(home, ['customers', verb, customerId(1), '-p', 'named'])
      expect(await screen.ended).toBe(0)
      expect(screen.text().split('Next: ')[1]?.replaceAll(/\s+/g, ' ')).toContain(next)
      expect((await run(home, ['customers', verb, customerId(1), '-p', 'named'])).err).not.toContain('Next: ')
    }
  })
})

// svc customers list: in a terminal, in a pipe, as JSON, and rejected.
import {describe, expect, it} from 'vitest'
import {customer, reply, serve} from '../../support/service.ts'
import {freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'

describe('svc customers list', () => {
  it('shows a table that fits the width of the terminal', async () => {
    const screen = onTerminal(freshHome(), ['customers', 'list', '-p', 'sandbox'])
    expect(await screen.ended).toBe(0)
    const [header = '', first = ''] = screen.text().split('\n')
    expect(header).toMatch(/^ID +STATUS +TYPE +NAME$/)
    expect(first).toMatch(/^[0-9a-f]{8} {2}\S+ +\S+ +\S/)
    expect(screen.text()).toContain('20 customers shown; more follow')
  })

  it('takes dashes and spaces in a status for underscores', async () => {
    const home = freshHome()
    const list = async (status: string) =>
      (await run(home, ['customers', 'list', '-p', 'sandbox', '--status', status, '--columns', 'status'])).out
    expect(await list('needs-additional-information')).toMatch(/^STATUS\n(?:NEEDS_ADDITIONAL_INFORMATION\n)+$/)
    expect(await list('Under review')).toMatch(/^STATUS\n(?:UNDER_REVIEW\n)+$/)
  })

  it('prints the full table without colour in a pipe', async () => {
    const {code, out, err} = await run(freshHome(), ['customers', 'list', '-p', 'sandbox'])
    expect(code).toBe(0)
    expect(out.trimEnd().split('\n')).toHaveLength(21)
    expect(out).toMatch(/^ID +STATUS +TYPE +NAME +EMAIL +UPDATED \(UTC\)\n/)
    expect(out).not.toContain('\u001b')
    expect(out).not.toContain('…')
    expect(err).toContain('--page-token')
  })

  it('prints the same number of customers in every machine format', async () => {
    const home = freshHome()
    const all = ['customers', 'list', '-p', 'sandbox', '--all']
    const [asJson, asLines, asCsv] = [
      await run(home, [...all, '--json']),
      await run(home, [...all, '-o', 'jsonl']),
      await run(home, [...all, '-o', 'csv']),
    ]
    expect(json(asJson.out)['customers']).toHaveLength(24)
    expect(json(asJson.out)).not.toHaveProperty('nextPageToken')
    expect(asLines.out.trimEnd().split('\n')).toHaveLength(24)
    expect(asCsv.out.trimEnd().split('\n')).toHaveLength(25)
    expect([asJson.err, asLines.err, asCsv.err]).toEqual(['', '', ''])
  })

  it('continues from the page token without skipping a customer', async () => {
    const home = freshHome()
    const list = async (...flags: string[]) =>
      json((await run(home, ['customers', 'list', '-p', 'sandbox', '--json', '--quiet', ...flags])).out) as {
        customers: Array<{customerId: string}>
        nextPageToken?: string
      }
    const whole = await list('--all')
    const start = await list('--limit', '7')
    const rest = await list('--all', '--page-token', start.nextPageToken ?? '')
    expect([...start.customers, ...rest.customers]).toEqual(whole.customers)
  })

  it('requests only the customers of the given organization', async () => {
    const home = freshHome()
    const status = json((await run(home, ['sandbox', 'status', '--json'])).out)
    const [, second] = status['organizations'] as Array<{organizationId: string}>
    const id = second?.organizationId ?? ''
    const {out} = await run(home, ['customers', 'list', '-p', 'sandbox', '--all', '--json', '--organization', id])
    const {customers} = json(out) as {customers: Array<{organizationId: string}>}
    expect(customers.length).toBeGreaterThan(0)
    expect(customers.every(({organizationId}) => organizationId === id)).toBe(true)
  })

  it('keeps fields and values that are new in the service', async () => {
    const grown = customer(1, {customerStatus: 'ON_HOLD', riskTier: 'gold'})
    const service = await serve((_, response) => reply(response, 200, {customers: [grown], total: 1}))
    const {code, out, err} = await run(freshHome(), ['customers', 'list', '--json'], {env: service.env})
    expect({code, err}).toEqual({code: 0, err: ''})
    expect(json(out)).toEqual({total: 1, customers: [grown]})
  })

  it('filters by status, type and time of change', async () => {
    const home = freshHome()
    const list = async (...flags: string[]) =>
      json((await run(home, ['customers', 'list', '-p', 'sandbox', '--all', '--json', ...flags])).out)[
        'customers'
      ] as Array<Record<string, string>>
    const [whole, some] = [
      await list(),
      await list('--status', 'active,REJECTED', '--type', 'business', '--since', '2026-10-01'),
    ]
    const wanted = whole.filter(
      (c) =>
        /^(ACTIVE|REJECTED)$/.test(c['customerStatus'] ?? '') &&
        c['customerType'] === 'BUSINESS' &&
        (c['updatedAt'] ?? '') >= '2026-10-01',
    )
    expect(some).toEqual(wanted)
  })

  it('shows in a terminal the matching customers, and how many were read', async () => {
    const args = ['customers', 'list', '-p', 'sandbox', '--status', 'ACTIVE', '--limit', '2', '--page-size', '3']
    const screen = onTerminal(freshHome(), args)
    expect(await screen.ended).toBe(0)
    expect(screen.text().match(/^[0-9a-f]{8} +ACTIVE/gm)).toHaveLength(2)
    expect(screen.text()).toMatch(/Read \d+ customers in \d+ pages to find 2: the service cannot filter by status\./)
    expect(screen.text()).toContain('2 customers shown; the list goes on')
  })

  it.each([
    [['--page-size', '0'], '--page-size'],
    [['--status', 'ACTIVE,GONE'], 'Known values are CREATED, UNDER_REVIEW,'],
    [['--type', 'PERSON'], 'Known values are INDIVIDUAL, BUSINESS'],
    [['--since', 'lately'], '7d'],
    [['--page-size', '101'], '--page-size'],
    [['--limit', '0'], '--limit'],
    [['--limit', 'many'], '--limit'],
    [['--all', '--limit', '3'], '--limit'],
    [['--columns', 'id,shoeSize'], 'shoeSize'],
    [['--organization', 'acme'], '--organization'],
    [['--output', 'xml'], 'xml'],
  ])('rejects %j before anything is sent', async (flags, named) => {
    const service = await serve((_, response) => reply(response, 200, {customers: []}))
    const {code, out, err} = await run(freshHome(), ['customers', 'list', ...flags], {env: service.env})
    expect({code, out}).toEqual({code: 2, out: ''})
    expect(err).toContain(named)
    expect(err.trimEnd().split('\n')).toHaveLength(1)
    expect(service.requests).toEqual([])
  })

  it('exits with 4 without a profile, prints nothing and names both ways to get one', async () => {
    const {code, out, err} = await run(freshHome(), ['customers', 'list'])
    expect({code, out}).toEqual({code: 4, out: ''})
    expect(err).toContain('-p sandbox')
    expect(err).toContain('svc login')
  })

  it('offers the sandbox in a terminal without a profile', async () => {
    const screen = onTerminal(freshHome(), ['customers', 'list'])
    await screen.waitFor('The embedded sandbox, this once')
    screen.type('\r')
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toContain('20 customers shown')
  })
})

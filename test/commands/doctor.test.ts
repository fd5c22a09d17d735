// svc doctor: on a terminal, in a pipe, as JSON, and with wrong usage.
import {stripVTControlCharacters} from 'node:util'
import {describe, expect, it} from 'vitest'
import {overridePath, serveForDoctor} from '../doctor/doctor-run.ts'
import {serve} from '../support/service.ts'
import {freshHome, json, run} from '../support/svc.ts'
import {readRemainingRaw, onPty, onTerminal} from '../support/terminal.ts'

const wrongPlace = overridePath('/customers', {error: 'NOT_FOUND', statusCode: 404}, 404)

describe('svc doctor', () => {
  it('finds the sandbox healthy, on a terminal of 80 columns', async () => {
    const screen = onTerminal(freshHome(), ['doctor', '-p', 'sandbox'])
    expect(await screen.ended).toBe(0)
    const text = stripVTControlCharacters(readRemainingRaw(screen)).replaceAll('\r', '')
    expect(text).toMatch(/^OUTCOME +CHECK +FOUND\n✓ ok +settings /)
    expect(text).toMatch(/✓ ok +accepted +The service accepts the credential\n/)
    expect(text).not.toMatch(/failed|warning|…/)
    // Only a word that is wider than its column goes beyond the line: the path of the database.
    const wide = text.split('\n').filter((line) => line.length > 80)
    for (const line of wide) expect(line).toMatch(/^(✓ ok +\w+)? +(sandbox:)?\/\S+$/)
  })

  it('wraps the findings and next steps on a terminal, and truncates nothing', async () => {
    const screen = onTerminal(freshHome(), ['doctor'])
    expect(await screen.ended).toBe(12)
    const text = screen.text().replaceAll(/\s+/g, ' ')
    expect(text).toContain('✗ failed profile No profile is set up and none was named → Name the embedded sandbox')
    expect(text).toContain('(or SVC_BASE_URL and SVC_API_KEY)')
    expect(text).toContain('svc: 1 of 9 checks found a problem: profile. Each row says what to do next.')
  })

  it('shows on a terminal what it waits for, and can be stopped', async () => {
    const service = await serve(() => {})
    const screen = onPty(freshHome(), ['doctor'], {env: service.env})
    await screen.waitFor('Checking reachable…')
    screen.type('\u0003')
    expect(await screen.ended).toBe(130)
  })

  it('prints one plain line for each check in a pipe', async () => {
    const service = await serveForDoctor(wrongPlace)
    const {code, out, err} = await run(freshHome(), ['doctor'], {env: service.env})
    expect(code).toBe(12)
    expect(out.trimEnd().split('\n')).toHaveLength(7)
    expect(out).toMatch(/^✗ failed +accepted .* → Check the base URL$/m)
    expect(out).not.toContain('\u001b')
    expect(err).toBe('svc: 1 of 6 checks found a problem: accepted. Each row says what to do next.\n')
  })

  it('prints in JSON whether all is healthy, and each check with its next step', async () => {
    const [well, ill] = await Promise.all([serveForDoctor(), serveForDoctor(wrongPlace)])
    const [good, bad] = [
      await run(freshHome(), ['doctor', '--json'], {env: well.env}),
      await run(freshHome(), ['doctor', '--json'], {env: ill.env}),
    ]
    expect(good).toMatchObject({code: 0, err: ''})
    expect(Object.keys(json(good.out))).toEqual(['healthy', 'checks'])
    expect(json(good.out)['healthy']).toBe(true)
    expect(json(bad.out)['healthy']).toBe(false)
    expect((json(bad.out)['checks'] as unknown[]).at(-1)).toMatchObject({
      check: 'accepted',
      outcome: 'failed',
      next: 'Check the base URL',
    })
    expect(json(bad.err)).toMatchObject({error: 'UNHEALTHY', exitCode: 12})
  })

  it('sends only reads', async () => {
    const service = await serveForDoctor()
    expect((await run(freshHome(), ['doctor'], {env: service.env})).code).toBe(0)
    expect(new Set(service.requests.map(({method}) => method))).toEqual(new Set(['GET']))
  })

  it('prints a line or a row for each check in the other formats', async () => {
    const home = freshHome()
    const [lines, csv] = [
      await run(home, ['doctor', '-o', 'jsonl']),
      await run(home, ['doctor', '-o', 'csv', '--columns', 'check,outcome']),
    ]
    expect([lines.code, csv.code]).toEqual([12, 12])
    expect(lines.out.trimEnd().split('\n').map(json)).toHaveLength(9)
    expect(csv.out).toMatch(/^check,outcome\nsettings,ok\n/)
  })

  it.each([
    [['--columns', 'weather'], 'weather'],
    [['--timeout', 'soon'], '--timeout'],
    [['acme'], 'acme'],
  ])('rejects %j as wrong usage, before anything is checked', async (flags, named) => {
    const service = await serveForDoctor()
    const {code, out, err} = await run(freshHome(), ['doctor', ...flags], {env: service.env})
    expect({code, out}).toEqual({code: 2, out: ''})
    expect(err).toContain(named)
    expect(service.requests).toEqual([])
  })
})

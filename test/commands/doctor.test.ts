// svc doctor: on a terminal, in a pipe, as JSON, and with wrong usage.
import {describe, expect, it} from 'vitest'
import {overridePath, serveForDoctor} from '../doctor/doctor-run.ts'
import {serve} from '../support/service.ts'
import {freshHome, json, run} from '../support/svc.ts'
import {onPty} from '../support/terminal.ts'

const wrongPlace = overridePath('/customers', {error: 'NOT_FOUND', statusCode: 404}, 404)

describe('svc doctor', () => {
  it('shows on a terminal what it waits for, and can be stopped', async () => {
    const service = await serve(() => {})
    const screen = onPty(freshHome(), ['doctor'], {env: service.env})
    await screen.waitFor('Checking reachable…')
    screen.type('\u0003')
    expect(await screen.ended).toBe(130)
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
})

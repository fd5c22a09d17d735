// A redirect is reported and never followed: the credential belongs to one origin.
import {describe, expect, it} from 'vitest'
import {reply, serve} from '../support/service.ts'
import {freshHome, run} from '../support/svc.ts'
import {expectFailure} from './raw-service.ts'

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('with %i is not followed, and a read ends with 6', async (status) => {
    const other = await serve((_, response) => reply(response, 200, {stolen: true}))
    const service = await serve((_, response) => reply(response, status, '', {location: `${other.url}/x?secret=1`}))
    const ended = await run(freshHome(), ['api', 'GET', '/x'], {env: service.env})
    expectFailure(ended, 6)
    expect(ended.err).toContain(`a redirect to ${other.url}`)
    expect(ended.err).not.toContain('secret')
    expect(service.requests).toHaveLength(1)
    expect(other.requests).toEqual([])
  })

  it('to the same origin is not followed either', async () => {
    const service = await serve((_, response) => reply(response, 302, '', {location: '/login/?secret=1'}))
    const ended = await run(freshHome(), ['customers', 'list'], {env: service.env})
    expectFailure(ended, 6)
    expect(ended.err).toContain(`answered 302, a redirect to ${service.url}/login/, which svc never follows`)
    expect(service.requests).toHaveLength(1)
  })

  it.each([301, 302, 303, 307, 308])(
    'with %i after a write ends with 7 and sends nothing elsewhere',
    async (status) => {
      const other = await serve((_, response) => reply(response, 200, {}))
      const service = await serve((_, response) => reply(response, status, '', {location: other.url}))
      expectFailure(await run(freshHome(), ['api', 'POST', '/x', '--set', 'a=b'], {env: service.env}), 7)
      expect(other.requests).toEqual([])
    },
  )

  it.each(['', 'http://', '::::', 'javascript:alert(1)'])(
    'to the invalid address "%s" is reported in one sentence',
    async (location) => {
      const service = await serve((_, response) => reply(response, 302, '', {location}))
      const ended = await run(freshHome(), ['api', 'GET', '/x'], {env: service.env})
      expectFailure(ended, 6)
      expect(ended.err).toMatch(/a redirect( to http:\/\/127\.0\.0\.1:\d+\/::::)?, which svc never follows/)
    },
  )
})

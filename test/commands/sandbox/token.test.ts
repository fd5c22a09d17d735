// svc sandbox token: on a terminal, in a pipe, as JSON, rejected, and as a credential of the served sandbox.
import {describe, expect, it, onTestFinished} from 'vitest'
import {startServer} from '../../../src/sandbox/http/server.ts'
import {freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'

const tokenForm = /^[\w-]+\.[\w-]+\.[\w-]+$/

describe('svc sandbox token', () => {
  it('prints the token alone on standard output, and on a terminal until when it is valid', async () => {
    const home = freshHome()
    const {code, out, err} = await run(home, ['sandbox', 'token'])
    expect(code).toBe(0)
    expect(out.trimEnd()).toMatch(tokenForm)
    expect(err).toMatch(/^It is valid until \S+Z, on the clock of the sandbox\.\n$/)
    const screen = onTerminal(home, ['sandbox', 'token', '--expires-in', '1h'])
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toContain('It is valid until')
  })

  it('is a credential of the served sandbox until it expires', async () => {
    const home = freshHome()
    await run(home, ['sandbox', 'clock', 'freeze', '--quiet'])
    const {out} = await run(home, ['sandbox', 'token', '--expires-in', '15m', '--json'])
    const {token, expiresAt} = json(out) as {token: string; expiresAt: string}
    expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now() + 10 * 60 * 1_000)
    const {file} = json((await run(home, ['sandbox', 'status', '--json'])).out) as {file: string}
    const server = await startServer({file, port: 0, notice: () => {}})
    onTestFinished(() => server.stop())
    const list = () => fetch(`${server.url}/customers`, {headers: {authorization: `Bearer ${token}`}})
    expect((await list()).status).toBe(200)
    const env = {SVC_BASE_URL: server.url, SVC_API_KEY: token}
    expect(await run(freshHome(), ['customers', 'list'], {env})).toMatchObject({code: 0})
    await run(home, ['sandbox', 'clock', 'advance', '16m', '--quiet'])
    const refused = await list()
    expect(refused.status).toBe(401)
    expect(await refused.json()).toEqual({
      error: 'UNAUTHORIZED',
      message: 'The credential has expired',
      statusCode: 401,
    })
    expect(await run(freshHome(), ['customers', 'list'], {env})).toMatchObject({code: 4, out: ''})
  })

  it.each([['soon'], ['0s'], ['9999d']])('rejects --expires-in %s', async (duration) => {
    const {code, out} = await run(freshHome(), ['sandbox', 'token', '--expires-in', duration])
    expect({code, out}).toEqual({code: 2, out: ''})
  })
})

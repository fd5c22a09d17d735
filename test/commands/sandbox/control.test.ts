// The commands of the sandbox against a running server: --url, the token, and what is rejected.
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import manifest from '../../../oclif.manifest.json' with {type: 'json'}
import {closedAddress} from '../../client/raw-service.ts'
import {serveTemporary, type Served} from '../../sandbox/http/serving.ts'
import {serve} from '../../support/service.ts'
import {type Home, freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'

const zoe = '4738020a-a06d-4ef3-bc07-b5cacbf3446c'
const wallet = '64fbd491-4b09-49d5-b40c-8b27facb31a9'
const processing = '08453f1a-c9c6-45d0-9ab5-159985b690a4'

const withToken = ({control}: Served) => ({SVC_SANDBOX_CONTROL_TOKEN: control.controlToken})
const getSandboxFile = ({env}: Home) => path.join(String(env['SVC_CONFIG_DIR']), 'state', 'sandbox.sqlite')

async function runRemote(home: Home, server: Served, args: readonly string[]) {
  return run(home, ['sandbox', ...args, '--url', server.url], {env: withToken(server)})
}

describe('svc sandbox … --url', () => {
  it('acts on the server, and not on the sandbox of this machine', async () => {
    const [home, server] = [freshHome(), await serveTemporary()]
    const frozen = await runRemote(home, server, ['clock', 'freeze', '--at', '2031-01-01T00:00:00Z', '--json'])
    expect(frozen).toMatchObject({code: 0, err: ''})
    expect(json(frozen.out)).toMatchObject({now: '2031-01-01T00:00:00.000Z', frozen: true})
    expect(json((await run(home, ['sandbox', 'clock', '--json'])).out)).toMatchObject({frozen: false})
  })

  it('prints what the command prints without it', async () => {
    const home = freshHome()
    const commands = [
      ['clock', 'freeze', '--at', '2031-01-01T00:00:00Z', '--quiet'],
      ['accounts', 'list', '--customer', zoe, '--columns', 'nickname,balances'],
      ['fund', wallet, '--amount', '100', '--jq', '.balances'],
      ['verify', zoe.slice(0, 8), '--outcome', 'deactivated', '--jq', '.customerStatus'],
      ['settle', processing.slice(0, 8), '--outcome', 'failed', '--jq', '.transactionStatus'],
      ['faults', 'set', '--list-lag', '30s', '--json'],
      ['faults', 'add', '--kind', 'lose', '--jq', '.kind'],
      ['snapshot', 'save', 'here', '--jq', '.name'],
      ['seed', '--customers', '2', '--jq', '.customers'],
      ['webhooks', 'add', 'http://localhost:9/hook', '--jq', '.status'],
      ['webhooks', 'deliveries', '--json'],
      ['reset', '--seed', 'docs', '--jq', '.seedGiven'],
      ['settle', processing, '--outcome', 'expired'],
      ['verify', zoe, '--outcome', 'approved', '--code', 'DOC_QUALITY_POOR'],
      ['fund', 'none', '--amount', '5'],
      ['snapshot', 'restore', 'nowhere', '--json'],
      ['webhooks', 'resend', 'evt_8d1f0c6b2a9e4f7d3c5b1a60', '--json'],
    ]
    const server = await serveTemporary()
    // A sandbox that was seeded at the same time has the same queue.
    await run(home, ['sandbox', 'clock'])
    for (const args of commands) {
      const here = await run(home, ['sandbox', ...args])
      const there = await runRemote(home, server, args)
      expect({args, ...there}).toEqual({args, ...here})
    }
  })

  it('takes every command of the sandbox that control has', () => {
    const local = new Set(['sandbox:start', 'sandbox:document'])
    const without = Object.values(manifest.commands)
      .filter(({id, flags}) => id.startsWith('sandbox:') && !local.has(id) && !('url' in flags))
      .map(({id}) => id)
    expect(without).toEqual([])
  })

  it('finds names at the server, also at a terminal', async () => {
    const [home, server] = [freshHome(), await serveTemporary()]
    const args = ['sandbox', 'verify', 'angstrom', '--outcome', 'deactivated', '--url', server.url]
    const screen = onTerminal({...home, env: {...home.env, ...withToken(server)}}, args)
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toContain('DEACTIVATED')
  })

  it('finds the token of the server of this machine by itself', async () => {
    const home = freshHome()
    await run(home, ['sandbox', 'clock'])
    const server = await serveTemporary(getSandboxFile(home))
    const args = ['sandbox', 'clock', 'freeze', '--json', '--url', `${server.url}/`]
    expect(await run(home, args)).toMatchObject({code: 0, err: ''})
    const status = json((await run(home, ['sandbox', 'status', '--json'])).out)
    expect(status).toMatchObject({clock: {frozen: true}, ...pickControl(server)})
    const remote = json((await run(home, ['sandbox', 'status', '--json', '--url', server.control.controlUrl])).out)
    expect(remote).toMatchObject(pickControl(server))
    const shown = await run(home, ['sandbox', 'status'])
    expect(shown.out).toMatch(new RegExp(`CONTROL +${server.control.controlUrl}\n`))
    expect(shown.out).not.toContain(server.control.controlToken)
    await server.stop()
    const after = json((await run(home, ['sandbox', 'status', '--json'])).out)
    expect(Object.keys(after).filter((name) => name.startsWith('control'))).toEqual([])
    expect((await run(home, ['sandbox', 'status'])).out).not.toContain('CONTROL')
  })

  it('follows the requests of a server', async () => {
    const [home, server] = [freshHome(), await serveTemporary()]
    await fetch(`${server.url}/customers?pageSize=1`, {headers: {authorization: `Bearer ${server.apiKey}`}})
    const {out} = await runRemote(home, server, ['requests', '--method', 'GET', '--json'])
    expect(json(out)['requests']).toMatchObject([{path: '/customers?pageSize=…', status: 200}])
  })

  it('needs the token', async () => {
    const [home, server] = [freshHome(), await serveTemporary()]
    const args = ['sandbox', 'clock', '--url', server.url]
    const unknown = await run(home, args)
    expect(unknown.code).toBe(4)
    expect(unknown.err).toMatch(/^svc: The control token of http:\S+ is not known\. Set SVC_SANDBOX_CONTROL_TOKEN/)
    const wrong = await run(home, args, {env: {SVC_SANDBOX_CONTROL_TOKEN: 'x'.repeat(32)}})
    expect(wrong.code).toBe(4)
    expect(wrong.err).toMatch(/^svc: The sandbox at http:\S+ does not accept the control token\./)
  })

  it.each([
    ['an address that is none', 'nonsense'],
    ['another machine without TLS', 'http://sandbox.example:4010'],
    ['a query', 'http://127.0.0.1:4010/?a=b'],
  ])('rejects %s', async (_, url) => {
    const {code, err} = await run(freshHome(), ['sandbox', 'clock', '--url', url])
    expect(code).toBe(2)
    expect(err).toContain(`--url "${url}" is not the address of a sandbox`)
  })

  it('says that nothing answers, and what to do', async () => {
    const {port} = await serve((_, response) => void response.destroy())
    const env = {SVC_SANDBOX_CONTROL_TOKEN: 'x'.repeat(32)}
    for (const url of [closedAddress, `http://127.0.0.1:${port}`]) {
      const {code, err} = await run(freshHome(), ['sandbox', 'clock', '--url', url], {env})
      expect(code).toBe(6)
      expect(err).toMatch(new RegExp(`^svc: The sandbox at ${url} does not answer \\([\\w ]+\\)\\. Start it with`))
    }
  })

  it('does not take another program for a sandbox', async () => {
    const {port} = await serve((_, response) => void response.end('hello'))
    const env = {SVC_SANDBOX_CONTROL_TOKEN: 'x'.repeat(32)}
    const {code, err} = await run(freshHome(), ['sandbox', 'clock', '--url', `http://127.0.0.1:${port}`], {env})
    expect(code).toBe(6)
    expect(err).toContain('not from a sandbox')
  })
})

const pickControl = ({control: {controlUrl, controlToken, controlOpenapiUrl}}: Served) => ({
  controlUrl,
  controlToken,
  controlOpenapiUrl,
})

// svc console: where it says that it is, what it refuses, and that Ctrl-C ends it.
import http from 'node:http'
import type {AddressInfo} from 'node:net'
import {describe, expect, it, onTestFinished} from 'vitest'
import {enterPage} from '../../support/entrance.ts'
import {servePayments} from '../../support/scripted-service.ts'
import {freshHome, json, run} from '../../support/svc.ts'
import {onPty} from '../../support/terminal.ts'

const address = /http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/enter\/[\w-]{32}/

describe('svc console', () => {
  it('prints its address in a pipe, alone or as JSON, and asks the service for nothing by itself', async () => {
    const service = await servePayments()
    const home = freshHome()
    const ended = ['--timeout', '50ms']
    const plain = await run(home, ['console', ...ended], {env: service.env})
    expect(plain).toMatchObject({code: 0, err: 'Ctrl-C stops it.\n'})
    expect(plain.out).toMatch(new RegExp(`^${address.source}\n$`))
    const {code, out, err} = await run(home, ['console', '--json', ...ended], {env: service.env})
    expect([code, err, Object.keys(json(out))]).toEqual([0, '', ['consoleUrl']])
    expect(service.requests).toEqual([])
  })

  it('serves a person until Ctrl-C, although a page still waits for the service', async () => {
    const asked = Promise.withResolvers<void>()
    const service = http.createServer(() => asked.resolve())
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => service.close().closeAllConnections())
    const {port} = service.address() as AddressInfo
    const env = {SVC_BASE_URL: `http://127.0.0.1:${port}`, SVC_API_KEY: 'key'}
    const screen = onPty(freshHome(), ['console', '--no-open'], {cols: 160, env})
    await screen.waitFor('Ctrl-C stops it.')
    const [link = ''] = address.exec(screen.text()) ?? []
    const {url, cookie} = await enterPage(link)
    expect((await fetch(link)).status).toBe(403)
    const page = fetch(url, {headers: {cookie}}).catch(() => undefined)
    await asked.promise
    screen.type('\u0003')
    expect(await screen.ended).toBe(0)
    expect(screen.text()).not.toContain('fault')
    await page
  })
})

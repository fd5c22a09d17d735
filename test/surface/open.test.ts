// svc open where a person has a browser: what it opens, and whose form it serves in the sandbox.
import {describe, expect, it} from 'vitest'
import {createBrowserLauncher} from '../support/browser-launcher.ts'
import {startSvc} from '../support/running.ts'
import {customer, customerId, reply, serve} from '../support/service.ts'
import {type Home, freshHome, json, run} from '../support/svc.ts'
import {onPty, onTerminal} from '../support/terminal.ts'
import {seeded} from '../support/transactions.ts'
import {useVirtualTime} from '../support/virtual-time.ts'

describe.skipIf(process.platform !== 'linux')('svc open', () => {
  useVirtualTime()

  it.each([
    ['https://forms.example.com/verify/f_1?a=b&c=d', true],
    ['file:///etc/passwd', false],
    ['javascript:alert(1)', false],
    ['--help', false],
  ])('opens %s in a terminal: %s, and never in a pipe or with --no-open', async (link, isOpened) => {
    const home = freshHome()
    const service = await serve((_, response) => reply(response, 200, customer(1, {verificationLink: link})))
    const browser = createBrowserLauncher(home)
    const env = {...service.env, ...browser.env}
    const open = ['open', customerId(1)]
    await run(home, open, {env})
    expect(await onTerminal(home, [...open, '--no-open'], {env}).ended).toBe(0)
    expect(browser.readArguments()).toBe('')
    const screen = onTerminal(home, open, {env})
    expect(await screen.ended).toBe(0)
    expect(browser.listOpened()).toEqual(isOpened ? [link] : [])
    expect(screen.text()).toContain(isOpened ? 'The link was opened' : 'The link was not opened: it is not an http')
  })
})

describe('svc open in the sandbox', () => {
  const openZoe = ['open', seeded.customer, '-p', 'sandbox']
  const readUrl = async (home: Home) => String(json((await run(home, [...openZoe, '--json'])).out)['url'])

  it('serves the form in a terminal until Ctrl-C, if no server is running', async () => {
    const home = freshHome()
    const screen = onPty(home, openZoe, {cols: 200, env: {DISPLAY: '', WAYLAND_DISPLAY: ''}})
    await screen.waitFor('so svc serves the form itself. Press Ctrl-C to stop.')
    const [, served = ''] = /ADDRESS +(\S+)/.exec(screen.text()) ?? []
    expect(served).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/forms\/verify\//)
    expect(await (await fetch(served)).text()).toContain('<main')
    // A second call gets the same link, and starts no server.
    expect(await readUrl(home)).toBe(served)
    screen.type('\u0003')
    expect(await screen.ended).toBe(0)
    await expect(fetch(served)).rejects.toThrow('fetch failed')
  })

  it('prints the address of the running server, as every command does, and not of one that was killed', async () => {
    const home = freshHome()
    const server = startSvc(home, ['sandbox', 'start', '--port', '0', '--json'])
    const {formsUrl} = await server.readReady()
    for (const command of [
      [...openZoe, '--json'],
      ['customers', 'get', seeded.customer, '--json', '-p', 'sandbox'],
      ['accounts', 'list', '--customer', seeded.customer, '--status', 'PENDING', '-o', 'jsonl', '-p', 'sandbox'],
    ]) {
      const {out} = await run(home, command)
      const [, printed = ''] = /"(http[^"]*\/(?:verify|bank-account)\/[^"]+)"/.exec(out) ?? []
      expect(printed.startsWith(`${formsUrl}/`)).toBe(true)
      expect((await fetch(printed)).status).toBe(200)
    }
    server.stop('SIGKILL')
    await server.ended
    expect(await readUrl(home)).toMatch(/^https:\/\/forms\.sandbox\.invalid\/verify\//)
  })
})

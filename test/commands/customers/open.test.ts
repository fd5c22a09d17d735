// svc customers open: in a terminal with and without a display, in a pipe, as JSON, rejected, and in the sandbox.
import {spawn} from 'node:child_process'
import {once} from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it, onTestFinished} from 'vitest'
import {createBrowserLauncher} from '../../support/browser-launcher.ts'
import {customer, customerId, reply, serve} from '../../support/service.ts'
import {type Home, bin, freshHome, json, run} from '../../support/svc.ts'
import {onPty, onTerminal} from '../../support/terminal.ts'

const link = 'https://forms.example.com/verify/f_1?a=b&c=d'

const serveCustomerWithLink = (verificationLink: unknown = link) =>
  serve((_, response) => reply(response, 200, customer(1, {verificationLink})))

const open = (...flags: string[]) => ['customers', 'open', customerId(1), ...flags]

describe.skipIf(process.platform !== 'linux')('svc customers open on a terminal', () => {
  it('opens the link in the browser, and prints it', async () => {
    const [home, service] = [freshHome(), await serveCustomerWithLink()]
    const browser = createBrowserLauncher(home)
    const screen = onPty(home, open(), {env: {...service.env, ...browser.env}})
    expect(await screen.ended).toBe(0)
    expect(browser.listOpened()).toEqual([link])
    // The link opens the form for whoever has it, so the process list of this machine does not show it.
    const [, file = ''] = /^file:\/\/(\S+\.html)\n$/.exec(browser.readArguments()) ?? []
    expect(browser.readModes()).toEqual(['600 700'])
    expect([file !== '', fs.existsSync(file), fs.existsSync(path.dirname(file))]).toEqual([true, false, false])
    expect(screen.text()).toContain('The link was opened in the browser.\n')
    expect(screen.text()).toContain(`VERIFICATION LINK  ${link}\n`)
  })

  it('says when the browser could not be started', async () => {
    const [home, service] = [freshHome(), await serveCustomerWithLink()]
    const screen = onPty(home, open(), {env: {...service.env, ...createBrowserLauncher(home, 3).env}})
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toContain('The link was not opened: the browser could not be started (code 3).\n')
    expect(screen.text()).toContain(link)
  })

  it('opens nothing without a display', async () => {
    const [home, service] = [freshHome(), await serveCustomerWithLink()]
    const browser = createBrowserLauncher(home)
    const screen = onPty(home, open(), {env: {...service.env, ...browser.env, DISPLAY: ''}})
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toContain('The link was not opened: there is no display here.\n')
    expect(browser.readArguments()).toBe('')
  })

  it('opens nothing with --no-open, a machine format or --no-input', async () => {
    const [home, service] = [freshHome(), await serveCustomerWithLink()]
    const browser = createBrowserLauncher(home)
    for (const flags of [['--no-open'], ['--json'], ['--no-input']]) {
      const screen = onPty(home, open(...flags), {env: {...service.env, ...browser.env}})
      expect(await screen.ended).toBe(0)
      expect(screen.text()).toContain(link)
    }
    expect(browser.readArguments()).toBe('')
  })

  it.each(['file:///etc/passwd', 'javascript:alert(1)', 'vscode://x', '--help', '/bin/sh', 'HTTPS//x'])(
    'never hands %s to the system',
    async (other) => {
      const [home, service] = [freshHome(), await serveCustomerWithLink(other)]
      const browser = createBrowserLauncher(home)
      const screen = onPty(home, open(), {env: {...service.env, ...browser.env}})
      expect(await screen.ended).toBe(0)
      expect(screen.text()).toContain('The link was not opened: it is not an http or https address.\n')
      expect(browser.readArguments()).toBe('')
    },
  )
})

describe('svc customers open', () => {
  it('only prints the link in a pipe', async () => {
    const [home, service] = [freshHome(), await serveCustomerWithLink()]
    const browser = createBrowserLauncher(home)
    const ended = await run(home, open(), {env: {...service.env, ...browser.env}})
    expect(ended).toEqual({code: 0, out: `ID                 ${customerId(1)}\nVERIFICATION LINK  ${link}\n`, err: ''})
    expect(browser.readArguments()).toBe('')
  })

  it('prints the link as JSON', async () => {
    const service = await serveCustomerWithLink()
    const {out, err} = await run(freshHome(), open('--json'), {env: service.env})
    expect(err).toBe('')
    expect(json(out)).toEqual({customerId: customerId(1), verificationLink: link})
  })

  it.each([{}, {verificationLink: null}, {verificationLink: ''}, {verificationLink: 7}])(
    'ends with 5 when there is no link: %j',
    async (more) => {
      const service = await serve((_, response) => reply(response, 200, customer(1, more)))
      const {code, out, err} = await run(freshHome(), open(), {env: service.env})
      expect({code, out}).toEqual({code: 5, out: ''})
      expect(err).toContain('svc: The customer has no verification link.')
    },
  )

  it('rejects an id that is not a UUID before anything is sent', async () => {
    const service = await serveCustomerWithLink()
    expect(await run(freshHome(), ['customers', 'open', 'cus_1'], {env: service.env})).toMatchObject({code: 2, out: ''})
    expect(service.requests).toEqual([])
  })
})

const zoe = '4738020a-a06d-4ef3-bc07-b5cacbf3446c'
const openZoe = ['-p', 'sandbox', 'customers', 'open', zoe]

const readLink = (text: string) => JSON.parse(text) as {verificationLink: string}

// Runs svc sandbox start on the database of this home.
async function startSandboxServer({env}: Home) {
  const child = spawn(process.execPath, [bin, 'sandbox', 'start', '--port', '0', '--json'], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await once(child, 'exit')
  }
  return {...(JSON.parse(line) as {formsUrl: string}), end}
}

const isServed = async (address: string) => {
  const response = await fetch(address)
  return response.status === 200 && (await response.text()).includes('<main')
}

describe('svc customers open in the sandbox', () => {
  it('serves the form in a terminal until Ctrl-C, if no server is running', async () => {
    const home = freshHome()
    const screen = onPty(home, openZoe, {cols: 200, env: {DISPLAY: '', WAYLAND_DISPLAY: ''}})
    await screen.waitFor('so svc serves the form itself. Press Ctrl-C to stop.')
    const [, served = ''] = /VERIFICATION LINK {2}(\S+)/.exec(screen.text()) ?? []
    expect(served).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/forms\/verify\//)
    expect(await isServed(served)).toBe(true)
    // A second call gets the same link, and starts no server.
    const {out} = await run(home, [...openZoe, '--json'])
    expect(readLink(out).verificationLink).toBe(served)
    screen.type('\u0003')
    expect(await screen.ended).toBe(0)
    await expect(fetch(served)).rejects.toThrow('fetch failed')
  })

  it('prints the address of the running server, and not of one that was killed', async () => {
    const home = freshHome()
    const server = await startSandboxServer(home)
    const {out} = await run(home, [...openZoe, '--json'])
    const {verificationLink} = readLink(out)
    expect(verificationLink.startsWith(`${server.formsUrl}/verify/`)).toBe(true)
    expect(await isServed(verificationLink)).toBe(true)
    await server.end('SIGKILL')
    const later = await run(home, [...openZoe, '--json'])
    expect(readLink(later.out).verificationLink).toMatch(/^https:\/\/forms\.sandbox\.invalid\/verify\//)
  })

  it('only prints the link in a pipe, and with --no-open in a terminal', async () => {
    const home = freshHome()
    const {code, out, err} = await run(home, openZoe)
    expect(code).toBe(0)
    expect(err).toMatch(
      /^The sandbox does not serve its forms now, so the link leads nowhere: `svc sandbox start` .*\n$/,
    )
    expect(out).toContain('VERIFICATION LINK  https://forms.sandbox.invalid/verify/')
    const screen = onTerminal(home, [...openZoe, '--no-open'])
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toContain('https://forms.sandbox.invalid/verify/')
  })

  it('serves nothing for an unknown customer', async () => {
    const screen = onTerminal(freshHome(), ['-p', 'sandbox', 'customers', 'open', customerId(1)])
    expect(await screen.ended).toBe(5)
    expect(screen.text()).not.toContain('127.0.0.1')
  })
})

// svc customers open: on a terminal with a display and without, in a pipe, as JSON, and refused.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {customer, customerId, reply, serve} from '../../helpers/service.ts'
import {type Home, freshHome, json, run} from '../../helpers/svc.ts'
import {onTerminal} from '../../helpers/terminal.ts'

const link = 'https://forms.example.com/verify/f_1?a=b&c=d'

const linked = (verificationLink: unknown = link) =>
  serve((_, response) => reply(response, 200, customer(1, {verificationLink})))

const open = (...flags: string[]) => ['customers', 'open', customerId(1), ...flags]

// A launcher of browsers that writes down what it was given, and ends as it is told.
function launcher({folder, env}: Home, code = 0): {env: Record<string, string>; opened: () => string} {
  const programs = path.join(folder, 'programs')
  const opened = path.join(folder, 'opened')
  fs.mkdirSync(programs)
  fs.writeFileSync(path.join(programs, 'xdg-open'), `#!/bin/sh\nprintf '%s\\n' "$@" >> '${opened}'\nexit ${code}\n`, {
    mode: 0o755,
  })
  return {
    env: {PATH: `${programs}:${env['PATH']}`, DISPLAY: ':0'},
    opened: () => (fs.existsSync(opened) ? fs.readFileSync(opened, 'utf8') : ''),
  }
}

describe.skipIf(process.platform !== 'linux')('svc customers open on a terminal', () => {
  it('opens the link in the browser, and prints it', async () => {
    const [home, service] = [freshHome(), await linked()]
    const browser = launcher(home)
    const screen = onTerminal(home, open(), {env: {...service.env, ...browser.env}})
    expect(await screen.ended).toBe(0)
    expect(browser.opened()).toBe(`${link}\n`)
    expect(screen.text()).toContain('The link was opened in the browser.\n')
    expect(screen.text()).toContain(`VERIFICATION LINK  ${link}\n`)
  })

  it('says when the browser could not be started', async () => {
    const [home, service] = [freshHome(), await linked()]
    const screen = onTerminal(home, open(), {env: {...service.env, ...launcher(home, 3).env}})
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toContain('The link was not opened: the browser could not be started (code 3).\n')
    expect(screen.text()).toContain(link)
  })

  it('opens nothing without a display', async () => {
    const [home, service] = [freshHome(), await linked()]
    const browser = launcher(home)
    const screen = onTerminal(home, open(), {env: {...service.env, ...browser.env, DISPLAY: ''}})
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toContain('The link was not opened: there is no display here.\n')
    expect(browser.opened()).toBe('')
  })

  it('opens nothing with --print, a machine format or --no-input', async () => {
    const [home, service] = [freshHome(), await linked()]
    const browser = launcher(home)
    for (const flags of [['--print'], ['--json'], ['--no-input']]) {
      const screen = onTerminal(home, open(...flags), {env: {...service.env, ...browser.env}})
      expect(await screen.ended).toBe(0)
      expect(screen.text()).toContain(link)
    }
    expect(browser.opened()).toBe('')
  })

  it.each(['file:///etc/passwd', 'javascript:alert(1)', 'vscode://x', '--help', '/bin/sh', 'HTTPS//x'])(
    'never hands %s to the system',
    async (other) => {
      const [home, service] = [freshHome(), await linked(other)]
      const browser = launcher(home)
      const screen = onTerminal(home, open(), {env: {...service.env, ...browser.env}})
      expect(await screen.ended).toBe(0)
      expect(screen.text()).toContain('The link was not opened: it is not an http or https address.\n')
      expect(browser.opened()).toBe('')
    },
  )
})

describe('svc customers open', () => {
  it('only prints the link in a pipe', async () => {
    const [home, service] = [freshHome(), await linked()]
    const browser = launcher(home)
    const ended = await run(home, open(), {env: {...service.env, ...browser.env}})
    expect(ended).toEqual({code: 0, out: `ID                 ${customerId(1)}\nVERIFICATION LINK  ${link}\n`, err: ''})
    expect(browser.opened()).toBe('')
  })

  it('prints the link as JSON', async () => {
    const service = await linked()
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

  it('refuses an id that is no UUID before anything is sent', async () => {
    const service = await linked()
    expect(await run(freshHome(), ['customers', 'open', 'cus_1'], {env: service.env})).toMatchObject({code: 2, out: ''})
    expect(service.asked).toEqual([])
  })
})

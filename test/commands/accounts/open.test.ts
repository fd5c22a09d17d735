// svc accounts open: in a terminal, in a pipe, as JSON, rejected, and with the sandbox.
import {spawn} from 'node:child_process'
import {once} from 'node:events'
import {describe, expect, it, onTestFinished} from 'vitest'
import {customerId, reply, serve} from '../../support/service.ts'
import {type Home, bin, freshHome, json, run} from '../../support/svc.ts'
import {onPty} from '../../support/terminal.ts'
import {seeded} from '../../support/transactions.ts'

const link = 'https://forms.example.com/bank-account/f_1'

const pending = (nickname: string, bankAccountFormLink: unknown = link) => ({
  paymentAccountId: '',
  paymentAccountType: 'EXTERNAL_BANK_ACCOUNT',
  nickname,
  customerId: customerId(1),
  paymentAccountStatus: 'PENDING',
  bankAccountFormLink,
})

const serveAccounts = (...paymentAccounts: unknown[]) => serve((_, response) => reply(response, 200, {paymentAccounts}))

const open = (...flags: string[]) => ['accounts', 'open', '--customer', customerId(1), ...flags]

// Runs svc sandbox start on the database of this home.
async function startSandboxServer({env}: Home) {
  const child = spawn(process.execPath, [bin, 'sandbox', 'start', '--port', '0', '--json'], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
  return JSON.parse(line) as {formsUrl: string}
}

describe('svc accounts open', () => {
  it('prints the link of the only pending account, in a pipe and as JSON', async () => {
    const service = await serveAccounts({...pending('Active', null), paymentAccountId: 'a'}, pending('Salary'))
    const {code, out, err} = await run(freshHome(), open(), {env: service.env})
    expect({code, err}).toEqual({code: 0, err: ''})
    expect(out).toContain(`BANK ACCOUNT LINK  ${link}\n`)
    const asJson = await run(freshHome(), open('--json'), {env: service.env})
    expect(json(asJson.out)).toEqual({customerId: customerId(1), nickname: 'Salary', bankAccountFormLink: link})
  })

  it('needs --nickname if several are pending', async () => {
    const service = await serveAccounts(pending('Salary'), pending('Rent', `${link}2`))
    const {code, err} = await run(freshHome(), open(), {env: service.env})
    expect(code).toBe(2)
    expect(err).toContain('has 2 pending bank accounts: "Salary", "Rent". Choose one with --nickname.')
    expect((await run(freshHome(), open('--nickname', 'Rent'), {env: service.env})).out).toContain(`${link}2`)
    expect(await run(freshHome(), open('--nickname', 'Other'), {env: service.env})).toMatchObject({code: 5, out: ''})
  })

  it('ends with 5 if none is pending, and with 2 without a customer', async () => {
    const service = await serveAccounts()
    const {code, err} = await run(freshHome(), open(), {env: service.env})
    expect(code).toBe(5)
    expect(err).toContain(`The customer ${customerId(1)} has no pending bank account.`)
    expect(await run(freshHome(), ['accounts', 'open'], {env: service.env})).toMatchObject({code: 2, out: ''})
  })
})

const openZoe = ['-p', 'sandbox', 'accounts', 'open', '--customer', seeded.customer]

describe('svc accounts open in the sandbox', () => {
  it('serves the form in a terminal until Ctrl-C', async () => {
    const screen = onPty(freshHome(), openZoe, {cols: 200, env: {DISPLAY: '', WAYLAND_DISPLAY: ''}})
    await screen.waitFor('ACH, in USD (a form is waiting)')
    screen.type('\r')
    await screen.waitFor('so svc serves the form itself. Press Ctrl-C to stop.')
    const [, served = ''] = /BANK ACCOUNT LINK {2}(\S+)/.exec(screen.text()) ?? []
    expect(served).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/forms\/bank-account\//)
    expect(await (await fetch(served)).text()).toContain('<form')
    screen.type('\u0003')
    expect(await screen.ended).toBe(0)
    await expect(fetch(served)).rejects.toThrow('fetch failed')
  })
})

describe('while a server runs, the links that -p sandbox prints', () => {
  it('are live, in every command, and pages on this machine can embed them', async () => {
    const home = freshHome()
    const {formsUrl} = await startSandboxServer(home)
    const commands = [
      ['customers', 'get', seeded.customer, '--json'],
      ['accounts', 'list', '--customer', seeded.customer, '--status', 'PENDING', '--all', '-o', 'jsonl'],
      ['api', 'GET', '/customers?pageSize=1'],
      [...openZoe.slice(2), '--json'],
    ]
    for (const command of commands) {
      const {out} = await run(home, ['-p', 'sandbox', ...command])
      const [, printed = ''] = /"(http[^"]*\/(?:verify|bank-account)\/[^"]+)"/.exec(out) ?? []
      expect(printed.startsWith(`${formsUrl}/`)).toBe(true)
      const page = await fetch(printed)
      expect(page.status).toBe(200)
      expect(page.headers.get('content-security-policy')).toMatch(
        /frame-ancestors http:\/\/localhost:\* .*https:\/\/127\.0\.0\.1:\*;/,
      )
    }
  })
})

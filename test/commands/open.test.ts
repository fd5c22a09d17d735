// svc open: in a terminal, in a pipe, as JSON, rejected, and in the sandbox.
import {spawn} from 'node:child_process'
import {once} from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it, onTestFinished} from 'vitest'
import {createBrowserLauncher} from '../support/browser-launcher.ts'
import {customer, customerId, reply, serve} from '../support/service.ts'
import {type Home, bin, freshHome, json, run} from '../support/svc.ts'
import {onPty, onTerminal} from '../support/terminal.ts'
import {seeded} from '../support/transactions.ts'

const form = 'https://forms.example.com/verify/f_1?a=b&c=d'
const bankForm = 'https://forms.example.com/bank/f_2'
const payHere = 'https://pay.example.com/1'

const pending = {paymentAccountId: '', paymentAccountType: 'EXTERNAL_BANK_ACCOUNT', paymentAccountStatus: 'PENDING'}

const serveLinks = () =>
  serve(({path: asked}, response) => {
    if (asked === '/transactions') {
      const awaiting = {
        transactionId: customerId(7),
        transferInstructions: {type: 'fiat', transferPaymentLink: payHere},
      }
      return reply(response, 200, {transactions: [awaiting, {transactionId: customerId(8)}]})
    }
    if (asked === '/payment-accounts') {
      return reply(response, 200, {paymentAccounts: [{...pending, nickname: 'Main', bankAccountFormLink: bankForm}]})
    }
    const one = customer(1, {verificationLink: form})
    reply(response, 200, asked === '/customers' ? {customers: [one]} : one)
  })

const id = customerId(1)

describe('svc open', () => {
  it.each([
    ['the verification form', [id], form],
    ['the form of a bank account', [id, '--bank-account'], bankForm],
    ['the page of a payment', ['--transaction', customerId(7)], payHere],
  ])('prints only the address of %s in a pipe, and opens nothing', async (_, args, url) => {
    const [home, service] = [freshHome(), await serveLinks()]
    const browser = createBrowserLauncher(home)
    const {code, out} = await run(home, ['open', ...args], {env: {...service.env, ...browser.env}})
    expect({code, out}).toEqual({code: 0, out: `${url}\n`})
    expect(browser.readArguments()).toBe('')
  })

  it.skipIf(process.platform !== 'linux')('opens the browser in a terminal, unless --no-open is given', async () => {
    const [home, service] = [freshHome(), await serveLinks()]
    const browser = createBrowserLauncher(home)
    const env = {...service.env, ...browser.env}
    const printed = onTerminal(home, ['open', id, '--no-open'], {env})
    expect(await printed.ended).toBe(0)
    expect(printed.text()).toMatch(/^PAGE +verification form\nID +\S+\nADDRESS +https:/)
    expect(browser.readArguments()).toBe('')
    const screen = onPty(home, ['open', '--transaction', customerId(7)], {env})
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toContain('The link was opened in the browser.')
    expect(browser.listOpened()).toEqual([payHere])
    // The address opens the page for whoever has it, so the process list of this machine does not show it.
    const [, file = ''] = /^file:\/\/(\S+\.html)\n$/.exec(browser.readArguments()) ?? []
    expect(browser.readModes()).toEqual(['600 700'])
    expect([file !== '', fs.existsSync(file), fs.existsSync(path.dirname(file))]).toEqual([true, false, false])
  })

  it.each(['file:///etc/passwd', 'javascript:alert(1)', '--help'])('opens no browser with %s', async (link) => {
    const home = freshHome()
    const service = await serve((_, response) => reply(response, 200, customer(1, {verificationLink: link})))
    const browser = createBrowserLauncher(home)
    const screen = onTerminal(home, ['open', id], {env: {...service.env, ...browser.env}})
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toContain('The link was not opened: it is not an http or https address.\n')
    expect(browser.readArguments()).toBe('')
  })

  it.each([
    ['a transaction without a page', ['--transaction', customerId(8)], 5, 'has no page to pay on'],
    ['a transaction that does not exist', ['--transaction', customerId(9)], 5, customerId(9)],
    ['a nickname without --bank-account', [id, '--nickname', 'Main'], 2, 'bank-account'],
  ])('rejects %s', async (_, args, code, problem) => {
    const service = await serveLinks()
    const ended = await run(freshHome(), ['open', ...args], {env: service.env})
    expect(ended).toMatchObject({code, out: ''})
    expect(ended.err).toContain(problem)
  })

  it('needs --nickname if several bank accounts are pending, and ends with 5 if none is', async () => {
    let paymentAccounts = ['Salary', 'Rent'].map((nickname) => ({
      ...pending,
      nickname,
      bankAccountFormLink: bankForm + nickname,
    }))
    const service = await serve((_, response) => reply(response, 200, {paymentAccounts}))
    const open = (...flags: string[]) => run(freshHome(), ['open', id, '--bank-account', ...flags], {env: service.env})
    const {code, err} = await open()
    expect(code).toBe(2)
    expect(err).toContain('has 2 pending bank accounts: "Salary", "Rent". Choose one with --nickname.')
    expect((await open('--nickname', 'Rent')).out).toBe(`${bankForm}Rent\n`)
    expect(await open('--nickname', 'Other')).toMatchObject({code: 5, out: ''})
    paymentAccounts = []
    expect(await open()).toMatchObject({code: 5, err: expect.stringContaining('no pending bank account') as string})
  })
})

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
    const {formsUrl, end} = await startSandboxServer(home)
    for (const command of [
      [...openZoe, '--json'],
      ['customers', 'get', seeded.customer, '--json', '-p', 'sandbox'],
      ['accounts', 'list', '--customer', seeded.customer, '--status', 'PENDING', '-o', 'jsonl', '-p', 'sandbox'],
    ]) {
      const {out} = await run(home, command)
      const [, printed = ''] = /"(http[^"]*\/(?:verify|bank-account)\/[^"]+)"/.exec(out) ?? []
      expect(printed.startsWith(`${formsUrl}/`)).toBe(true)
      const page = await fetch(printed)
      expect(page.status).toBe(200)
      expect(page.headers.get('content-security-policy')).toMatch(
        /frame-ancestors http:\/\/localhost:\* .*https:\/\/127\.0\.0\.1:\*;/,
      )
    }
    await end('SIGKILL')
    expect(await readUrl(home)).toMatch(/^https:\/\/forms\.sandbox\.invalid\/verify\//)
  })
})

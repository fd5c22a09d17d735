// svc open: in a terminal, in a pipe, as JSON, and rejected.
import {describe, expect, it} from 'vitest'
import {createBrowserLauncher} from '../support/browser-launcher.ts'
import {customer, customerId, reply, serve} from '../support/service.ts'
import {freshHome, json, run} from '../support/svc.ts'
import {onPty, onTerminal} from '../support/terminal.ts'

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

  it('prints what the page is as JSON, and finds a customer by email', async () => {
    const service = await serveLinks()
    const {code, out} = await run(freshHome(), ['open', customer(1).email, '--json'], {env: service.env})
    expect(code).toBe(0)
    expect(json(out)).toEqual({page: 'verification form', id, url: form})
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
    expect(screen.text()).toContain('The page was opened in the browser.')
    expect(browser.listOpened()).toEqual([payHere])
    expect(browser.readArguments()).toMatch(/^file:\/\/\S+\.html\n$/)
    expect(browser.readModes()).toEqual(['600 700'])
  })

  it('leads to the commands that open the console and the documentation', async () => {
    const home = freshHome()
    expect((await run(home, ['open', 'console', '--help'])).out).toContain('$ svc console')
    const opened = await run(home, ['open', 'docs', 'payouts'])
    expect(opened).toEqual(await run(home, ['docs', 'payouts', '--web']))
    expect(opened.code).toBe(0)
  })

  it.each([
    ['a transaction without a page', ['--transaction', customerId(8)], 5, 'has no page to pay on'],
    ['a transaction that does not exist', ['--transaction', customerId(9)], 5, customerId(9)],
    ['no customer', [], 2, 'Missing ID'],
    ['a name', ['Ada'], 2, 'is not a UUID'],
    ['a nickname without --bank-account', [id, '--nickname', 'Main'], 2, 'bank-account'],
    ['two things', [id, '--bank-account', '--transaction', id], 2, 'transaction'],
  ])('rejects %s', async (_, args, code, problem) => {
    const service = await serveLinks()
    const ended = await run(freshHome(), ['open', ...args], {env: service.env})
    expect(ended).toMatchObject({code, out: ''})
    expect(ended.err).toContain(problem)
  })
})

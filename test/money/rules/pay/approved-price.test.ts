// The price that a person approves in a terminal is the price that is paid.
import {describe, expect, it} from 'vitest'
import {payment} from '../../../support/payments.ts'
import {type PaymentService, servePayments} from '../../../support/scripted-service.ts'
import {type Home, freshHome, json, run} from '../../../support/svc.ts'
import {onTerminal} from '../../../support/terminal.ts'
import {keys, waitForText} from '../../../support/wizard-keys.ts'

const question = 'as rent?'

const start = (home: Home, {env}: PaymentService, ...flags: string[]) =>
  onTerminal(home, [...payment('rent', '10'), ...flags], {cols: 120, env})

const readQuoteId = ({body}: {body: string}) => json(body)['quoteId']

describe('the price that a person approves', () => {
  it('is the one that is paid, although the next quote would be worse', async () => {
    const [home, service] = [freshHome(), await servePayments({rate: '0.9'})]
    const screen = start(home, service)
    await screen.waitFor(question)
    expect(screen.text()).toMatch(/Arrives +about 9\S* USDC \(not guaranteed\) /)
    service.behaviour.rate = '0.8'
    screen.type('y\r')
    expect(await screen.ended).toBe(0)
    expect(service.requestsTo('POST /quotes')).toHaveLength(1)
    const shown = await run(home, ['journal', 'show', 'rent', '--json'], {env: service.env})
    const {attempts, history} = json(shown.out)
    expect(attempts).toMatchObject([{quoteId: service.transactions[0]?.['quoteId'], price: {rate: '0.9'}}])
    expect((history as Array<{what: string}>).map(({what}) => what)).toEqual(['INTENDED', 'QUOTED', 'ARMED', 'CREATED'])
  })

  it.each([
    // The list that is read before the payment tells a time at which the quote has ten seconds left.
    ['between the yes and the sending', 300_000, 290_000, 'n', 130],
    ['before the yes', 14_000, 0, 'y', 0],
  ])('is asked about again if the quote runs out %s', async (_, quoteLifeMs, passedMs, typed, code) => {
    const [home, service] = [freshHome(), await servePayments({rate: '0.9', quoteLifeMs})]
    const screen = start(home, service)
    await screen.waitFor(question)
    service.clock.advance(passedMs)
    Object.assign(service.behaviour, {rate: '0.8', quoteLifeMs: 300_000})
    screen.type('y\r')
    await screen.waitFor(/Arrives +about 8\S* USDC \(not guaranteed\) [^]*as rent\?/)
    expect(screen.text()).toContain('The quote ran out before it could be used; this is the new price.')
    expect(service.requestsTo('POST /transactions')).toEqual([])
    screen.type(`${typed}\r`)
    expect(await screen.ended).toBe(code)
    expect(service.transactions).toHaveLength(code === 0 ? 1 : 0)
  })

  it('is not paid after Ctrl-C, and nothing is recorded', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    const screen = start(home, service)
    await screen.waitFor(question)
    screen.type(keys.stop)
    expect(await screen.ended).toBe(130)
    expect(screen.text()).toContain('svc: Stopped; a quote was requested, and nothing was paid.')
    expect(service.requestsTo('POST /transactions')).toEqual([])
    expect((await run(home, ['journal', 'list', '-o', 'jsonl'], {env: service.env})).out).toBe('')
  })

  it('is the quote with which the wizard checked the answers, with the guarantee that the limits imply', async () => {
    const [home, service] = [freshHome(), await servePayments({rate: '0.9'})]
    expect((await run(home, [...payment('used', '11'), '--yes', '--quiet'], {env: service.env})).code).toBe(0)
    const args = payment('rent', '10').filter((word) => word !== '--key' && word !== 'rent')
    const screen = onTerminal(home, [...args, '--min-received', '1'], {cols: 120, env: service.env})
    await waitForText(screen, '? Key of this payment:')
    screen.type('used\r')
    await waitForText(screen, '> The key used belongs to a payment with other content, which was made')
    await waitForText(screen, 'Choose another key')
    screen.type(`${keys.clear}rent\r`)
    await waitForText(screen, question)
    expect(screen.text()).toMatch(/Arrives +9\S* USDC, guaranteed /)
    screen.type('y\r')
    expect(await screen.ended).toBe(0)
    const [, ...quotes] = service.requestsTo('POST /quotes')
    expect(quotes.map(({body}) => json(body)['guaranteeQuote'])).toEqual([true])
    const [, ...sent] = service.requestsTo('POST /transactions').map(readQuoteId)
    expect(sent).toEqual([service.transactions[1]?.['quoteId']])
  })
})

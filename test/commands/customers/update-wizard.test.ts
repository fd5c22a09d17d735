// svc customers update without data: asks for everything that verification needs.
import {describe, expect, it} from 'vitest'
import {answer} from '../../support/wizard-keys.ts'
import {customer, customerId, reply, serve} from '../../support/service.ts'
import {freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
import {answerKyc, writeDocuments} from '../../support/customer-answers.ts'

const updateCommand = (...flags: string[]) => ['customers', 'update', customerId(1), ...flags]

const serveCustomer = (more: Record<string, unknown>) =>
  serve(({method}, response) =>
    reply(response, 200, customer(1, method === 'GET' ? more : {...more, customerStatus: 'UNDER_REVIEW'})),
  )

const rejectedState = {customerStatus: 'NEEDS_ADDITIONAL_INFORMATION'}

describe('svc customers update in a terminal, without data', () => {
  it('offers a CREATED customer the whole submission, which verification approves', async () => {
    const home = freshHome()
    writeDocuments(home)
    const flags = ['--type', 'INDIVIDUAL', '--email', 'zephyrine@example.com', '--json']
    const made = await run(home, ['customers', 'create', '-p', 'sandbox', ...flags])
    const id = String(json(made.out)['customerId'])
    const screen = onTerminal(home, ['customers', 'update', id, '-p', 'sandbox'])
    await answerKyc(screen)
    await answer(screen, 'What now?')
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toMatch(/STATUS +UNDER_REVIEW/)
    await run(home, ['sandbox', 'clock', 'advance', '1m'])
    const {out} = await run(home, ['customers', 'get', id, '-p', 'sandbox', '--json'])
    expect(json(out)['customerStatus']).toBe('ACTIVE')
  })

  it('leads to the correction if verification refused something', async () => {
    const service = await serveCustomer(rejectedState)
    const screen = onTerminal(freshHome(), updateCommand(), {env: service.env, cols: 200})
    expect(await screen.ended).toBe(2)
    expect(screen.text()).toContain(`svc customers fix ${customerId(1)}`)
    expect(service.requests.map(({method}) => method)).toEqual(['GET'])
  })
})

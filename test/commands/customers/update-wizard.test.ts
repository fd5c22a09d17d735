// svc customers update without data: asks for everything that verification needs.
import {describe, expect, it} from 'vitest'
import {answer, keys, pressKey} from '../../support/wizard-keys.ts'
import {customer, customerId, reply, serve} from '../../support/service.ts'
import {freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
import {login, secret} from '../../profiles/logins.ts'
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

  it('keeps a draft, and goes on with it at the question that was left', async () => {
    const home = freshHome()
    const service = await serveCustomer({customerStatus: 'CREATED'})
    const screen = onTerminal(home, updateCommand(), {env: service.env})
    await answer(screen, 'First name, as on the ID:', 'Zephyrine')
    await pressKey(screen, 'Last name, as on the ID:', keys.stop)
    expect(await screen.ended).toBe(130)
    const again = onTerminal(home, updateCommand(), {env: service.env})
    await answer(again, 'Go on with your draft?')
    await pressKey(again, 'Last name, as on the ID:', keys.stop)
    expect(await again.ended).toBe(130)
    expect(again.text()).not.toContain('? First name')
  })

  it.each([
    ['UNDER_REVIEW', 'svc customers watch'],
    ['ACTIVE', 'nothing to correct'],
  ])('exits with 3 without asking if the customer is %s', async (customerStatus, hint) => {
    const service = await serveCustomer({customerStatus})
    const screen = onTerminal(freshHome(), updateCommand(), {env: service.env, cols: 200})
    expect(await screen.ended).toBe(3)
    expect(screen.text()).toContain(hint)
    expect(screen.text()).not.toContain('? ')
  })

  it('asks nothing with a read-only profile', async () => {
    const service = await serveCustomer({...rejectedState, customers: []})
    const home = freshHome()
    await login(home, 'acme', service.url, secret, '--read-only')
    const before = service.requests.length
    const screen = onTerminal(home, updateCommand('-p', 'acme'), {cols: 200})
    expect(await screen.ended).toBe(2)
    expect(screen.text()).toContain('read-only')
    expect(screen.text()).not.toContain('? ')
    expect(service.requests).toHaveLength(before)
  })

  it('asks nothing with --no-input, a machine format or a pipe', async () => {
    const service = await serveCustomer(rejectedState)
    for (const flags of [['--no-input'], ['--json']]) {
      const screen = onTerminal(freshHome(), updateCommand(...flags), {env: service.env, cols: 200})
      expect(await screen.ended).toBe(2)
      expect(screen.text()).toContain('There is nothing to update')
    }
    expect(await run(freshHome(), updateCommand(), {env: service.env})).toMatchObject({code: 2, out: ''})
    expect(service.requests).toEqual([])
  })
})

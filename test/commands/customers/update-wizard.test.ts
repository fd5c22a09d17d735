// svc customers update without data: asks which parts to enter, and for their fields.
import {describe, expect, it} from 'vitest'
import {answer, choose, keys, waitForText, pressKey} from '../../support/wizard-keys.ts'
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

  it('sends the selected parts, and nothing else', async () => {
    const service = await serveCustomer(rejectedState)
    const screen = onTerminal(freshHome(), updateCommand(), {env: service.env})
    await waitForText(screen, '? Which parts do you want to enter?')
    screen.type(keys.enter)
    await waitForText(screen, 'At least one choice must be selected')
    // The phone number, and the national ID.
    screen.type(`68${keys.enter}`)
    await waitForText(screen, '✔ Which parts do you want to enter? Phone number, National ID')
    await answer(screen, 'Phone number:', '+1 555 123 4567')
    // The choice of a part answers whether there is one.
    await answer(screen, 'Kind of national ID')
    await answer(screen, 'Number of the national ID:', '123-45-6789')
    await choose(screen, 'Country that issued the national ID', 'de', 'Germany (DE)')
    expect(screen.text()).not.toContain('Is there a national ID')
    await answer(screen, 'What now?')
    expect(await screen.ended).toBe(0)
    expect(service.requests.map(({method}) => method)).toEqual(['GET', 'PATCH'])
    expect(json(service.requests[1]?.body ?? '')).toEqual({
      kycData: {
        phoneNumber: '+15551234567',
        nationalIdType: 'SSN',
        nationalIdNumber: '123-45-6789',
        nationalIdIssuingCountry: 'DE',
      },
    })
  })

  it('asks a business for its own parts, and says that lists replace earlier ones', async () => {
    const home = freshHome()
    writeDocuments(home)
    const service = await serveCustomer({...rejectedState, customerType: 'BUSINESS'})
    const screen = onTerminal(home, updateCommand(), {env: service.env})
    await answer(screen, 'Which parts do you want to enter?', `${keys.down.repeat(20)} `)
    await waitForText(screen, 'is sent as a whole and replaces what was sent before')
    await answer(screen, 'How many documents of the business?')
    await answer(screen, 'Kind of business document')
    await answer(screen, 'Notes about the document:')
    await answer(screen, 'Image of the document:', 'articles.pdf')
    await answer(screen, 'What now?')
    expect(await screen.ended).toBe(0)
    const {kybData} = json(service.requests[1]?.body ?? '') as {kybData: {businessDocuments: object[]}}
    expect(Object.keys(kybData)).toEqual(['businessDocuments'])
    expect(kybData.businessDocuments).toMatchObject([{type: 'ARTICLES_OF_INCORPORATION'}])
  })

  it('asks for the customer type if the service does not send it', async () => {
    const service = await serveCustomer({...rejectedState, customerType: 'TRUST'})
    const screen = onTerminal(freshHome(), updateCommand(), {env: service.env})
    await choose(screen, 'A person or a business?', keys.down, 'A business')
    await waitForText(screen, '? Which parts do you want to enter?')
    await waitForText(screen, 'People behind the business')
    screen.type(keys.stop)
    expect(await screen.ended).toBe(130)
    expect(service.requests.map(({method}) => method)).toEqual(['GET'])
  })

  it('keeps a draft, and goes on with its parts at the question that was left', async () => {
    const home = freshHome()
    const service = await serveCustomer(rejectedState)
    const screen = onTerminal(home, updateCommand(), {env: service.env})
    await waitForText(screen, '? Which parts do you want to enter?')
    screen.type(` ${keys.down} ${keys.enter}`)
    await answer(screen, 'First name, as on the ID:', 'Zephyrine')
    await pressKey(screen, 'Middle name:', keys.stop)
    expect(await screen.ended).toBe(130)
    const again = onTerminal(home, updateCommand(), {env: service.env})
    await answer(again, 'Go on with your draft?')
    await answer(again, 'Middle name:', 'Amaryllis')
    await answer(again, 'What now?')
    expect(await again.ended).toBe(0)
    expect(again.text()).not.toMatch(/Which parts|\? First name/)
    expect(json(service.requests.at(-1)?.body ?? '')).toEqual({
      kycData: {legalFirstName: 'Zephyrine', legalMiddleName: 'Amaryllis'},
    })
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

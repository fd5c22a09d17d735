// svc customers fix: what it shows, asks and sends, how it ends, and whom it offers.
import {describe, expect, it} from 'vitest'
import {login, secret} from '../features/profiles/logins.ts'
import {type Service, customer, customerId, reply, serve} from '../support/service.ts'
import {freshHome} from '../support/svc.ts'
import {onTerminal} from '../support/terminal.ts'
import {useVirtualTime} from '../support/virtual-time.ts'
import {answer, answerByTable, keys, waitForText} from '../support/wizard-keys.ts'

const rejectedStatus = 'NEEDS_ADDITIONAL_INFORMATION'
const issue = (code: string, message = `About ${code}.`) => ({code, message, timestamp: '2026-11-01T12:34:56Z'})
const birthDate = {verificationIssues: [issue('BIRTH_DATE_MISMATCH')]}

// A service with one customer. Each correction moves it to the next state.
function serveRejected(...states: Array<Record<string, unknown>>): Promise<Service> {
  let corrections = 0
  return serve(({method, path: asked}, response) => {
    if (asked === '/customers') return reply(response, 200, {customers: [customer(1)], nextPageToken: ''})
    if (method === 'PATCH') {
      corrections++
      return reply(response, 200, customer(1, {customerStatus: 'UNDER_REVIEW'}))
    }
    const state = states[Math.min(corrections, states.length - 1)]
    const updatedAt = `2026-11-0${corrections + 1}T12:00:00Z`
    return reply(response, 200, customer(1, {customerStatus: rejectedStatus, updatedAt, ...state}))
  })
}

const listCorrections = ({requests}: Service) =>
  requests.filter(({method}) => method === 'PATCH').map(({body}) => JSON.parse(body) as Record<string, unknown>)

const startFix = ({env}: Service, ...flags: string[]) =>
  onTerminal(freshHome(), ['customers', 'fix', customerId(1), ...flags], {env})

const address = {
  Country: {term: 'France', shown: 'France'},
  'Street and number': '12 rue des Lilas',
  'Flat, floor or building': '',
  City: 'Lyon',
  'State, region or province': '',
  'Postal code': '69001',
}

describe('svc customers fix', () => {
  it('says what was refused and what to tell support, and asks for what can be corrected, an address as a whole', async () => {
    const service = await serveRejected({
      verificationIssues: [issue('FRAUD_WARNING'), issue('ADDRESS_TOO_SHORT', 'Give the whole street.')],
    })
    const screen = startFix(service)
    const {asked, code} = await answerByTable(screen, {...address, 'What now?': ''})
    expect({asked, code}).toEqual({asked: [...Object.keys(address), 'What now?'], code: 0})
    expect(screen.words()).toContain('Give the whole street. The street address is too short.')
    expect(screen.words()).toContain(
      `tell them: customer ${customerId(1)}, code FRAUD_WARNING, found 2026-11-01T12:34:56Z.`,
    )
    expect(listCorrections(service)).toEqual([
      {kycData: {address: {countryCode: 'FR', streetLine1: '12 rue des Lilas', city: 'Lyon', postalCode: '69001'}}},
    ])
  })

  it.each([
    ['an unknown code', [issue('MOON_PHASE')], 'What should be corrected for MOON_PHASE?'],
    ['no issue', null, 'What should be corrected?'],
  ])('asks what to correct for %s', async (_, verificationIssues, question) => {
    const service = await serveRejected({verificationIssues})
    const screen = startFix(service)
    await answer(screen, question, '6')
    await answer(screen, 'Phone number', '+1 555 765 4321')
    await answer(screen, 'What now?')
    expect(await screen.ended).toBe(0)
    expect(listCorrections(service)).toEqual([{kycData: {phoneNumber: '+15557654321'}}])
  })

  it('rejects a customer that is ACTIVE, a name that nobody has, and a read-only profile, before it asks', async () => {
    const service = await serveRejected({customerStatus: 'ACTIVE'})
    expect(await startFix(service).ended).toBe(3)
    expect(await onTerminal(freshHome(), ['customers', 'fix', 'cus_1'], {env: service.env}).ended).toBe(5)
    const home = freshHome()
    await login(home, 'reader', service.url, secret, '--read-only')
    expect(await onTerminal(home, ['customers', 'fix', customerId(1), '-p', 'reader']).ended).toBe(2)
    expect(listCorrections(service)).toEqual([])
  })

  it('lists the waiting customers, longest first, and continues with the chosen one', async () => {
    const waiting = (number: number, updatedAt: unknown, customerStatus = rejectedStatus) =>
      customer(number, {updatedAt, customerStatus, verificationIssues: [issue('FRAUD_WARNING')]})
    const customers = [
      waiting(1, '2026-11-03T00:00:00Z'),
      waiting(2, '2026-11-01T00:00:00Z', 'ACTIVE'),
      waiting(3, '2026-11-01T12:00:00Z'),
      waiting(4, null),
    ]
    const service = await serve(({path: asked}, response) =>
      reply(response, 200, asked === '/customers' ? {customers, nextPageToken: ''} : customers[2]),
    )
    const screen = onTerminal(freshHome(), ['customers', 'fix'], {env: service.env})
    await waitForText(screen, '? Which customer? (3 waiting, longest first)')
    for (const shown of ['❯ Customer 3', 'Customer 1', 'Customer 4']) await waitForText(screen, shown)
    screen.type(keys.enter)
    expect(await screen.ended).toBe(11)
    expect(service.requests.at(-1)?.path).toContain(customerId(3))
  })
})

describe('svc customers fix --wait', () => {
  const time = useVirtualTime()

  it.each([
    [11, {verificationIssues: [issue('MISSING_NAME')]}],
    [8, {customerStatus: 'UNDER_REVIEW'}],
  ])('ends with %i for %j, and --timeout does not count the time for answers', async (code, state) => {
    const service = await serveRejected(birthDate, state)
    const screen = startFix(service, '--wait', '--timeout', '5s')
    await waitForText(screen, '? Date of birth')
    time.advance(6_000)
    screen.type('1990-04-23\r')
    await answer(screen, 'What now?')
    expect(await screen.ended).toBe(code)
    expect(listCorrections(service)).toEqual([{kycData: {dateOfBirth: '1990-04-23'}}])
  })
})

// svc customers fix: the work list, the conversation and its rounds, and where it ends without one.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {png} from '../../checks/images.ts'
import {answer, choose, keys, sees, turn} from '../../helpers/conversation.ts'
import {respond, searched} from '../../helpers/respond.ts'
import {type Service, customer, customerId, reply, serve} from '../../helpers/service.ts'
import {type Home, freshHome, json, run} from '../../helpers/svc.ts'
import {type Screen, onTerminal} from '../../helpers/terminal.ts'
import {login, secret} from '../../profiles/logins.ts'

const kilobyte = 1024
const needs = 'NEEDS_ADDITIONAL_INFORMATION'

const issue = (code: string, message = `About ${code}.`) => ({code, message, timestamp: '2026-11-01T12:34:56Z'})

// A service that knows one customer. What it answers to a read changes with every correction that it takes.
function needing(...states: Array<Record<string, unknown>>): Promise<Service> {
  let corrections = 0
  return serve(({method, path: asked}, response) => {
    if (asked === '/customers') return reply(response, 200, {customers: [customer(1)], nextPageToken: ''})
    if (method === 'PATCH') {
      corrections++
      return reply(response, 200, customer(1, {customerStatus: 'UNDER_REVIEW'}))
    }
    const state = states[Math.min(corrections, states.length - 1)]
    return reply(response, 200, customer(1, {customerStatus: needs, ...state}))
  })
}

const sentTo = ({asked}: Service) =>
  asked.filter(({method}) => method === 'PATCH').map(({body}) => JSON.parse(body) as Record<string, unknown>)

const fix = (...flags: string[]) => ['customers', 'fix', customerId(1), ...flags]

const fixing = (service: Service, home = freshHome(), ...flags: string[]) =>
  onTerminal(home, fix(...flags), {env: service.env})

// Lines are broken where the terminal ends.
const joined = (screen: Screen) => screen.text().replaceAll(/\s+/g, ' ')

async function send(screen: Screen, wait: 'y' | 'n' = 'n'): Promise<void> {
  await answer(screen, 'What now?')
  await answer(screen, 'Sent. Wait for the outcome?', wait)
}

const withImage = (home: Home) => fs.writeFileSync(path.join(home.folder, 'id.png'), png({bytes: 101 * kilobyte}))

const address = {
  Country: searched('France'),
  'Street and number': '12 rue des Lilas\r',
  'Flat, floor or building': '\r',
  City: 'Lyon\r',
  'State, region or province': '\r',
  'Postal code': '69001\r',
}

const passport = {
  'Kind of document': '\r',
  'Which document': [keys.down, /❯ PASSPORT/, '\r'],
  'Country that issued it': searched('France'),
  'Number on the document': '12AB34567\r',
  'Issued on': '2023-05-06\r',
  'Valid until': '2033-05-05\r',
  'Image of the front': './id.png\r',
  'Notes about the document': '\r',
  'Add another document?': '\r',
}

const sendIt = {'What now?': '\r', 'Sent. Wait for the outcome?': 'n\r'}

describe('svc customers fix: what it shows and asks', () => {
  it('tells apart who can resolve what, and what to tell support', async () => {
    const service = await needing({
      verificationIssues: [
        issue('FRAUD_WARNING'),
        issue('BIRTH_DATE_MISMATCH'),
        issue('ADDRESS_TOO_SHORT', 'Give the whole street.'),
      ],
    })
    const screen = fixing(service)
    await respond(screen, {...address, 'Date of birth': '1990-04-23\r', ...sendIt})
    expect(joined(screen)).toMatch(
      /To be corrected: ADDRESS_TOO_SHORT .* To be reviewed: BIRTH_DATE_MISMATCH .* Only support can resolve: FRAUD_WARNING/,
    )
    expect(joined(screen)).toContain('Give the whole street. It means:')
    expect(joined(screen)).toContain(
      `Tell them: customer ${customerId(1)}, code FRAUD_WARNING, found 2026-11-01T12:34:56Z.`,
    )
    expect(joined(screen)).toContain('Asked for: Date of birth; Address.')
    const [told = ''] = screen.text().split('? Date of birth')
    const widest = Math.max(...told.split('\n').map((line) => line.length))
    expect(widest).toBeLessThanOrEqual(80)
  })

  it('asks for an address whole, and sends what a file with it would send', async () => {
    const service = await needing({verificationIssues: [issue('DATABASE_CHECK_FAILED_ON_CITY')]})
    const screen = fixing(service)
    const {asked, code} = await respond(screen, {...address, ...sendIt})
    expect(code).toBe(0)
    expect(asked).toEqual([...Object.keys(address), ...Object.keys(sendIt)])
    expect(screen.text()).toContain('The address is sent whole')
    const body = {
      kycData: {address: {countryCode: 'FR', streetLine1: '12 rue des Lilas', city: 'Lyon', postalCode: '69001'}},
    }
    expect(sentTo(service)).toEqual([body])
    const home = freshHome()
    fs.writeFileSync(path.join(home.folder, 'kyc.json'), JSON.stringify(body))
    await run(home, ['customers', 'update', customerId(1), '-f', 'kyc.json'], {env: service.env})
    expect(sentTo(service)[1]).toEqual(sentTo(service)[0])
  })

  it('corrects a document in the sandbox, waits, and the customer is ACTIVE', async () => {
    const home = freshHome()
    withImage(home)
    const created = await run(home, ['customers', 'create', '-p', 'sandbox', '-f', '-', '--json'], {
      input: JSON.stringify(invented()),
    })
    const {customerId: made} = json(created.out)
    await run(home, ['sandbox', 'clock', 'advance', '1m'])
    const screen = onTerminal(home, ['customers', 'fix', String(made), '-p', 'sandbox'])
    const {code} = await respond(screen, {...passport, ...sendIt, 'Sent. Wait for the outcome?': '\r'})
    expect(screen.text()).toContain('UNDER_REVIEW → ACTIVE')
    expect(screen.text()).toMatch(/STATUS +ACTIVE\n/)
    expect(code).toBe(0)
    expect(screen.text()).not.toContain('12AB34567')
  })

  it('lets the person choose for a code that nobody knows, with the fields of its message chosen already', async () => {
    const service = await needing({
      verificationIssues: [
        issue('MOON_PHASE', 'Correct phoneNumber and documents[0].expirationDate by the full moon.'),
      ],
    })
    const home = freshHome()
    const screen = fixing(service, home)
    await sees(screen, '? What should be corrected for MOON_PHASE?')
    await sees(screen, '[x] Phone number')
    screen.type('docum')
    await sees(screen, '❯ [x] Documents')
    screen.type(' ')
    await sees(screen, '❯ [ ] Documents')
    screen.type(keys.enter)
    await answer(screen, 'Phone number', '+1 555 765 4321')
    await send(screen)
    expect(await screen.ended).toBe(0)
    expect(joined(screen)).toContain('Not known to svc: MOON_PHASE')
    expect(sentTo(service)).toEqual([{kycData: {phoneNumber: '+15557654321'}}])
  })

  it('lets the person choose where the service names no issue at all', async () => {
    const service = await needing({verificationIssues: null})
    const screen = fixing(service)
    await answer(screen, 'What should be corrected?', ' ')
    await answer(screen, 'First name, as on the ID', 'Ada')
    await send(screen)
    expect(await screen.ended).toBe(0)
    expect(sentTo(service)).toEqual([{kycData: {legalFirstName: 'Ada'}}])
  })

  it('hides personal data in the summary until it is asked for, and ID numbers always', async () => {
    const service = await needing({verificationIssues: [issue('ID_DATA_MISMATCH')]})
    const home = freshHome()
    withImage(home)
    const screen = fixing(service, home)
    void respond(screen, {
      'First name, as on the ID': 'Zephyrine\r',
      'Middle name': '\r',
      'Last name, as on the ID': 'Quillfeather\r',
      'Date of birth': '1987-06-05\r',
      'Kind of national ID': [keys.down, /❯ TIN/, '\r'],
      'Number of the national ID': '900123456\r',
      'Country that issued the national ID': searched('France'),
      ...passport,
    }).catch(() => {})
    await sees(screen, '? What now?')
    const summary = screen
      .text()
      .slice(screen.text().indexOf('Identity', screen.text().indexOf('Add another document? No')))
    expect(summary).not.toMatch(/Zephyrine|Quillfeather|1987|900123456|12AB34567/)
    screen.type(keys.down + keys.down + keys.enter)
    await sees(screen, 'Zephyrine')
    await sees(screen, '1987-06-05')
    await sees(screen, 'Hide personal data')
    expect(screen.text()).not.toMatch(/900123456|12AB34567/)
    screen.type(keys.stop)
    expect(await screen.ended).toBe(130)
  })
})

const invented = (): Record<string, unknown> => ({
  customerType: 'INDIVIDUAL',
  email: 'ada@example.com',
  kycData: {
    legalFirstName: 'Ada',
    legalLastName: 'Example',
    phoneNumber: '+15551234567',
    dateOfBirth: '1990-04-23',
    nationality: 'FR',
    address: {countryCode: 'FR', streetLine1: '1 rue des Lilas', city: 'Lyon', postalCode: '69001'},
  },
})

describe('svc customers fix: a business', () => {
  it('asks whom an issue concerns, and sends the people behind it as one list', async () => {
    const service = await needing({customerType: 'BUSINESS', verificationIssues: [issue('MISSING_NAME')]})
    const screen = fixing(service)
    await answer(screen, 'MISSING_NAME concerns whom?')
    await sees(screen, 'sent as one list')
    for (const [first, share] of [
      ['Ada', '60'],
      ['Ben', '40'],
    ]) {
      await answer(screen, 'First name, as on the ID', first)
      await answer(screen, 'Middle name')
      await answer(screen, 'Last name, as on the ID', 'Example')
      await answer(screen, 'Date of birth', '1990-04-23')
      await choose(screen, 'Nationality', 'France', 'France')
      await answer(screen, 'Phone number', '+1 555 123 4567')
      await answer(screen, 'Email address')
      await answer(screen, 'Title in the business')
      await answer(screen, 'Share of the business in per cent', share)
      await answer(screen, 'Does this person control the business?', 'y')
      await answer(screen, 'May this person sign for the business?')
      await answer(screen, 'Is this person a director?')
      await answer(screen, 'Country')
      await answer(screen, 'Street and number', '12 rue des Lilas')
      await answer(screen, 'Flat, floor or building')
      await answer(screen, 'City', 'Lyon')
      await answer(screen, 'State, region or province')
      await answer(screen, 'Postal code', '69001')
      await answer(screen, 'Is there a national ID or tax number to give?', 'n')
      await answer(screen, 'Add a document? One government-issued photo ID is needed', 'n')
      await answer(screen, 'Add another person?', first === 'Ada' ? 'y' : 'n')
    }
    await send(screen)
    expect(await screen.ended).toBe(0)
    const [body] = sentTo(service) as Array<{kybData: {associatedPersons: Array<Record<string, unknown>>}}>
    expect(Object.keys(body?.kybData ?? {})).toEqual(['associatedPersons'])
    expect(body?.kybData.associatedPersons).toMatchObject([
      {legalFirstName: 'Ada', ownershipPercentage: 60},
      {legalFirstName: 'Ben', ownershipPercentage: 40},
    ])
  })

  it('asks for the parts of the business itself, with the likely ones chosen already', async () => {
    const service = await needing({
      customerType: 'BUSINESS',
      verificationIssues: [issue('INVALID_PARAMETERS', 'Missing: businessRegisteredAddress.city. Provide it.')],
    })
    const screen = fixing(service)
    await answer(screen, 'INVALID_PARAMETERS concerns whom?')
    await sees(screen, '? What of the business, for INVALID_PARAMETERS?')
    await sees(screen, '[x] Registered address')
    screen.type(keys.enter)
    const whose = (labels: Record<string, unknown>) =>
      Object.fromEntries(
        Object.entries(labels).map(([label, each]) => [`Registered address: ${label.toLowerCase()}`, each]),
      ) as typeof address
    await respond(screen, {...whose(address), ...sendIt})
    expect(sentTo(service)).toMatchObject([{kybData: {businessRegisteredAddress: {countryCode: 'FR', city: 'Lyon'}}}])
  })
})

describe('svc customers fix: rounds and endings', () => {
  const birthDate = {verificationIssues: [issue('BIRTH_DATE_MISMATCH')]}

  it('begins another round with the new issues, and says that what was sent stays sent when it is left', async () => {
    const service = await needing(birthDate, {verificationIssues: [issue('MISSING_NAME')]})
    const screen = fixing(service)
    await answer(screen, 'Date of birth', '1990-04-23')
    await send(screen, 'y')
    await sees(screen, 'UNDER_REVIEW → NEEDS_ADDITIONAL_INFORMATION')
    await sees(screen, 'To be reviewed:')
    await turn(screen, 'First name, as on the ID', keys.escape)
    expect(await screen.ended).toBe(130)
    expect(joined(screen)).toContain('Stopped; what was sent before stays sent.')
    expect(sentTo(service)).toEqual([{kycData: {dateOfBirth: '1990-04-23'}}])
  })

  it('ends with 11 when the customer is rejected, and shows it', async () => {
    const service = await needing(birthDate, {customerStatus: 'REJECTED', verificationIssues: [issue('AML_MATCH')]})
    const screen = fixing(service)
    await answer(screen, 'Date of birth', '1990-04-23')
    await send(screen, 'y')
    expect(await screen.ended).toBe(11)
    expect(screen.text()).toMatch(/STATUS +REJECTED\n/)
  })

  it('ends with 8 when it is still under review after --timeout, however long the answers took', async () => {
    const service = await needing(birthDate, {customerStatus: 'UNDER_REVIEW'})
    const screen = fixing(service, freshHome(), '--timeout', '1500ms')
    await sees(screen, '? Date of birth')
    await new Promise((resolve) => setTimeout(resolve, 1600))
    screen.type('1990-04-23\r')
    await send(screen, 'y')
    expect(await screen.ended).toBe(8)
    expect(sentTo(service)).toHaveLength(1)
  })

  it('comes back to the summary when the service calls the data wrong', async () => {
    let patches = 0
    const service = await serve(({method}, response) => {
      if (method !== 'PATCH') return reply(response, 200, customer(1, {customerStatus: needs, ...birthDate}))
      patches++
      if (patches > 1) return reply(response, 200, customer(1, {customerStatus: 'UNDER_REVIEW'}))
      return reply(response, 400, {error: 'BAD_REQUEST', message: 'dateOfBirth is a Sunday', statusCode: 400})
    })
    const screen = fixing(service)
    await answer(screen, 'Date of birth', '1990-04-22')
    await answer(screen, 'What now?')
    await sees(screen, 'dateOfBirth is a Sunday')
    await answer(screen, 'What now?', keys.down)
    await answer(screen, 'Which one?')
    await answer(screen, 'Date of birth', `${keys.clear}1990-04-23`)
    await send(screen)
    expect(await screen.ended).toBe(0)
    expect(sentTo(service).at(-1)).toEqual({kycData: {dateOfBirth: '1990-04-23'}})
  })

  it('asks for nothing where only support can help', async () => {
    const service = await needing({verificationIssues: [issue('FRAUD_WARNING'), issue('ID_PREVIOUSLY_SEEN')]})
    const screen = fixing(service)
    expect(await screen.ended).toBe(11)
    expect(joined(screen)).toContain('Only support can resolve FRAUD_WARNING, ID_PREVIOUSLY_SEEN')
    expect(sentTo(service)).toEqual([])
  })

  it('takes choosing nothing for a wish to ask support', async () => {
    const service = await needing({verificationIssues: [issue('AML_MATCH')]})
    const screen = fixing(service)
    await answer(screen, 'What should be corrected for AML_MATCH?')
    expect(await screen.ended).toBe(11)
    expect(joined(screen)).toContain('Nothing was chosen to be corrected for AML_MATCH')
    expect(sentTo(service)).toEqual([])
  })

  it.each([
    ['UNDER_REVIEW', `svc customers watch ${customerId(1)}`],
    ['ACTIVE', 'nothing to correct'],
    ['REJECTED', 'support'],
    ['DEACTIVATED', 'support'],
  ])('says at once that a customer who is %s takes no data, and what can be done', async (status, hint) => {
    const service = await needing({customerStatus: status, verificationLink: 'https://forms.example.com/f1'})
    const screen = fixing(service)
    expect(await screen.ended).toBe(3)
    expect(joined(screen)).toContain(hint)
    expect(joined(screen).includes(`svc customers open ${customerId(1)}`)).toBe(status !== 'ACTIVE')
    expect(service.asked.map(({method}) => method)).toEqual(['GET'])
  })

  it('has nothing to fix before anything was submitted', async () => {
    const service = await needing({customerStatus: 'CREATED'})
    const screen = fixing(service)
    expect(await screen.ended).toBe(0)
    expect(joined(screen)).toContain(`nothing to fix: \`svc customers update ${customerId(1)}\` submits data.`)
  })
})

describe('svc customers fix: leaving and drafts', () => {
  it.each([
    ['Esc', keys.escape],
    ['Ctrl-C', keys.stop],
  ])('is left half-way by %s with 130 and nothing sent', async (_, key) => {
    const service = await needing({verificationIssues: [issue('MISSING_NAME')]})
    const screen = fixing(service)
    await answer(screen, 'First name, as on the ID', 'Ada')
    await turn(screen, 'Middle name', key)
    expect(await screen.ended).toBe(130)
    expect(screen.text()).toContain('Stopped; nothing was sent.')
    // The cursor is there again.
    expect(screen.raw().lastIndexOf('\u001b[?25h')).toBeGreaterThan(screen.raw().lastIndexOf('\u001b[?25l'))
    expect(sentTo(service)).toEqual([])
  })

  it('keeps what was entered in a file of mode 0600, and goes on from it', async () => {
    const service = await needing({verificationIssues: [issue('MISSING_NAME')]})
    const home = freshHome()
    const screen = fixing(service, home, '--save', 'draft.yaml')
    await answer(screen, 'First name, as on the ID', 'Ada')
    await turn(screen, 'Middle name', keys.stop)
    expect(await screen.ended).toBe(130)
    const draft = path.join(home.folder, 'draft.yaml')
    expect(fs.statSync(draft).mode & 0o777).toBe(0o600)
    expect(fs.readFileSync(draft, 'utf8')).toContain(`svc customers fix ${customerId(1)} --resume`)
    const again = fixing(service, home, '--resume', 'draft.yaml')
    const {asked, code} = await respond(again, {
      'Middle name': '\r',
      'Last name, as on the ID': 'Example\r',
      ...sendIt,
    })
    expect({asked, code}).toEqual({asked: ['Middle name', 'Last name, as on the ID', ...Object.keys(sendIt)], code: 0})
    expect(sentTo(service)).toEqual([{kycData: {legalFirstName: 'Ada', legalLastName: 'Example'}}])
  })
})

describe('svc customers fix: the work list', () => {
  const waiting = (number: number, updatedAt: unknown, customerStatus = needs) =>
    customer(number, {updatedAt, customerStatus})

  const listing = (customers: unknown[]) =>
    serve(({path: asked}, response) => {
      if (asked === '/customers') return reply(response, 200, {customers, nextPageToken: ''})
      return reply(response, 200, customer(3, {customerStatus: needs, verificationIssues: [issue('FRAUD_WARNING')]}))
    })

  it('offers whoever waits, the longest waiting first, and goes on with the one that is chosen', async () => {
    const service = await listing([
      waiting(1, '2026-11-03T00:00:00Z'),
      waiting(2, '2026-11-01T00:00:00Z', 'ACTIVE'),
      waiting(3, '2026-11-01T12:00:00Z'),
      waiting(4, null),
    ])
    const screen = onTerminal(freshHome(), ['customers', 'fix'], {env: service.env})
    await sees(screen, '? Which customer? (3 wait, the longest waiting first)')
    await sees(screen, '❯ Customer 3')
    await sees(screen, 'Customer 1')
    await sees(screen, 'Customer 4, INDIVIDUAL, since an unknown time')
    screen.type(keys.enter)
    expect(await screen.ended).toBe(11)
    expect(screen.text()).toContain('✔ Which customer? (3 wait, the longest waiting first) Customer 3\n')
    expect(service.asked.at(-1)?.path).toContain(customerId(3))
  })

  it('is searched by typing where it is long', async () => {
    const many = Array.from({length: 12}, (_, index) =>
      waiting(index + 1, `2026-11-${String(index + 1).padStart(2, '0')}T00:00:00Z`),
    )
    const service = await listing(many)
    const screen = onTerminal(freshHome(), ['customers', 'fix'], {env: service.env})
    await choose(screen, 'Which customer? (12 wait, the longest waiting first)', 'customer11@', 'Customer 11')
    expect(await screen.ended).toBe(11)
    expect(service.asked.at(-1)?.path).toContain(customerId(11))
  })

  it('says so when nobody waits, asks only for the organization named, and is left with Esc', async () => {
    const organization = '11111111-1111-4111-8111-111111111111'
    const service = await listing([waiting(2, '2026-11-01T00:00:00Z', 'ACTIVE')])
    const args = ['customers', 'fix', '--organization', organization]
    const screen = onTerminal(freshHome(), args, {env: service.env})
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toContain('No customer is NEEDS_ADDITIONAL_INFORMATION; there is nothing to fix.')
    expect(service.asked[0]?.query.get('organizationId')).toBe(organization)
    const another = onTerminal(freshHome(), ['customers', 'fix'], {env: (await listing([waiting(1, '')])).env})
    await turn(another, 'Which customer?', keys.escape)
    expect(await another.ended).toBe(130)
  })
})

describe('svc customers fix: without anyone to ask', () => {
  it('names the ways for scripts in a pipe, and sends nothing', async () => {
    const service = await needing({})
    const {code, out, err} = await run(freshHome(), ['customers', 'fix'], {env: service.env})
    expect({code, out}).toEqual({code: 2, out: ''})
    expect(err).toContain('`svc customers issues ID --json`')
    expect(err).toContain('`svc customers update ID`')
    expect(service.asked).toEqual([])
  })

  it('says it as JSON, with the id that was given', async () => {
    const {code, err} = await run(freshHome(), fix('--json', '-p', 'sandbox'))
    expect(code).toBe(2)
    expect(json(err)).toMatchObject({error: 'BAD_USAGE', exitCode: 2})
    expect(json(err)['hint']).toContain(`svc customers update ${customerId(1)}`)
  })

  it('asks nobody on a terminal with --no-input or a machine format', async () => {
    for (const flags of [['--no-input'], ['-o', 'jsonl']]) {
      expect(await onTerminal(freshHome(), fix('-p', 'sandbox', ...flags)).ended).toBe(2)
    }
  })

  it('refuses an id that is none, a draft that is not there, and a profile that may only read, before it asks', async () => {
    const service = await needing({})
    const home = freshHome()
    expect(await onTerminal(home, ['customers', 'fix', 'cus_1'], {env: service.env}).ended).toBe(2)
    expect(await fixing(service, home, '--resume', 'none.yaml').ended).toBe(2)
    await login(home, 'reader', service.url, secret, '--read-only')
    const screen = onTerminal(home, fix('-p', 'reader'))
    expect(await screen.ended).toBe(2)
    expect(screen.text()).toContain('read-only')
    expect(service.asked.filter(({path: asked}) => asked.includes(customerId(1)))).toEqual([])
  })

  it('ends with 5 when there is no such customer', async () => {
    expect(await onTerminal(freshHome(), fix('-p', 'sandbox')).ended).toBe(5)
  })
})

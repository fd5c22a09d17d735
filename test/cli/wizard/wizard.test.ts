// The wizard engine, driven by keys: go back, skip, change, reveal, save, resume, quit.
import fs from 'node:fs'
import path from 'node:path'
import {stripVTControlCharacters} from 'node:util'
import {describe, expect, it} from 'vitest'
import {answer, choose, keys, waitForText, pressKey} from '../../support/wizard-keys.ts'
import {type Service, customer, reply, serve, serveFirstCustomer} from '../../support/service.ts'
import {type Home, freshHome, run} from '../../support/svc.ts'
import {type Screen, onTerminal} from '../../support/terminal.ts'
import {kycFile, writeDocuments} from '../../support/customer-answers.ts'

const create = ['customers', 'create']
const ada = ['--type', 'INDIVIDUAL', '--email', 'ada@example.com']

const serveCustomer = () => serveFirstCustomer(() => customer(1))

const listSentBodies = ({requests: asked}: Service) =>
  asked.filter(({method}) => method !== 'GET').map(({body}) => JSON.parse(body) as unknown)

const inHome = ({folder}: Home, name: string) => path.join(folder, name)

// Answers everything up to the review, without verification data.
async function answerWithoutData(screen: Screen): Promise<void> {
  await answer(screen, 'A person or a business?')
  await answer(screen, 'Email address:', 'zephyrine@example.com')
  await answer(screen, 'Enter the verification data now?', 'n')
  await answer(screen, 'First name:', 'Zephyrine')
  await answer(screen, 'Last name:', 'Quillfeather')
}

// Resumes a draft and goes through the review to the prompt for the answer to change.
async function openChangePrompt() {
  const home = freshHome()
  writeDocuments(home)
  fs.writeFileSync(inHome(home, 'draft.yaml'), kycFile)
  const server = await serveCustomer()
  const screen = onTerminal(home, [...create, '--resume', 'draft.yaml'], {env: server.env})
  await answer(screen, 'Add another document?', 'n')
  await choose(screen, 'What now?', keys.down, 'Change an answer')
  return {home, server, screen}
}

describe('a question', () => {
  it('is checked while it is typed and rejected on Enter, and the typed text stays for correction', async () => {
    const screen = onTerminal(freshHome(), create, {env: (await serveCustomer()).env})
    await answer(screen, 'A person or a business?')
    await waitForText(screen, '? Email address:')
    screen.type('ada')
    await waitForText(screen, 'It must be an email address, such as ada@example.com')
    screen.type(keys.enter)
    await waitForText(screen, '> It must be an email address')
    screen.type('@example.com\r')
    await waitForText(screen, '✔ Email address: ada@example.com')
    await pressKey(screen, 'Enter the verification data now?', keys.stop)
    expect(await screen.ended).toBe(130)
  })

  it('that svc only warns about is taken by a second Enter, shown in the review, and sent', async () => {
    const {server, screen} = await openChangePrompt()
    await choose(screen, 'Which answer?', 'phone', 'Identity: Phone number')
    await waitForText(screen, '? Phone number:')
    screen.type(`${keys.clear}+19999999999`)
    await waitForText(screen, 'It is not a phone number that exists')
    screen.type(keys.enter)
    await waitForText(screen, 'Press Enter again to use it all the same')
    screen.type(keys.enter)
    await waitForText(screen, '✔ Phone number:')
    await waitForText(
      screen,
      'Identity: Phone number is not a phone number that exists: check its country code and its length.',
    )
    await answer(screen, 'What now?')
    expect(await screen.ended).toBe(0)
    const [{kycData}] = listSentBodies(server) as [{kycData: Record<string, unknown>}]
    expect(kycData['phoneNumber']).toBe('+19999999999')
  })

  it('that is optional is skipped by Enter, and is not in the body', async () => {
    const server = await serveCustomer()
    const screen = onTerminal(freshHome(), create, {env: server.env})
    await answer(screen, 'A person or a business?')
    await answer(screen, 'Email address:', 'ada@example.com')
    await answer(screen, 'Enter the verification data now?', 'n')
    await waitForText(screen, 'Press Enter to skip')
    screen.type(keys.enter)
    await answer(screen, 'Last name:')
    await answer(screen, 'What now?')
    expect(await screen.ended).toBe(0)
    expect(listSentBodies(server)).toEqual([{customerType: 'INDIVIDUAL', email: 'ada@example.com'}])
  })

  it('can be changed by going back; answers that depend on the old one are removed', async () => {
    const server = await serveCustomer()
    const screen = onTerminal(freshHome(), create, {env: server.env})
    await answer(screen, 'A person or a business?')
    await answer(screen, 'Email address:', 'ada@example.com')
    await answer(screen, 'Enter the verification data now?', 'n')
    await answer(screen, 'First name:', 'Ada')
    await pressKey(screen, 'Last name:', keys.back)
    await waitForText(screen, '“First name” is taken back and asked again.')
    await pressKey(screen, 'First name: Ada', keys.back)
    await pressKey(screen, 'Enter the verification data now?', keys.back)
    await pressKey(screen, 'Email address: ada@example.com', keys.back)
    await choose(screen, 'A person or a business?', keys.down, 'A business')
    await answer(screen, 'Email address:')
    await answer(screen, 'Enter the verification data now?', 'n')
    await answer(screen, 'Name of the business:', 'Quill')
    await answer(screen, 'What now?')
    expect(await screen.ended).toBe(0)
    expect(listSentBodies(server)).toEqual([
      {customerType: 'BUSINESS', email: 'ada@example.com', businessName: 'Quill'},
    ])
  })

  it('is not asked if a flag answers it, and is asked if the flag is invalid', async () => {
    const server = await serveCustomer()
    const screen = onTerminal(freshHome(), [...create, '--email', 'ada', '--first-name', 'Ada'], {env: server.env})
    await answer(screen, 'A person or a business?')
    await answer(screen, 'Email address: ada', '@example.com')
    await answer(screen, 'Enter the verification data now?', 'n')
    await answer(screen, 'Last name:')
    await answer(screen, 'What now?')
    expect(await screen.ended).toBe(0)
    expect(listSentBodies(server)).toEqual([{customerType: 'INDIVIDUAL', email: 'ada@example.com', firstName: 'Ada'}])
  })
})

describe('the review', () => {
  it('is readable, and masks numbers to their last characters until v shows all', async () => {
    const home = freshHome()
    writeDocuments(home)
    fs.writeFileSync(inHome(home, 'draft.yaml'), kycFile)
    const screen = onTerminal(home, [...create, '--resume', 'draft.yaml'], {env: (await serveCustomer()).env})
    await answer(screen, 'Add another document?', 'n')
    await screen.waitFor('? What now?')
    const review = screen.text().slice(screen.text().lastIndexOf('Customer'))
    expect(review.slice(0, review.indexOf('Data sent')).replaceAll(/ +$/gm, '').replaceAll(/ {2,}/g, '  '))
      .toBe(`Customer
  A person or a business?  A person
  Email address  zephyrine@example.com
Identity
  First name, as on the ID  Zephyrine
  Last name, as on the ID  Quillfeather
  Date of birth  1987-06-05
  Nationality  United States (US)
  Phone number  +•••••••4567
  Acts on behalf of others  No
Address
  Country  United States (US)
  Street and number  77 Marmalade Row
  City  Fernhollow
  State  Massachusetts (MA)
  ZIP code  02139
National ID
  Kind of national ID  National ID
  Number of the national ID  •••-••-3456
  Country that issued the national  United States (US)
  ID
Work and money
  Occupation, as a code or a title  lighthouse keeper
Document 1
  Kind of document  Government ID
  Which document  Passport
  Country that issued it  United States (US)
  Number on the document  ••••0817
  Issued on  2021-03-04
  Valid until  2031-03-03
  Image of the front  passport.jpg
`)
    expect(screen.raw()).not.toMatch(/900-12-3456|X0090817|15551234567/)
    screen.type('v')
    await screen.waitFor('900-12-3456')
    await screen.waitFor('X0090817')
    await screen.waitFor('+15551234567')
    await screen.waitFor('Mask the numbers (v)')
    const shown = screen.text().length
    screen.type('v')
    await screen.waitFor(/Mask the numbers[^]*Number of the national ID +•••-••-3456[^]*\? What now\?/)
    expect(screen.text().slice(shown)).not.toContain('900-12-3456')
    screen.type(keys.stop)
    expect(await screen.ended).toBe(130)
  })

  it('says what verification is known to refuse, and goes back to its question first', async () => {
    const home = freshHome()
    writeDocuments(home)
    const minor = kycFile.replace('1987-06-05', `${new Date().getFullYear() - 15}-06-05`)
    const expired = minor.slice(0, minor.indexOf('  documents')).replace('nationality: US', 'nationality: FR')
    fs.writeFileSync(inHome(home, 'draft.yaml'), expired)
    const server = await serveCustomer()
    const screen = onTerminal(home, [...create, '--resume', 'draft.yaml'], {env: server.env})
    await answer(screen, 'Add a document?', 'n')
    await waitForText(screen, 'Verification is known to refuse this:')
    await waitForText(screen, '- Identity: Date of birth: According to dateOfBirth, the person is younger than 18.')
    await waitForText(screen, '- Documents: Add a document? One government-issued photo ID is needed:')
    await choose(screen, 'What now?', keys.up, 'Go back to Identity: Date of birth')
    await answer(screen, 'Date of birth:', `${keys.clear}1987-06-05`)
    await answer(screen, 'What now?')
    await answer(screen, 'Add a document?', 'y')
    await answer(screen, 'Which document')
    await waitForText(screen, 'Country that issued it France (FR) (assumed')
    await answer(screen, 'Number on the document:', 'X0090817')
    await answer(screen, 'Issued on:', '2021-03-04')
    await answer(screen, 'Valid until:', '2031-03-03')
    await answer(screen, 'Image of the front:', 'passport.jpg')
    await answer(screen, 'Add another document?', 'n')
    await answer(screen, 'What now?')
    expect(await screen.ended).toBe(0)
    expect(screen.text().match(/is known to refuse this:/g)).toHaveLength(2)
    expect(listSentBodies(server)).toHaveLength(1)
  })

  it('changes an answer, and asks the questions that follow from it', async () => {
    const {server, screen} = await openChangePrompt()
    await choose(screen, 'Which answer?', 'address: country', 'Address: Country')
    await choose(screen, 'Country', 'GB', 'United Kingdom (GB)')
    // The state and the ZIP code belonged to the other country.
    await answer(screen, 'County:')
    await waitForText(screen, '? Postcode:')
    screen.type('02139')
    await waitForText(screen, 'It is not a postal code of United Kingdom, such as SW1A 1AA')
    screen.type(`${keys.clear}SW1A 1AA\r`)
    await waitForText(screen, '✔ Postcode: SW1A 1AA')
    await choose(screen, 'What now?', keys.down, 'Change an answer')
    await choose(screen, 'Which answer?', 'keep document', 'Documents: Keep document 1?')
    await answer(screen, 'Keep document 1?', 'n')
    await waitForText(screen, 'One government-issued photo ID is needed')
    await choose(screen, 'What now?', keys.down, 'Create the customer, all the same')
    expect(await screen.ended).toBe(0)
    const [{kycData}] = listSentBodies(server) as [{kycData: Record<string, unknown>}]
    expect(kycData['address']).toEqual({
      countryCode: 'GB',
      streetLine1: '77 Marmalade Row',
      city: 'Fernhollow',
      postalCode: 'SW1A 1AA',
    })
    expect(kycData).not.toHaveProperty('documents')
  })
})

// A complete person behind a business.
const createPerson = (first: string) => ({
  legalFirstName: first,
  legalLastName: 'Quillfeather',
  dateOfBirth: '1987-06-05',
  nationality: 'DE',
  phoneNumber: '+15551234567',
  ownershipPercentage: 30,
  address: {countryCode: 'DE', streetLine1: '77 Marmalade Row', city: 'Fernhollow'},
})

describe('a wizard without a profile', () => {
  it('asks once for the service, and names it before sending', async () => {
    const screen = onTerminal(freshHome(), create)
    await answer(screen, 'No profile is set up yet. What would you like to use?')
    await answerWithoutData(screen)
    await waitForText(screen, 'It will be sent to the embedded sandbox.')
    await answer(screen, 'What now?')
    expect(await screen.ended).toBe(0)
    expect(screen.text().match(/\? No profile/g)).toHaveLength(1)
    expect(screen.text()).toMatch(/STATUS +CREATED/)
  })
})

describe('a list', () => {
  it('drops an item that is not kept, and the next one moves up', async () => {
    const home = freshHome()
    writeDocuments(home)
    const body = {
      customerType: 'BUSINESS',
      email: 'quill@example.com',
      kybData: {
        businessInfo: {legalBusinessName: 'Quill'},
        businessRegisteredAddress: {countryCode: 'DE', streetLine1: '77 Marmalade Row', city: 'Fernhollow'},
        associatedPersons: ['Ada', 'Bea', 'Cleo'].map(createPerson),
        businessDocuments: [{type: 'LEASE', documentImage: 'articles.pdf'}],
      },
    }
    fs.writeFileSync(inHome(home, 'draft.yaml'), JSON.stringify(body))
    const server = await serveCustomer()
    const screen = onTerminal(home, [...create, '--resume', 'draft.yaml'], {env: server.env})
    await answer(screen, 'Add another business document?', 'n')
    await waitForText(screen, '- Person 3 of 3, documents: Add a document?')
    await choose(screen, 'What now?', 'change', 'Change an answer')
    await choose(screen, 'Which answer?', 'keep person 2', 'People behind the business: Keep person 2?')
    await answer(screen, 'Keep person 2?', 'n')
    await choose(screen, 'What now?', 'change', 'Change an answer')
    await choose(screen, 'Which answer?', 'person 2 of 2, role', 'Person 2 of 2, role in the business: Share')
    await answer(screen, 'Share of the business in per cent:', `${keys.clear}40`)
    await choose(screen, 'What now?', 'create', 'Create the customer')
    expect(await screen.ended).toBe(0)
    const [{kybData}] = listSentBodies(server) as [
      {kybData: {associatedPersons: object[]; businessDocuments: object[]}},
    ]
    expect(kybData.associatedPersons).toEqual([createPerson('Ada'), {...createPerson('Cleo'), ownershipPercentage: 40}])
    expect(kybData.businessDocuments).toMatchObject([{type: 'LEASE'}])
  })
})

describe('a coded field', () => {
  it('offers known values, and accepts any other', async () => {
    const {server, screen} = await openChangePrompt()
    await choose(screen, 'Which answer?', 'employment', 'Work and money: Employment')
    await waitForText(
      screen,
      '? Employment (type to filter) ❯ (skip) Employed Self-employed Unemployed Retired Student other (type it)',
    )
    screen.type(keys.down.repeat(6) + keys.enter)
    await waitForText(screen, '✔ Employment other (type it)')
    await answer(screen, 'Employment:', 'ON_LEAVE')
    await answer(screen, 'What now?')
    expect(await screen.ended).toBe(0)
    const [{kycData}] = listSentBodies(server) as [{kycData: Record<string, unknown>}]
    expect(kycData['employmentStatus']).toBe('ON_LEAVE')
  })
})

describe('quitting a wizard', () => {
  it.each([
    ['Ctrl-C', keys.stop],
    ['Esc', keys.escape],
  ])('by %s exits with 130, sends nothing, saves nothing, and restores the terminal', async (_, key) => {
    const server = await serveCustomer()
    const home = freshHome()
    const screen = onTerminal(home, create, {env: server.env})
    await answer(screen, 'A person or a business?')
    await answer(screen, 'Email address:', 'ada@example.com')
    await pressKey(screen, 'Enter the verification data now?', key)
    if (key === keys.escape) await choose(screen, 'Stop here?', keys.down, 'Stop, and go on later')
    expect(await screen.ended).toBe(130)
    expect(screen.text()).toContain('Your answers are kept: `svc customers create` offers to go on with them.')
    expect(screen.text()).toContain('svc: Stopped; nothing was sent.')
    expect(screen.raw().lastIndexOf('\u001b[?25h')).toBeGreaterThan(screen.raw().lastIndexOf('\u001b[?25l'))
    expect(listSentBodies(server)).toEqual([])
    expect(fs.readdirSync(home.folder).filter((name) => name.endsWith('.yaml'))).toEqual([])
  })

  it('saves the answers with --save, readable only by their owner', async () => {
    const home = freshHome()
    const screen = onTerminal(home, [...create, '--save', 'draft.yaml'], {env: (await serveCustomer()).env})
    await answer(screen, 'A person or a business?')
    await answer(screen, 'Email address:', 'ada@example.com')
    await pressKey(screen, 'Enter the verification data now?', keys.stop)
    expect(await screen.ended).toBe(130)
    expect(fs.statSync(inHome(home, 'draft.yaml')).mode & 0o777).toBe(0o600)
    expect(fs.readFileSync(inHome(home, 'draft.yaml'), 'utf8')).toBe(
      '# Draft of `svc customers create` with personal data. Continue with: svc customers create --resume FILE\n' +
        'customerType: INDIVIDUAL\nemail: ada@example.com\n',
    )
  })

  it('from the review sends nothing', async () => {
    const server = await serveCustomer()
    const screen = onTerminal(freshHome(), create, {env: server.env})
    await answerWithoutData(screen)
    await choose(screen, 'What now?', keys.up + keys.down.repeat(4), 'Quit without sending')
    expect(await screen.ended).toBe(130)
    expect(listSentBodies(server)).toEqual([])
  })
})

describe('a draft', () => {
  it('is saved by Ctrl-S at any question, after asking for a file, and the question is asked again', async () => {
    const home = freshHome()
    fs.writeFileSync(inHome(home, 'draft.yaml'), 'someone: else\n')
    const screen = onTerminal(home, create, {env: (await serveCustomer()).env})
    await pressKey(screen, 'A person or a business?', keys.save)
    await waitForText(screen, 'There is nothing to save yet.')
    await answer(screen, 'A person or a business?')
    await pressKey(screen, 'Email address:', keys.save)
    await answer(screen, 'Save as: draft.yaml')
    await answer(screen, 'draft.yaml already exists. Replace it?', 'n')
    await pressKey(screen, 'Email address:', keys.save)
    await answer(screen, 'Save as:', `${keys.clear}none/here.yaml`)
    await waitForText(screen, 'cannot be written to none/here.yaml (ENOENT). Nothing was saved')
    await pressKey(screen, 'Email address:', keys.save)
    await answer(screen, 'Save as:', `${keys.clear}mine.yaml`)
    await waitForText(screen, 'Saved to mine.yaml. Continue later with `svc customers create --resume mine.yaml`.')
    await pressKey(screen, 'Email address:', keys.stop)
    expect(await screen.ended).toBe(130)
    // Saving once more at the end says nothing new.
    expect(screen.words().match(/Saved to mine\.yaml/g)).toHaveLength(1)
    expect(fs.readFileSync(inHome(home, 'mine.yaml'), 'utf8')).toMatch(/\ncustomerType: INDIVIDUAL\n$/)
    expect(fs.readFileSync(inHome(home, 'draft.yaml'), 'utf8')).toBe('someone: else\n')
  })

  it('continues at its first open question, past skipped ones; flags override it', async () => {
    const home = freshHome()
    writeDocuments(home)
    const half = kycFile.slice(0, kycFile.indexOf('  mostRecentOccupation'))
    fs.writeFileSync(inHome(home, 'half.yaml'), half)
    const server = await serveCustomer()
    const args = [...create, '--resume', 'half.yaml', '--email', 'new@example.com', '--dry-run', '--reveal']
    const screen = onTerminal(home, args, {env: server.env})
    await answer(screen, 'Add a document?', 'n')
    expect(screen.text()).not.toMatch(/Middle name|What applies/)
    await choose(screen, 'What now?', keys.down, 'Show what would be sent')
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toContain('✔ What now? Show what would be sent')
    expect(screen.text()).toContain('new@example.com')
    expect(listSentBodies(server)).toEqual([])
  })

  it.each([
    ['no YAML', '{: [', 'is neither JSON nor YAML'],
    ['no object', '- 1\n', 'is not an object'],
    ['an unknown field', 'customerType: INDIVIDUAL\nshoeSize: 44\n', 'shoeSize is not a field of the interface'],
  ])('with %s is rejected with 2', async (_, content, message) => {
    const home = freshHome()
    fs.writeFileSync(inHome(home, 'bad.yaml'), content)
    const screen = onTerminal(home, [...create, '--resume', 'bad.yaml'], {env: (await serveCustomer()).env, cols: 200})
    expect(await screen.ended).toBe(2)
    expect(screen.text()).toContain(message)
  })

  it('with missing document files asks for them again', async () => {
    const home = freshHome()
    fs.writeFileSync(inHome(home, 'draft.yaml'), kycFile)
    const screen = onTerminal(home, [...create, '--resume', 'draft.yaml'], {env: (await serveCustomer()).env})
    await pressKey(screen, 'Image of the front:', keys.stop)
    expect(await screen.ended).toBe(130)
  })

  it('is offered when the service rejects the data and none is kept, so that no answer is lost', async () => {
    const home = freshHome()
    const rejection = {error: 'BAD_REQUEST', message: 'email is taken', statusCode: 400}
    const server = await serve((_, response) => reply(response, 400, rejection))
    const screen = onTerminal(home, [...create, '--no-draft'], {env: server.env})
    await answerWithoutData(screen)
    await answer(screen, 'What now?')
    await answer(screen, 'Save your answers as a draft?', 'y')
    await answer(screen, 'Save as:', `${keys.clear}kept.yaml`)
    expect(await screen.ended).toBe(3)
    expect(screen.text()).toContain('email is taken')
    expect(fs.readFileSync(inHome(home, 'kept.yaml'), 'utf8')).toContain('lastName: Quillfeather\n')
  })

  it.each([
    [['--save', 'there.yaml'], 'there.yaml already exists'],
    [['--save', 'none/draft.yaml'], 'The draft cannot be written to none/draft.yaml (ENOENT)'],
    [['--resume', 'none.yaml'], 'none.yaml cannot be read (ENOENT)'],
    [['--resume', '-'], 'A draft cannot be read from standard input, which is needed for the answers'],
    [['--resume', 'there.yaml', '-f', 'there.yaml'], '--file'],
  ])('with %j is rejected before the first question', async (flags, message) => {
    const home = freshHome()
    fs.writeFileSync(inHome(home, 'there.yaml'), 'customerType: INDIVIDUAL\n')
    const screen = onTerminal(home, [...create, ...flags], {env: (await serveCustomer()).env, cols: 200})
    expect(await screen.ended).toBe(2)
    expect(screen.text()).toContain(message)
    expect(screen.text()).not.toContain('? ')
  })

  it('is rejected in a script, which is told to use --file', async () => {
    for (const flags of [
      ['--save', 'a.yaml'],
      ['--resume', 'a.yaml'],
    ]) {
      const home = freshHome()
      fs.writeFileSync(inHome(home, 'a.yaml'), 'customerType: INDIVIDUAL\n')
      const {code, err} = await run(home, [...create, ...ada, ...flags])
      expect(code).toBe(2)
      expect(err).toContain('needs a terminal to ask questions in. Give a draft with --file instead.')
    }
  })
})

// The texts drawn between two movements of the cursor, without colours.
const listDrawnTexts = (raw: string) =>
  // oxlint-disable-next-line no-control-regex -- these are terminal control sequences.
  raw.split(/\u001b\[\d*(?:;\d*)?[A-HJKf]|[\r\n]/).map(stripVTControlCharacters)

describe('the screen', () => {
  it.each([80, 50])('never has a line of more than %i columns', async (cols) => {
    const home = freshHome()
    writeDocuments(home)
    const long = `${'very '.repeat(20)}long`
    fs.writeFileSync(inHome(home, 'draft.yaml'), `${kycFile}      description: ${long}\n`)
    const screen = onTerminal(home, [...create, '--resume', 'draft.yaml'], {env: (await serveCustomer()).env, cols})
    await answer(screen, 'Add another document?', 'y')
    await choose(screen, 'Kind of document', keys.down, 'Proof of address')
    await waitForText(screen, '? Issued on:')
    screen.type('2020-01-01\r')
    await waitForText(screen, 'take a newer bill, statement or letter')
    screen.type(`${keys.clear}${new Date().toISOString().slice(0, 10)}\r`)
    await waitForText(screen, '? Image of the proof of address:')
    screen.type(`${'folder/'.repeat(15)}\r`)
    await waitForText(screen, 'There is no such file')
    screen.type(`${keys.clear}passport.jpg\r`)
    await answer(screen, 'Notes about the document:', long)
    await answer(screen, 'Add another document?', 'n')
    await choose(screen, 'What now?', keys.down + keys.down, 'Show all (v)')
    await waitForText(screen, 'Notes about the document')
    await pressKey(screen, 'What now?', keys.stop)
    expect(await screen.ended).toBe(130)
    expect(listDrawnTexts(screen.raw()).filter((line) => line.length > cols)).toEqual([])
  })
})

// The wizard engine, driven by keys: go back, skip, change, reveal, stop, and go on.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {answer, choose, keys, waitForText, pressKey} from '../support/wizard-keys.ts'
import {type Service, customer, serveFirstCustomer} from '../support/service.ts'
import {type Home, freshHome} from '../support/svc.ts'
import {onTerminal} from '../support/terminal.ts'
import {kycFile, writeDocuments} from '../support/customer-answers.ts'

const create = ['customers', 'create']

const serveCustomer = () => serveFirstCustomer(() => customer(1))

const listSentBodies = ({requests: asked}: Service) =>
  asked.filter(({method}) => method !== 'GET').map(({body}) => JSON.parse(body) as unknown)

const inHome = ({folder}: Home, name: string) => path.join(folder, name)

// Starts with a file in which only the email is missing, up to the review.
async function openReview(file = kycFile, args: readonly string[] = []) {
  const home = freshHome()
  writeDocuments(home)
  fs.writeFileSync(inHome(home, 'kyc.yaml'), file.replace(/^email: .*\n/m, ''))
  const server = await serveCustomer()
  const screen = onTerminal(home, [...create, '-f', 'kyc.yaml', ...args], {env: server.env})
  await answer(screen, 'Email address:', 'zephyrine@example.com')
  if (!file.includes('documents:')) await answer(screen, 'How many documents?', '0')
  return {home, server, screen}
}

async function openChangePrompt() {
  const {home, server, screen} = await openReview()
  await choose(screen, 'What now?', keys.down, 'Change an answer')
  return {home, server, screen}
}

describe('a question', () => {
  it('is checked on Enter, and the typed text stays for correction; Ctrl-C sends nothing', async () => {
    const server = await serveCustomer()
    const screen = onTerminal(freshHome(), create, {env: server.env})
    await answer(screen, 'A person or a business?')
    await waitForText(screen, '? Email address:')
    screen.type('ada\r')
    await waitForText(screen, '> It must be an email address')
    screen.type('@example.com\r')
    await waitForText(screen, '✔ Email address: ada@example.com')
    await pressKey(screen, 'Enter the verification data now?', keys.stop)
    expect(await screen.ended).toBe(130)
    expect(screen.text()).toContain('svc: Stopped; nothing was sent.')
    expect(screen.raw().lastIndexOf('\u001b[?25h')).toBeGreaterThan(screen.raw().lastIndexOf('\u001b[?25l'))
    expect(listSentBodies(server)).toEqual([])
  })

  it('that svc only warns about is taken by a second Enter, shown in the review, and sent', async () => {
    const {server, screen} = await openChangePrompt()
    await choose(screen, 'Which answer?', 'phone', 'Identity: Phone number')
    await waitForText(screen, '? Phone number:')
    screen.type(`${keys.clear}+19999999999\r`)
    await waitForText(screen, 'It is not a phone number that exists')
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

  it('can be changed by going back; answers that depend on the old one are removed', async () => {
    const server = await serveCustomer()
    const screen = onTerminal(freshHome(), create, {env: server.env})
    await answer(screen, 'A person or a business?')
    await answer(screen, 'Email address:', 'ada@example.com')
    await answer(screen, 'Enter the verification data now?', 'n')
    await answer(screen, 'First name:', 'Ada')
    await pressKey(screen, 'Last name:', keys.back)
    await waitForText(screen, '“First name” is taken back and asked again.')
    await pressKey(screen, 'First name:', keys.back)
    await pressKey(screen, 'Enter the verification data now?', keys.back)
    await pressKey(screen, 'Email address:', keys.back)
    await choose(screen, 'A person or a business?', keys.down, 'Business')
    await answer(screen, 'Email address:')
    await answer(screen, 'Enter the verification data now?', 'n')
    await answer(screen, 'Name of the business:', 'Quill')
    await answer(screen, 'What now?')
    expect(await screen.ended).toBe(0)
    expect(listSentBodies(server)).toEqual([
      {customerType: 'BUSINESS', email: 'ada@example.com', businessName: 'Quill'},
    ])
  })
})

describe('the review', () => {
  it('is readable, and masks numbers to their last characters until all is shown', async () => {
    const {screen} = await openReview()
    await screen.waitFor('? What now?')
    const review = screen.text().slice(screen.text().lastIndexOf('Customer')).replaceAll(/ {2,}/g, '  ')
    for (const line of [
      'Nationality  United States (US)',
      'Phone number  +•••••••4567',
      'Number of the national ID  •••-••-3456',
      'Number on the document  ••••0817',
      'Image of the front  passport.jpg',
    ]) {
      expect(review).toContain(line)
    }
    expect(screen.raw()).not.toMatch(/900-12-3456|X0090817|15551234567/)
    screen.type(keys.stop)
    expect(await screen.ended).toBe(130)
  })

  it('changes an answer, and asks the questions that follow from it', async () => {
    const {server, screen} = await openChangePrompt()
    await choose(screen, 'Which answer?', 'address: country', 'Address: Country')
    await choose(screen, 'Country', 'GB', 'United Kingdom (GB)')
    // The state and the postal code belonged to the other country.
    await answer(screen, 'State, region or province:')
    await waitForText(screen, '? Postal code:')
    screen.type('02139\r')
    await waitForText(screen, 'It is not a postal code of United Kingdom, such as SW1A 1AA')
    screen.type(`${keys.clear}SW1A 1AA\r`)
    await waitForText(screen, '✔ Postal code: SW1A 1AA')
    await choose(screen, 'What now?', keys.down, 'Change an answer')
    await choose(screen, 'Which answer?', 'how many', 'Documents: How many documents?')
    await answer(screen, 'How many documents?', '0')
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

// What a customer wizard says of where you are and what it assumes: parts that are known from the beginning, checks at the field,
// one scale in a list, and the country of a phone number.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {createKycNodes} from '../../../src/forms/verification.ts'
import {listFields} from '../../../src/forms/fields.ts'
import {answerKyb, kycFile, writeDocuments} from '../../support/customer-answers.ts'
import {customer, serveFirstCustomer} from '../../support/service.ts'
import {type Home, freshHome} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
import {answer, choose, keys, pressKey, waitForText} from '../../support/wizard-keys.ts'

const create = ['customers', 'create']

const start = async (home: Home, ...flags: string[]) =>
  onTerminal(home, [...create, ...flags], {env: (await serveFirstCustomer(() => customer(1))).env})

// A file with the data of a person up to a field.
function writeUntil(home: Home, field: string): void {
  fs.writeFileSync(path.join(home.folder, 'start.yaml'), kycFile.slice(0, kycFile.indexOf(`  ${field}`)))
}

const listParts = (text: string) =>
  [...text.matchAll(/^Part (\d+) of (\d+): /gm)].map(([, at, of]) => [Number(at), Number(of)])

describe('the heading of a customer wizard', () => {
  it('counts parts, whose number never changes', async () => {
    const home = freshHome()
    writeDocuments(home)
    const screen = await start(home, '--type', 'BUSINESS', '--email', 'quill@example.com', '--save', 'draft.yaml')
    await answer(screen, 'Enter the verification data now?', 'y')
    await answerKyb(screen, () => answer(screen, 'Share of the business in per cent:', '39.5'))
    await pressKey(screen, 'What now?', keys.stop)
    expect(await screen.ended).toBe(130)
    const parts = listParts(screen.text())
    expect(parts.length).toBeGreaterThan(5)
    expect(new Set(parts.map(([, of]) => of))).toEqual(new Set([7]))
    expect(parts.map(([at]) => at)).toEqual(parts.map(([at]) => at).toSorted((a = 0, b = 0) => a - b))
    expect(screen.text()).toContain('Part 1 of 7: Business information')
    expect(screen.text()).toContain('Part 6 of 7: Person 1 of 2, identity')
    expect([...new Set(parts.map(([at]) => at))]).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(screen.text()).toMatch(/Part 3 of 7: Operating address \(not needed, since nothing of it applies/)
    expect(screen.text()).toMatch(/✔ Legal form C corporation/)
    expect(screen.text()).not.toContain('of about')
  })

  it('has no count before it is known what is to be entered', async () => {
    const screen = await start(freshHome())
    await waitForText(screen, '? A person or a business?')
    expect(screen.text()).toMatch(/^Customer$/m)
    screen.type(keys.stop)
    await screen.ended
  })
})

describe('the first questions', () => {
  it('ask who enters the data, and speak of sending it only when there is some', async () => {
    const screen = await start(
      freshHome(),
      '--type',
      'INDIVIDUAL',
      '--email',
      'ada@example.com',
      '--save',
      'draft.yaml',
    )
    await waitForText(screen, 'Enter the verification data now? If not, the customer fills in a form')
    expect(screen.text()).not.toMatch(/submit|locked/i)
    screen.type(keys.stop)
    await screen.ended
  })
})

describe('a field', () => {
  it('asks about the domain of an email that looks mistyped, and takes it if Enter is pressed again', async () => {
    const screen = await start(freshHome(), '--type', 'INDIVIDUAL')
    await waitForText(screen, '? Email address:')
    screen.type('ada@gmial.com\r')
    await waitForText(screen, 'Did you mean ada@gmail.com? Press Enter again')
    screen.type('\r')
    await pressKey(screen, 'Enter the verification data now?', keys.stop)
    await screen.ended
    expect(screen.text()).toContain('✔ Email address: ada@gmial.com')
  })

  it('says what verification is known to refuse where it is typed', async () => {
    const home = freshHome()
    writeUntil(home, 'dateOfBirth')
    const screen = await start(home, '-f', 'start.yaml', '--save', 'draft.yaml')
    await waitForText(screen, '? Date of birth:')
    const year = new Date().getFullYear() - 15
    screen.type(`${year}-06-05\r`)
    await waitForText(
      screen,
      'Verification is known to refuse it: According to dateOfBirth, the person is younger than 18',
    )
    await waitForText(screen, 'Press Enter again to use it all the same')
    screen.type(`${keys.clear}1987-06-05\r`)
    await waitForText(screen, '✔ Date of birth: 1987-06-05')
    screen.type(keys.stop)
    expect(await screen.ended).toBe(130)
  })

  it('says which country a phone number without a country code is read as of, and another can be typed', async () => {
    const home = freshHome()
    writeUntil(home, 'phoneNumber')
    const german = path.join(home.folder, 'start.yaml')
    fs.writeFileSync(german, fs.readFileSync(german, 'utf8').replace('nationality: US', 'nationality: DE'))
    const screen = await start(home, '-f', 'start.yaml', '--save', 'draft.yaml', '--set', 'kycData.nationality=DE')
    await waitForText(screen, '? Phone number')
    screen.type('0171 2345678')
    await waitForText(screen, 'It is read as a number of Germany; otherwise write it with its country code')
    screen.type('\r')
    await waitForText(screen, '+491712345678 (read as a number of Germany; Shift-Tab changes it)')
    screen.type(keys.back)
    await waitForText(screen, 'is taken back and asked again')
    screen.type(`${keys.clear}+33 6 12 34 56 78\r`)
    await waitForText(screen, '+33612345678')
    screen.type(keys.stop)
    await screen.ended
    expect(screen.text()).not.toContain('+33612345678 (read as')
  })

  it('has one scale in its list', () => {
    const field = listFields(createKycNodes()).find(({name}) => name === 'expectedMonthlyPaymentsUsd')
    expect(field?.values).toEqual(['UNDER_10K', '10K_TO_50K', '50K_TO_100K', 'OVER_100K'])
  })
})

describe('a choice', () => {
  it('that verification is known to refuse is said so at once', async () => {
    const home = freshHome()
    writeDocuments(home)
    writeUntil(home, 'mostRecentOccupation')
    const screen = await start(home, '-f', 'start.yaml', '--save', 'draft.yaml')
    await answer(screen, 'What applies to the customer?')
    await answer(screen, 'Which document')
    await pressKey(screen, 'Number on the document:', keys.back)
    await choose(screen, 'Country that issued it', 'France', 'France (FR)')
    await waitForText(screen, 'Verification is known to refuse it: The country of the document does not match')
    screen.type(keys.stop)
    expect(await screen.ended).toBe(130)
  })
})

// The questions of a whole submission: checklists, suggestions, and answers that are refused in the words of the question.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {explainDate, explainNumber, parseDate, parseNumber} from '../../../src/cli/wizard/questions.ts'
import {answer, choose, keys, pressKey, waitForText} from '../../support/wizard-keys.ts'
import {kycFile, writeDocuments} from '../../support/customer-answers.ts'
import {customer, serveFirstCustomer} from '../../support/service.ts'
import {freshHome} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'

const serveCustomer = () => serveFirstCustomer(() => customer(1))

describe('a date', () => {
  it.each([
    ['1990.4.23', '1990-04-23'],
    ['1990/04/23', '1990-04-23'],
    ['19900423', '1990-04-23'],
  ])('%s is understood', (text, date) => {
    expect(parseDate(text)).toBe(date)
    expect(explainDate('Date of birth', text)).toBeUndefined()
  })

  it.each(['23/04/1990', '5.4.1990', '1990-02-30', '1990-13-01', 'soon'])(
    '%s is refused in the words of the question',
    (text) => {
      expect(explainDate('Date of birth', text)).toBe(
        'Date of birth is a day of the calendar: write year, month and day, such as 1990-04-23',
      )
    },
  )
})

describe('a number', () => {
  it('may have a per cent sign, and is refused in the words of the question', () => {
    expect(parseNumber('33.3 %')).toBe(33.3)
    expect(explainNumber('Share', '33.3%')).toBeUndefined()
    expect(explainNumber('Share', '33,3')).toBe('Share is a number: write digits, such as 25 or 33.3')
    expect(explainNumber('Share', 'half')).toBe('Share is a number: write digits, such as 25 or 33.3')
  })
})

describe('a whole submission', () => {
  it('asks for what the checklist adds before itself, once, and goes on after the checklist', async () => {
    const home = freshHome()
    const start = kycFile.slice(0, kycFile.indexOf('  address:')).replace(/^email: .*\n/m, '')
    fs.writeFileSync(path.join(home.folder, 'start.yaml'), start)
    const args = ['customers', 'create', '-f', 'start.yaml']
    const screen = onTerminal(home, args, {env: (await serveCustomer()).env})
    await answer(screen, 'Email address:', 'ada@example.com')
    await answer(screen, 'What applies to the customer?', '1')
    await answer(screen, 'Middle name:', 'Rosalind')
    await pressKey(screen, 'Country', keys.stop)
    expect(await screen.ended).toBe(130)
    expect(screen.text().match(/✔ What applies/g)).toHaveLength(1)
  })

  it('suggests what the nationality says, and asks nothing that does not apply', async () => {
    const home = freshHome()
    writeDocuments(home)
    const start = kycFile.slice(0, kycFile.indexOf('  mostRecentOccupation')).replace(/^email: .*\n/m, '')
    fs.writeFileSync(path.join(home.folder, 'start.yaml'), start)
    const service = await serveCustomer()
    const screen = onTerminal(home, ['customers', 'create', '-f', 'start.yaml'], {env: service.env})
    await answer(screen, 'Email address:', 'ada@example.com')
    await answer(screen, 'What applies to the customer?')
    await answer(screen, 'Kind of document')
    await answer(screen, 'Which document')
    await choose(screen, 'Country that issued it', 'France', 'France (FR)')
    await answer(screen, 'Number on the document:', 'X0090817')
    await answer(screen, 'Issued on:', '2021-03-04')
    await answer(screen, 'Valid until:', '2031-03-03')
    await answer(screen, 'Image of the front:', 'passport.jpg')
    await waitForText(screen, 'Document 1: Country that issued it: The country of the document does not match.')
    await answer(screen, 'What now?')
    await choose(screen, 'Country that issued it', 'US', 'United States (US)')
    await answer(screen, 'What now?')
    expect(await screen.ended).toBe(0)
    expect(screen.text()).not.toMatch(/\? (Middle name|Employment|Notes about)/)
    const [{kycData}] = service.requests.filter(({method}) => method === 'POST').map(({body}) => JSON.parse(body)) as [
      {kycData: Record<string, unknown>},
    ]
    expect(kycData).toMatchObject({
      isIntermediary: false,
      documents: [{type: 'GOVERNMENT_ID', subtype: 'PASSPORT', countryCode: 'US'}],
    })
  })
})

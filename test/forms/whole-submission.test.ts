// The questions of a whole submission: checklists, suggestions, and answers that are refused in the words of the question.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {explainDate, explainNumber, parseDate, parseNumber} from '../../src/cli/wizard/questions.ts'
import {answer, keys, pressKey} from '../support/wizard-keys.ts'
import {kycFile} from '../support/customer-answers.ts'
import {customer, serveFirstCustomer} from '../support/service.ts'
import {freshHome} from '../support/svc.ts'
import {onTerminal} from '../support/terminal.ts'

const serveCustomer = () => serveFirstCustomer(() => customer(1))

describe('what is typed', () => {
  it.each([
    ['1990.4.23', '1990-04-23'],
    ['1990/04/23', '1990-04-23'],
    ['19900423', '1990-04-23'],
  ])('%s is understood as a date', (text, date) => {
    expect(parseDate(text)).toBe(date)
    expect(explainDate('Date of birth', text)).toBeUndefined()
  })

  it.each(['23/04/1990', '1990-02-30', 'soon'])('%s is refused in the words of the question', (text) => {
    expect(explainDate('Date of birth', text)).toContain('Date of birth is a day of the calendar')
  })

  it('may be a number with a per cent sign', () => {
    expect(parseNumber('33.3 %')).toBe(33.3)
    expect(explainNumber('Share', '33,3')).toBe('Share is a number: write digits, such as 25 or 33.3')
  })
})

it('a whole submission asks for what the checklist adds before itself, once, and goes on after the checklist', async () => {
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

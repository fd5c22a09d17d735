// svc customers fix: the draft that it keeps, and what a later round remembers of an earlier one.
import {describe, expect, it} from 'vitest'
import {answer, choose, keys, pressKey, waitForText} from '../../support/wizard-keys.ts'
import {freshHome} from '../../support/svc.ts'
import {answerByTable} from '../../support/wizard-answers.ts'
import {
  getUnwrappedText,
  issue,
  listCorrections,
  passport,
  sendAnswers,
  sendCorrection,
  serveRejectedCustomer,
  startFix,
  writeIdImage,
} from './corrections.ts'

const lyon = {countryCode: 'FR', streetLine1: '12 rue des Lilas', city: 'Lyon', postalCode: '69001'}

describe('svc customers fix', () => {
  it('asks in the second round only for what was refused, and carries the rest over', async () => {
    const street = {verificationIssues: [issue('DATABASE_CHECK_FAILED_ON_STREET_NAME')]}
    const service = await serveRejectedCustomer(street, street)
    const screen = startFix(service)
    await choose(screen, 'Country', 'France', 'France (FR)')
    await answer(screen, 'Street and number:', '12 rue des Lilas')
    await answer(screen, 'Flat, floor or building:')
    await answer(screen, 'City:', 'Lyon')
    await answer(screen, 'State, region or province:')
    await answer(screen, 'Postal code:', '69001')
    await sendCorrection(screen, 'y')
    await waitForText(screen, 'What you sent before is used for the rest')
    await answer(screen, 'Street and number: 12 rue des Lilas', ' bis')
    await sendCorrection(screen)
    expect(await screen.ended).toBe(0)
    expect(listCorrections(service)).toEqual([
      {kycData: {address: lyon}},
      {kycData: {address: {...lyon, streetLine1: '12 rue des Lilas bis'}}},
    ])
  })

  it('says of an image that was refused, and is filled in again, that it was', async () => {
    const poor = {verificationIssues: [issue('DOC_QUALITY_POOR')]}
    const service = await serveRejectedCustomer(poor, poor)
    const home = freshHome()
    writeIdImage(home)
    const screen = startFix(service, home)
    await answer(screen, 'Kind of document')
    await answer(screen, 'Which document')
    await choose(screen, 'Country that issued it', 'France', 'France (FR)')
    await answer(screen, 'Number on the document:', '12AB34567')
    await answer(screen, 'Issued on:', '2023-05-06')
    await answer(screen, 'Valid until:', '2033-05-05')
    await answer(screen, 'Image of the front:', './id.png')
    await answer(screen, 'Notes about the document:', 'both sides')
    await answer(screen, 'Add another document?')
    await sendCorrection(screen, 'y')
    await waitForText(screen, 'What you sent before is used for the rest')
    const refusal = 'Verification refused this file (DOC_QUALITY_POOR): choose another, or replace it first'
    await waitForText(screen, '? Image of the front:')
    await waitForText(screen, refusal)
    screen.type(keys.enter)
    await waitForText(screen, `${refusal}. Press Enter again to use it all the same`)
    screen.type(keys.enter)
    await waitForText(screen, '✔ Image of the front:')
    await pressKey(screen, 'What now?', keys.stop)
    expect(await screen.ended).toBe(130)
  })

  it('offers to add what was not given, such as a proof of address', async () => {
    const service = await serveRejectedCustomer(
      {verificationIssues: [issue('DOC_QUALITY_POOR')]},
      {verificationIssues: [issue('ADDRESS_DOCUMENT_MISSING_NAME')]},
      {customerStatus: 'ACTIVE'},
    )
    const home = freshHome()
    writeIdImage(home)
    const wait = {...sendAnswers, 'Sent. Wait for the outcome?': 'y\r'}
    const {asked} = await answerByTable(startFix(service, home), {...passport, ...wait})
    const ends = Object.keys(wait)
    expect(asked).toEqual([...Object.keys(passport), ...ends, 'Add another document?', ...ends])
  })

  it('goes on with its draft at the question that was left, and chooses the parts again if the issues have changed', async () => {
    const home = freshHome()
    const moon = {verificationIssues: [issue('MOON_PHASE')]}
    const service = await serveRejectedCustomer(moon)
    const screen = startFix(service, home)
    await waitForText(screen, '? What should be corrected for MOON_PHASE?')
    screen.type(` ${keys.down.repeat(2)} ${keys.enter}`)
    await answer(screen, 'First name, as on the ID', 'Ada')
    await pressKey(screen, 'Last name, as on the ID', keys.stop)
    expect(await screen.ended).toBe(130)
    expect(getUnwrappedText(screen)).toMatch(/Your answers are kept: `svc customers fix \S+` offers to go on with them/)
    const again = startFix(service, home)
    await answer(again, 'Go on with your draft?')
    await pressKey(again, 'Last name, as on the ID', keys.stop)
    expect(await again.ended).toBe(130)
    expect(again.text()).not.toContain('What should be corrected')
    moon.verificationIssues.push(issue('BIRTH_DATE_MISMATCH'))
    const last = startFix(service, home)
    await answer(last, 'Go on with your draft?')
    await waitForText(last, '[x] First name, as on the ID')
    last.type(keys.enter)
    await answer(last, 'Date of birth', '1990-04-23')
    await sendCorrection(last)
    expect(await last.ended).toBe(0)
    expect(listCorrections(service)).toEqual([{kycData: {legalFirstName: 'Ada', dateOfBirth: '1990-04-23'}}])
  })
})

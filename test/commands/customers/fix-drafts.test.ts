// svc customers fix: the draft that it keeps, and what a later round remembers of an earlier one.
import {describe, expect, it} from 'vitest'
import {answer, choose, keys, pressKey, waitForText} from '../../support/wizard-keys.ts'
import {freshHome} from '../../support/svc.ts'
import {
  getUnwrappedText,
  issue,
  listCorrections,
  sendCorrection,
  serveRejectedCustomer,
  startFix,
} from './corrections.ts'

const lyon = {countryCode: 'FR', streetLine1: '12 rue des Lilas', city: 'Lyon', postalCode: '69001'}

describe('svc customers fix', () => {
  it('remembers in the second round what was answered in the first', async () => {
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
    await waitForText(screen, 'Your earlier answers are filled in: Enter keeps one.')
    await answer(screen, 'Country')
    await answer(screen, 'Street and number: 12 rue des Lilas', ' bis')
    await answer(screen, 'Flat, floor or building:')
    await answer(screen, 'City: Lyon')
    await answer(screen, 'State, region or province:')
    await answer(screen, 'Postal code: 69001')
    await sendCorrection(screen)
    expect(await screen.ended).toBe(0)
    expect(listCorrections(service)).toEqual([
      {kycData: {address: lyon}},
      {kycData: {address: {...lyon, streetLine1: '12 rue des Lilas bis'}}},
    ])
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

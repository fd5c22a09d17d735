// svc customers fix: what it shows, asks and sends, and its errors without a terminal.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {answer} from '../../support/wizard-keys.ts'
import {answerByTable} from '../../support/wizard-answers.ts'
import {customerId} from '../../support/service.ts'
import {freshHome, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
import {login, secret} from '../../profiles/logins.ts'
import {
  address,
  fixCommand,
  startFix,
  issue,
  getUnwrappedText,
  serveRejectedCustomer,
  sendAnswers,
  listCorrections,
} from './corrections.ts'

describe('svc customers fix: what it shows and asks', () => {
  it('says what was refused and what to tell support, and asks for what can be corrected', async () => {
    const service = await serveRejectedCustomer({
      verificationIssues: [
        issue('FRAUD_WARNING'),
        issue('BIRTH_DATE_MISMATCH'),
        issue('ADDRESS_TOO_SHORT', 'Give the whole street.'),
      ],
    })
    const screen = startFix(service)
    await answerByTable(screen, {...address, 'Date of birth': '1990-04-23\r', ...sendAnswers})
    expect(getUnwrappedText(screen)).toContain('Give the whole street. The street address is too short.')
    expect(getUnwrappedText(screen)).toContain(
      `Only support can resolve it; tell them: customer ${customerId(1)}, code FRAUD_WARNING, found 2026-11-01T12:34:56Z.`,
    )
    expect(getUnwrappedText(screen)).toContain('To correct: Date of birth; Address.')
    const [introduction = ''] = screen.text().split('? Date of birth')
    const widest = Math.max(...introduction.split('\n').map((line) => line.length))
    expect(widest).toBeLessThanOrEqual(80)
  })

  it('asks for the whole address, and sends the same body as a file would', async () => {
    const service = await serveRejectedCustomer({verificationIssues: [issue('DATABASE_CHECK_FAILED_ON_CITY')]})
    const screen = startFix(service)
    const {asked, code} = await answerByTable(screen, {...address, ...sendAnswers})
    expect(code).toBe(0)
    expect(asked).toEqual([...Object.keys(address), ...Object.keys(sendAnswers)])
    expect(screen.text()).toContain('is sent as a whole')
    const body = {
      kycData: {address: {countryCode: 'FR', streetLine1: '12 rue des Lilas', city: 'Lyon', postalCode: '69001'}},
    }
    expect(listCorrections(service)).toEqual([body])
    const home = freshHome()
    fs.writeFileSync(path.join(home.folder, 'kyc.json'), JSON.stringify(body))
    await run(home, ['customers', 'update', customerId(1), '-f', 'kyc.json'], {env: service.env})
    expect(listCorrections(service)[1]).toEqual(listCorrections(service)[0])
  })

  it.each([
    ['an unknown code', [issue('MOON_PHASE')], 'What should be corrected for MOON_PHASE?'],
    ['no issue', null, 'What should be corrected?'],
  ])('asks what to correct for %s', async (_, verificationIssues, question) => {
    const service = await serveRejectedCustomer({verificationIssues})
    const screen = startFix(service)
    await answer(screen, question, '6')
    await answer(screen, 'Phone number', '+1 555 765 4321')
    await answer(screen, 'What now?')
    expect(await screen.ended).toBe(0)
    expect(listCorrections(service)).toEqual([{kycData: {phoneNumber: '+15557654321'}}])
  })
})

describe('svc customers fix: without a terminal, and rejected', () => {
  it('rejects a name that no customer has, and a read-only profile before it asks', async () => {
    const service = await serveRejectedCustomer({})
    const home = freshHome()
    expect(await onTerminal(home, ['customers', 'fix', 'cus_1'], {env: service.env}).ended).toBe(5)
    await login(home, 'reader', service.url, secret, '--read-only')
    const screen = onTerminal(home, fixCommand('-p', 'reader'))
    expect(await screen.ended).toBe(2)
    expect(screen.text()).toContain('read-only')
    expect(service.requests.filter(({path: asked}) => asked.includes(customerId(1)))).toEqual([])
  })
})

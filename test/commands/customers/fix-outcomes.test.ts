// svc customers fix: outcomes, stopping, and the choice of a customer.
import {describe, expect, it} from 'vitest'
import {answer, keys, waitForText, pressKey} from '../../support/wizard-keys.ts'
import {answerByTable} from '../../support/wizard-answers.ts'
import {customer, customerId, reply, serve} from '../../support/service.ts'
import {freshHome} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'
import {
  startFix,
  issue,
  getUnwrappedText,
  serveRejectedCustomer,
  rejectedStatus,
  sendAnswers,
  listCorrections,
} from './corrections.ts'

describe('svc customers fix: outcomes', () => {
  const birthDate = {verificationIssues: [issue('BIRTH_DATE_MISMATCH')]}

  it('says how to go on when the correction is refused too', async () => {
    const service = await serveRejectedCustomer(birthDate, {verificationIssues: [issue('MISSING_NAME')]})
    const screen = startFix(service, freshHome(), '--wait')
    await answer(screen, 'Date of birth', '1990-04-23')
    await answer(screen, 'What now?')
    await waitForText(screen, 'UNDER_REVIEW → NEEDS_ADDITIONAL_INFORMATION')
    expect(await screen.ended).toBe(11)
    expect(getUnwrappedText(screen)).toContain(`\`svc customers fix ${customerId(1)}\` corrects it`)
    expect(listCorrections(service)).toEqual([{kycData: {dateOfBirth: '1990-04-23'}}])
  })

  describe('with a limit', () => {
    const time = useVirtualTime()

    it('exits with 8 when the review outlasts --timeout, which does not count the time for answers', async () => {
      const service = await serveRejectedCustomer(birthDate, {customerStatus: 'UNDER_REVIEW'})
      const screen = startFix(service, freshHome(), '--wait', '--timeout', '1500ms')
      await waitForText(screen, '? Date of birth')
      time.advance(1600)
      screen.type('1990-04-23\r')
      await answer(screen, 'What now?')
      expect(await screen.ended).toBe(8)
      expect(listCorrections(service)).toHaveLength(1)
    })
  })

  it('returns to the summary when the service rejects the data', async () => {
    let patches = 0
    const service = await serve(({method}, response) => {
      if (method !== 'PATCH') return reply(response, 200, customer(1, {customerStatus: rejectedStatus, ...birthDate}))
      patches++
      if (patches > 1) return reply(response, 200, customer(1, {customerStatus: 'UNDER_REVIEW'}))
      return reply(response, 400, {error: 'BAD_REQUEST', message: 'dateOfBirth is a Sunday', statusCode: 400})
    })
    const screen = startFix(service)
    await answer(screen, 'Date of birth', '1990-04-22')
    await answer(screen, 'What now?')
    await waitForText(screen, 'dateOfBirth is a Sunday')
    await answer(screen, 'What now?', keys.down)
    await answer(screen, 'Which answer?')
    await answer(screen, 'Date of birth', `${keys.clear}1990-04-23`)
    await answer(screen, 'What now?')
    expect(await screen.ended).toBe(0)
    expect(listCorrections(service).at(-1)).toEqual({kycData: {dateOfBirth: '1990-04-23'}})
  })

  it('says at once that a customer who is ACTIVE accepts no data', async () => {
    const service = await serveRejectedCustomer({customerStatus: 'ACTIVE'})
    const screen = startFix(service)
    expect(await screen.ended).toBe(3)
    expect(getUnwrappedText(screen)).toContain('nothing to correct')
    expect(service.requests.map(({method}) => method)).toEqual(['GET'])
  })
})

describe('svc customers fix: stopping', () => {
  it('keeps the answers, and goes on with them at the question that was left', async () => {
    const service = await serveRejectedCustomer({verificationIssues: [issue('MISSING_NAME')]})
    const home = freshHome()
    const screen = startFix(service, home)
    await answer(screen, 'First name, as on the ID', 'Ada')
    await pressKey(screen, 'Middle name', keys.stop)
    expect(await screen.ended).toBe(130)
    expect(screen.text()).toContain('Stopped; nothing was sent.')
    const again = startFix(service, home)
    const {asked, code} = await answerByTable(again, {
      'Go on with your draft?': '\r',
      'Middle name': '\r',
      'Last name, as on the ID': 'Example\r',
      ...sendAnswers,
    })
    expect({asked, code}).toEqual({
      asked: ['Go on with your draft?', 'Middle name', 'Last name, as on the ID', ...Object.keys(sendAnswers)],
      code: 0,
    })
    expect(listCorrections(service)).toEqual([{kycData: {legalFirstName: 'Ada', legalLastName: 'Example'}}])
  })
})

describe('svc customers fix: the choice of a customer', () => {
  const waiting = (number: number, updatedAt: unknown, customerStatus = rejectedStatus) =>
    customer(number, {updatedAt, customerStatus})

  const listing = (customers: unknown[]) =>
    serve(({path: asked}, response) => {
      if (asked === '/customers') return reply(response, 200, {customers, nextPageToken: ''})
      return reply(
        response,
        200,
        customer(3, {customerStatus: rejectedStatus, verificationIssues: [issue('FRAUD_WARNING')]}),
      )
    })

  it('lists the waiting customers, longest first, and continues with the chosen one', async () => {
    const service = await listing([
      waiting(1, '2026-11-03T00:00:00Z'),
      waiting(2, '2026-11-01T00:00:00Z', 'ACTIVE'),
      waiting(3, '2026-11-01T12:00:00Z'),
      waiting(4, null),
    ])
    const screen = onTerminal(freshHome(), ['customers', 'fix'], {env: service.env})
    await waitForText(screen, '? Which customer? (3 waiting, longest first)')
    await waitForText(screen, '❯ Customer 3')
    await waitForText(screen, 'Customer 1')
    await waitForText(screen, 'Customer 4, INDIVIDUAL, since an unknown time')
    screen.type(keys.enter)
    expect(await screen.ended).toBe(11)
    expect(screen.text()).toContain('✔ Which customer? (3 waiting, longest first) Customer 3, INDIVIDUAL')
    expect(service.requests.at(-1)?.path).toContain(customerId(3))
  })
})

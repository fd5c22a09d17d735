// Shared by the tests of `svc customers fix`: a service with rejected data, answers, and the sent corrections.
import {searchAndSelect} from '../../support/wizard-answers.ts'
import {type Service, customer, customerId, reply, serve} from '../../support/service.ts'
import {freshHome} from '../../support/svc.ts'
import {type Screen, onTerminal} from '../../support/terminal.ts'

export const rejectedStatus = 'NEEDS_ADDITIONAL_INFORMATION'

export const issue = (code: string, message = `About ${code}.`) => ({code, message, timestamp: '2026-11-01T12:34:56Z'})

// A service with one customer. Each correction moves it to the next state.
export function serveRejectedCustomer(...states: Array<Record<string, unknown>>): Promise<Service> {
  let corrections = 0
  return serve(({method, path: asked}, response) => {
    if (asked === '/customers') return reply(response, 200, {customers: [customer(1)], nextPageToken: ''})
    if (method === 'PATCH') {
      corrections++
      return reply(response, 200, customer(1, {customerStatus: 'UNDER_REVIEW'}))
    }
    const state = states[Math.min(corrections, states.length - 1)]
    const updatedAt = `2026-11-0${corrections + 1}T12:00:00Z`
    return reply(response, 200, customer(1, {customerStatus: rejectedStatus, updatedAt, ...state}))
  })
}

export const listCorrections = ({requests: asked}: Service) =>
  asked.filter(({method}) => method === 'PATCH').map(({body}) => JSON.parse(body) as Record<string, unknown>)

export const fixCommand = (...flags: string[]) => ['customers', 'fix', customerId(1), ...flags]

export const startFix = (service: Service, home = freshHome(), ...flags: string[]) =>
  onTerminal(home, fixCommand(...flags), {env: service.env})

// The text of the screen without the line breaks of the terminal.
export const getUnwrappedText = (screen: Screen) => screen.text().replaceAll(/\s+/g, ' ')

export const address = {
  Country: searchAndSelect('France'),
  'Street and number': '12 rue des Lilas\r',
  'Flat, floor or building': '\r',
  City: 'Lyon\r',
  'State, region or province': '\r',
  'Postal code': '69001\r',
}

export const sendAnswers = {'What now?': '\r'}

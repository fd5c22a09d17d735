// svc customers create with a customer that exists: a person is asked, a script stops, and an answer that was lost makes no second one.
import fs from 'node:fs'
import {describe, expect, it} from 'vitest'
import {writePerson} from '../../support/person.ts'
import {ageSentNotes, listSentNotes} from '../../support/sent-notes.ts'
import {customer, reply, serve} from '../../support/service.ts'
import {type Home, freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'

const ada = ['customers', 'create', '--type', 'INDIVIDUAL', '--email', 'Ada@Example.com']
const listed = (more = {}) => customer(77, {email: 'ada@example.com', name: 'Ada Example', ...more})

type Answer = 'answers' | 'names none' | 'cuts after' | 'cuts before'

// A service with these customers, which makes another one and answers, names no id of it, or cuts the connection after or before it makes it.
// While its list moves, each read lacks one more of them.
async function serveCustomers(
  customers: Array<ReturnType<typeof customer>>,
  answer: Answer = 'answers',
  {more = {}, isMoving = false}: Pick<LostAnswer, 'more' | 'isMoving'> = {},
) {
  const service = await serve(({method, query, body}, response) => {
    if (method === 'POST') {
      if (answer !== 'cuts before') customers.unshift(customer(9999, json(body)))
      const made = {...customers[0], ...(answer === 'names none' && {customerId: undefined})}
      return answer.startsWith('cuts') ? response.destroy() : reply(response, 200, made)
    }
    const start = Number(query.get('pageToken') ?? 0)
    if (isMoving && start === 0) customers.shift()
    const end = start + Number(query.get('pageSize') ?? 10)
    const nextPageToken = end < customers.length ? String(end) : ''
    return reply(response, 200, {customers: customers.slice(start, end), nextPageToken, ...more})
  })
  const count = (wanted: string) => service.requests.filter(({method}) => method === wanted).length
  return {...service, count}
}

describe('a customer with an email that exists', () => {
  it('ends a script with 2, is named by its id alone, and --allow-duplicates creates another', async () => {
    const service = await serveCustomers([listed()])
    const {code, out, err} = await run(freshHome(), [...ada, '--json'], {env: service.env})
    expect({code, out}).toEqual({code: 2, out: ''})
    const id = customer(77).customerId
    expect(json(err)).toMatchObject({error: 'DUPLICATE_CUSTOMER', problems: [`${id}, INDIVIDUAL, ACTIVE`]})
    expect(json(err)['hint']).toContain(`svc customers get ${id}`)
    expect(err.toLowerCase()).not.toContain('ada')
    expect(service.count('POST')).toBe(0)
    expect((await run(freshHome(), [...ada, '--allow-duplicates'], {env: service.env})).code).toBe(0)
    expect(service.count('POST')).toBe(1)
  })

  it.each([
    ['n', 130, 0],
    // The answer is lost, and the one that was known before is not taken for it.
    ['y', 7, 1],
  ])('is shown to a person, who types %s: code %i, %i sent', async (typed, code, sent) => {
    const service = await serveCustomers([listed()], 'cuts before')
    const screen = onTerminal(freshHome(), ada, {cols: 200, env: service.env})
    await screen.waitFor('Create another customer all the same?')
    expect(screen.text()).toMatch(/exists already:\s+Ada Example, ada@example.com, ACTIVE/)
    screen.type(`${typed}\r`)
    expect(await screen.ended).toBe(code)
    expect(service.count('POST')).toBe(sent)
  })

  it('is looked for on every page, up to a bound that is told', async () => {
    const emails = (number: number) => (number === 9_990 ? 'ada@example.com' : `c${number}@example.com`)
    const many = Array.from({length: 10_050}, (_, at) => customer(at + 1, {email: emails(at + 1)}))
    const service = await serveCustomers(many)
    expect((await run(freshHome(), ada, {env: service.env})).code).toBe(2)
    expect(service.count('GET')).toBe(100)
    const late = await run(freshHome(), [...ada, '--set', 'email=c10001@example.com'], {env: service.env})
    expect(late).toMatchObject({
      code: 0,
      err: 'The first 10000 customers were searched, and the list goes on: this one may exist all the same.\n',
    })
  })
})

interface Step {
  // How the list has the customer from now on.
  shows?: Record<string, unknown>
  // The mark of the run before is a minute old.
  isLater?: true
  code: number
  error?: string
  // How many were sent in all.
  sent?: number
}

interface LostAnswer {
  answer: Answer
  // Data is sent with it, unless this says otherwise.
  hasNoData?: true
  // How many customers are listed before it.
  listed?: number
  // What else each page says.
  more?: Record<string, unknown>
  isMoving?: boolean
  steps: Step[]
}

const lost: Record<string, LostAnswer> = {
  'is found in the same run, and exists from then on': {
    answer: 'cuts after',
    hasNoData: true,
    steps: [{code: 0}, {code: 2, error: 'DUPLICATE_CUSTOMER'}],
  },
  'is found in the same run if its answer had no id': {answer: 'names none', hasNoData: true, steps: [{code: 0}]},
  'is found by the next run, which makes no other': {
    answer: 'cuts before',
    hasNoData: true,
    steps: [{code: 7}, {shows: {}, code: 0}, {code: 2, error: 'DUPLICATE_CUSTOMER'}],
  },
  'is not taken for one that was made elsewhere, without the data, until verification has begun': {
    answer: 'cuts before',
    steps: [
      {code: 7},
      {shows: {customerStatus: 'CREATED'}, code: 7},
      {isLater: true, code: 2, error: 'DUPLICATE_CUSTOMER'},
      {shows: {customerStatus: 'UNDER_REVIEW'}, code: 0},
    ],
  },
  'is sent again only once the list would have it': {
    answer: 'cuts before',
    steps: [{code: 7}, {code: 7, error: 'OUTCOME_UNKNOWN'}, {isLater: true, code: 7, sent: 2}],
  },
  'is found wherever it is in a long list': {
    answer: 'cuts before',
    hasNoData: true,
    listed: 10_050,
    steps: [{code: 7}, {shows: {}, code: 0}],
  },
  'is sent again once a long list would have it': {
    answer: 'cuts before',
    hasNoData: true,
    listed: 10_050,
    steps: [{code: 7}, {code: 7, error: 'OUTCOME_UNKNOWN'}, {isLater: true, code: 7, sent: 2}],
  },
  'is not sent again while each read of several pages has seen another list': {
    answer: 'cuts before',
    hasNoData: true,
    listed: 150,
    isMoving: true,
    steps: [{code: 7}, {code: 7}, {isLater: true, code: 6, error: 'LIST_CHANGING'}],
  },
  'is left to a person if the list says that it goes on': {
    answer: 'cuts before',
    hasNoData: true,
    more: {hasMore: true},
    steps: [
      {code: 7},
      {code: 7, error: 'OUTCOME_UNKNOWN'},
      {isLater: true, code: 2, error: '--allow-duplicates'},
      {shows: {}, code: 0},
    ],
  },
}

const patienceMs = 63_000

// Of the data itself, nothing is kept.
function checkNote(home: Home): void {
  const [file = ''] = listSentNotes(home)
  expect(fs.statSync(file).mode & 0o777).toBe(0o600)
  expect(json(fs.readFileSync(file, 'utf8'))).toEqual({
    sentAtMs: expect.any(Number) as number,
    sentAtUptimeMs: expect.any(Number) as number,
    content: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    knownIds: [],
  })
}

it.each(Object.entries(lost))(
  'a customer whose answer was lost %s',
  async (_, {answer, hasNoData, listed: count = 2, steps, ...list}) => {
    const customers = [...Array(count).keys()].map((index) => customer(index + 1))
    const service = await serveCustomers(customers, answer, list)
    const home = freshHome()
    writePerson(home.folder)
    const args = [...ada, ...(hasNoData ? [] : ['-f', 'kyc.yaml']), '--json']
    for (const {shows, isLater, code, error, sent = 1} of steps) {
      if (shows) customers.splice(count, 1, listed(shows))
      if (isLater) {
        checkNote(home)
        ageSentNotes(home, patienceMs)
      }
      const ended = await run(home, args, {env: service.env})
      expect([ended.code, ended.err]).toEqual([code, expect.stringContaining(error ?? '')])
      expect(service.count('POST')).toBe(sent)
    }
  },
)

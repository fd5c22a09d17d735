// svc customers create with a customer that exists: a person is asked, a script stops, and an answer that was lost makes no second one.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {writePerson} from '../../support/person.ts'
import {type Service, customer, reply, serve} from '../../support/service.ts'
import {type Home, freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'

const create = ['customers', 'create', '-p', 'sandbox']
const ada = ['--type', 'INDIVIDUAL', '--email', 'ada@example.com']

const countPosts = ({requests}: Service) => requests.filter(({method}) => method === 'POST').length

async function countByEmail(home: Home, email: string): Promise<number> {
  const {out} = await run(home, ['customers', 'list', '-p', 'sandbox', '--all', '--json'])
  const {customers} = json(out) as {customers: Array<{email: string}>}
  return customers.filter((each) => each.email.toLowerCase() === email).length
}

const readError = (err: string) => json(err) as Record<string, unknown> & {problems?: string[]}

describe('svc customers create with an email that exists', () => {
  it('ends a script with 2, names the customer by its id alone, and --allow-duplicates creates another', async () => {
    const home = freshHome()
    const first = json(
      (await run(home, [...create, ...ada, '--first-name', 'Ada', '--last-name', 'Example', '--json'])).out,
    )
    const again = ['--type', 'BUSINESS', '--email', 'Ada@Example.com', '--business-name', 'Shop', '--json']
    const stopped = await run(home, [...create, ...again])
    expect(stopped).toMatchObject({code: 2, out: ''})
    const id = String(first['customerId'])
    expect(readError(stopped.err)).toMatchObject({
      error: 'DUPLICATE_CUSTOMER',
      message: 'A customer with this email exists already.',
      problems: [`${id}, INDIVIDUAL, CREATED`],
    })
    expect(readError(stopped.err)['hint']).toContain(`svc customers get ${id}`)
    expect(stopped.err.toLowerCase()).not.toContain('ada')
    expect(await countByEmail(home, 'ada@example.com')).toBe(1)
    expect((await run(home, [...create, ...again, '--allow-duplicates'])).code).toBe(0)
    expect(await countByEmail(home, 'ada@example.com')).toBe(2)
  })

  it('asks a person, who sees who it is', async () => {
    const home = freshHome()
    await run(home, [...create, ...ada, '--first-name', 'Ada', '--last-name', 'Example'])
    const declined = onTerminal(home, [...create, ...ada], {cols: 200})
    await declined.waitFor('Create another customer all the same?')
    expect(declined.text()).toMatch(
      /A customer with this email exists already:\s+Ada Example, ada@example.com, CREATED/,
    )
    declined.type('n\r')
    expect(await declined.ended).toBe(130)
    expect(await countByEmail(home, 'ada@example.com')).toBe(1)
  })
})

interface Listed {
  customers: Array<ReturnType<typeof customer>>
}

// A service with many customers, whose answers to POST the test decides. It makes the customer before it answers.
function serveMany(listed: Listed, answerPost: 'answers' | 'cuts after' | 'cuts before' = 'answers', sign = {}) {
  return serve(({method, query, body}, response) => {
    if (method === 'POST') {
      if (answerPost !== 'cuts before') {
        listed.customers.unshift(customer(9999, JSON.parse(body) as Record<string, unknown>))
      }
      return answerPost === 'answers' ? reply(response, 200, listed.customers[0]) : response.destroy()
    }
    const start = Number(query.get('pageToken') ?? 0)
    const end = start + Number(query.get('pageSize') ?? 10)
    const nextPageToken = end < listed.customers.length ? String(end) : ''
    return reply(response, 200, {customers: listed.customers.slice(start, end), nextPageToken, ...sign})
  })
}

const createMany = (count: number) => ({
  customers: Array.from({length: count}, (_, at) => customer(at + 1, {email: `c${at + 1}@example.com`})),
})

describe('the search for a customer that exists', () => {
  it('reads every page of a long list', async () => {
    const service = await serveMany(createMany(450))
    const args = ['customers', 'create', '--type', 'INDIVIDUAL', '--json', '--email']
    const stopped = await run(freshHome(), [...args, 'c449@example.com'], {env: service.env})
    expect(stopped.code).toBe(2)
    expect(service.requests.map(({query}) => query.get('pageSize'))).toEqual(['100', '100', '100', '100', '100'])
    expect(await run(freshHome(), [...args, 'new@example.com'], {env: service.env})).toMatchObject({code: 0, err: ''})
    expect(countPosts(service)).toBe(1)
  })

  it('is bounded, and says so', async () => {
    const service = await serveMany(createMany(10_050))
    const args = ['customers', 'create', ...ada]
    const {code, err} = await run(freshHome(), args, {env: service.env})
    expect(code).toBe(0)
    expect(err).toBe(
      'The first 10000 customers were searched, and the list goes on: this one may exist all the same.\n',
    )
    expect(service.requests.filter(({method}) => method === 'GET')).toHaveLength(100)
  })
})

const agePatience = 61_000

const findMark = ({folder}: Home) => path.join(folder, fs.globSync('**/sent-customers/*.json', {cwd: folder})[0] ?? '')

function readMark(home: Home): {sentAtMs: number} {
  expect(fs.statSync(findMark(home)).mode & 0o777).toBe(0o600)
  return JSON.parse(fs.readFileSync(findMark(home), 'utf8')) as {sentAtMs: number}
}

// As if the mark of the run before was a minute old.
function ageMarks(home: Home): void {
  const mark = readMark(home)
  fs.writeFileSync(findMark(home), JSON.stringify({...mark, sentAtMs: mark.sentAtMs - agePatience}))
}

describe('a customer whose answer was lost', () => {
  it('is found in the same run', async () => {
    const service = await serveMany(createMany(3), 'cuts after')
    const {code, out, err} = await run(freshHome(), ['customers', 'create', ...ada, '--jq', '.email'], {
      env: service.env,
    })
    expect({code, out}).toEqual({code: 0, out: 'ada@example.com\n'})
    expect(err).toBe('The service gave no clear answer, but it made the customer: it is in its list.\n')
    expect(countPosts(service)).toBe(1)
  })

  it('is found by the next run, which makes no other', async () => {
    const listed = createMany(3)
    const hidden: Listed = {customers: [...listed.customers]}
    const home = freshHome()
    const losing = await serveMany(hidden, 'cuts before')
    const args = ['customers', 'create', ...ada, '--json']
    const env = {...losing.env}
    const lost = await run(home, args, {env})
    expect(lost).toMatchObject({code: 7, out: ''})
    expect(readError(lost.err)['hint']).toContain('Run the same command again after a minute')
    // It appears in the list only now.
    hidden.customers.push(customer(77, {email: 'ada@example.com'}))
    const found = await run(home, args, {env})
    expect(found).toMatchObject({code: 0})
    expect(json(found.out)).toMatchObject({customerId: customer(77).customerId})
    expect(found.err).toContain('An earlier run sent this and got no clear answer')
    expect(countPosts(losing)).toBe(1)
    // Settled: from now on it is a customer that exists.
    expect((await run(home, args, {env})).code).toBe(2)
  })

  it('is not taken for one that was made elsewhere with the same email and without the data', async () => {
    const listed = createMany(3)
    const home = freshHome()
    const {file} = writePerson(home.folder)
    const service = await serveMany(listed, 'cuts before')
    const args = ['customers', 'create', ...ada, '-f', file, '--json']
    expect((await run(home, args, {env: service.env})).code).toBe(7)
    listed.customers.unshift(customer(77, {email: 'ada@example.com', customerStatus: 'CREATED'}))
    expect((await run(home, args, {env: service.env})).code).toBe(7)
    ageMarks(home)
    const stopped = await run(home, args, {env: service.env})
    expect(stopped.code).toBe(2)
    expect(readError(stopped.err)).toMatchObject({error: 'DUPLICATE_CUSTOMER'})
    expect(countPosts(service)).toBe(1)
    // Verification has begun, which it does only for data.
    listed.customers[0] = customer(77, {email: 'ada@example.com', customerStatus: 'UNDER_REVIEW'})
    expect(await run(home, args, {env: service.env})).toMatchObject({code: 0})
    expect(countPosts(service)).toBe(1)
  })

  it('is sent again only once the list would have it', async () => {
    const listed = createMany(3)
    const home = freshHome()
    const service = await serveMany(listed, 'cuts before')
    const args = ['customers', 'create', ...ada, '--json']
    expect((await run(home, args, {env: service.env})).code).toBe(7)
    const early = await run(home, args, {env: service.env})
    expect(early.code).toBe(7)
    expect(readError(early.err)['message']).toContain('An earlier run sent this and got no clear answer')
    expect(countPosts(service)).toBe(1)
    // Of the data itself, nothing is kept.
    expect(readMark(home)).toEqual({sentAtMs: expect.any(Number) as number, knownIds: []})
    ageMarks(home)
    expect((await run(home, args, {env: service.env})).code).toBe(7)
    expect(countPosts(service)).toBe(2)
  })
})

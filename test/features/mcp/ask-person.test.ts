// The page on which a person says yes or no to a payment of an agent. Who may open it stands in attack/local-servers.test.ts.
import {describe, expect, it} from 'vitest'
import {type Answer, type AskOptions, type Question, askPerson} from '../../../src/mcp/ask-person.ts'
import {enterPage} from '../../support/entrance.ts'

const question: Question = {
  box: {
    title: 'Pay on the sandbox',
    isLive: false,
    groups: [
      [{label: 'Amount', lines: [{text: '10 USDC', tone: 'bold'}]}],
      [{label: 'To', lines: [{text: '<b>Ada</b>\u202Eadb'}]}],
    ],
  },
  lifeMs: 60_000,
  quotation: '<script>alert(1)</script>',
  profile: 'acme',
}

async function ask(
  options: Partial<AskOptions> = {},
  asked = question,
): Promise<{link: string; answer: Promise<Answer>}> {
  const {promise, resolve} = Promise.withResolvers<string>()
  const answer = askPerson(asked, {announce: resolve, ...options})
  return {link: await promise, answer}
}

async function openQuestion(link: string) {
  const {url, cookie} = await enterPage(link)
  const page = await (await fetch(url, {headers: {cookie}})).text()
  const proof = /name="proof" value="([^"]+)"/.exec(page)?.[1] ?? ''
  const headers = {origin: new URL(url).origin, cookie}
  const post = (form: Record<string, string>) => fetch(url, {method: 'POST', body: new URLSearchParams(form), headers})
  return {page, proof, post}
}

describe('a question to a person', () => {
  it('is answered no by silence, at the latest when the quote has run out', async () => {
    expect(await (await ask({waitMs: 1})).answer).toBe('silence')
    expect(await (await ask({}, {...question, lifeMs: 1})).answer).toBe('silence')
  })

  it('ends when the program that asked has gone', async () => {
    const session = new AbortController()
    const {link, answer} = await ask({signal: session.signal})
    const {proof, post} = await openQuestion(link)
    session.abort()
    expect(await answer).toBe('silence')
    await expect(post({proof, answer: 'yes'})).rejects.toThrow('fetch failed')
  })

  it('shows what is asked for, escaped, and takes a yes from its own form', async () => {
    const {link, answer} = await ask()
    const {page, proof, post} = await openQuestion(link)
    expect(page).toContain('10 USDC')
    expect(page).toContain('&lt;b&gt;Ada&lt;/b&gt;adb')
    expect(page).toContain('<q>&lt;script&gt;alert(1)&lt;/script&gt;</q>')
    expect(page).not.toContain('<script>')
    expect((await post({proof, answer: 'yes'})).status).toBe(200)
    expect(await answer).toBe('yes')
  })

  it('takes no yes without the proof of its form', async () => {
    const {link, answer} = await ask()
    const {proof, post} = await openQuestion(link)
    const refused = [{}, {proof: ''}, {proof: 'guessed'}, {proof: proof.slice(1)}].map((form) => ({
      ...form,
      answer: 'yes',
    }))
    for (const form of [...refused, {proof}, {proof, answer: 'maybe'}]) {
      const {status} = await post(form)
      expect({form, status}).toEqual({form, status: 403})
    }
    expect((await post({proof, answer: 'no'})).status).toBe(200)
    expect(await answer).toBe('no')
  })
})

// The page on which a person says yes or no to a payment of an agent.
import http from 'node:http'
import {describe, expect, it} from 'vitest'
import {type Answer, type Question, askPerson} from '../../src/mcp/payment-tools.ts'

const question: Question = {
  title: 'Pay this?',
  facts: [
    ['Amount', '10 USDC'],
    ['Key', '<script>alert(1)</script>'],
  ],
}

async function ask(waitMs?: number): Promise<{url: string; answer: Promise<Answer>}> {
  const {promise, resolve} = Promise.withResolvers<string>()
  const answer = askPerson(question, {announce: resolve, waitMs})
  return {url: await promise, answer}
}

const readProof = async (url: string) => /name="proof" value="([^"]+)"/.exec(await (await fetch(url)).text())?.[1] ?? ''

const post = (url: string, form: Record<string, string>, origin = new URL(url).origin) =>
  fetch(url, {method: 'POST', body: new URLSearchParams(form), headers: {origin}})

describe('a question to a person', () => {
  it('is answered no by silence', async () => {
    const {answer} = await ask(1)
    expect(await answer).toBe('silence')
  })

  it('shows what is asked for, escaped, and takes a yes from its own form', async () => {
    const {url, answer} = await ask()
    const page = await (await fetch(url)).text()
    expect(page).toContain('10 USDC')
    expect(page).not.toContain('<script>')
    expect((await post(url, {proof: await readProof(url), answer: 'yes'})).status).toBe(200)
    expect(await answer).toBe('yes')
  })

  it('takes no yes from another page, without the proof of its form, or under another name', async () => {
    const {url, answer} = await ask()
    const proof = await readProof(url)
    expect((await post(url, {proof, answer: 'yes'}, 'https://example.com')).status).toBe(403)
    expect((await post(url, {proof: 'guessed', answer: 'yes'})).status).toBe(403)
    expect((await post(url, {proof, answer: 'maybe'})).status).toBe(403)
    expect((await post(`${new URL(url).origin}/guessed`, {proof, answer: 'yes'})).status).toBe(404)
    const rebound = await new Promise<number | undefined>((resolve) =>
      http.get(url, {headers: {host: 'evil.example.com'}}, ({statusCode}) => resolve(statusCode)),
    )
    expect(rebound).toBe(403)
    expect((await post(url, {proof, answer: 'no'})).status).toBe(200)
    expect(await answer).toBe('no')
  })
})

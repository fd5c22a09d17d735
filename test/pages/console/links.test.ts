// Every link of every page of a console leads somewhere: to another of its pages, or to a hosted
// form.
import {expect, it} from 'vitest'
import {createProfileSource} from '../../../src/console/sources.ts'
import {createEmbeddedFetch, embeddedUrl} from '../../../src/embedded-fetch.ts'
import type {Sandbox} from '../../../src/sandbox/sandbox.ts'
import {createLink} from '../../../src/web/console/context.ts'
import {isConsolePage, renderPage, renderShell} from '../../../src/web/console/routes.ts'
import {createTestClient} from '../../client/raw-service.ts'
import {call, createCustomer, findAccountEnds, openTemporary, toRoute, zoe} from '../../sandbox/open.ts'
import {noJournal} from '../../support/entrance.ts'

interface Answer {
  status: number
  html: string
}

type Open = (address: string) => Promise<Answer>

// In process, with everything that a page can link to.
async function openSandbox(): Promise<Sandbox> {
  const sandbox = openTemporary()
  sandbox.webhooks.add({url: 'http://127.0.0.1:9/'})
  const {customerId} = await createCustomer(sandbox, {customerType: 'INDIVIDUAL', email: 'new@example.com'})
  sandbox.verification.force(customerId, {outcome: 'needs-information'})
  const {wallet, ACH} = findAccountEnds(sandbox)
  const transactionTemplate = {...toRoute(wallet, ACH), amount: {type: 'FLAT', value: '25.00'}}
  const trigger = {type: 'TIME_BASED', cronSchedule: '0 9 * * *'}
  await call(sandbox, 'POST', '/automation-rules', {name: 'Daily', customerId: zoe, transactionTemplate, trigger})
  sandbox.money.addAccount({customerId: zoe, type: 'EXTERNAL_BANK_ACCOUNT', method: 'SEPA', pending: true})
  return sandbox
}

const consoles: Record<string, (sandbox: Sandbox) => Open> = {
  'the console of the sandbox': (sandbox) => async (address) => {
    const response = await sandbox.fetch(new Request(new URL(address, embeddedUrl), {headers: {accept: 'text/html'}}))
    return {status: response.status, html: await response.text()}
  },

  'the console of a profile': (sandbox) => {
    const credential = async () => sandbox.apiKey
    const source = createProfileSource({
      client: createTestClient(embeddedUrl, {fetch: createEmbeddedFetch(sandbox), credential}),
      organization: undefined,
      title: 'Profile acme',
      note: '',
      journal: noJournal,
      events: undefined,
    })
    return async (address) => {
      const {pathname: path, searchParams} = new URL(address, embeddedUrl)
      if (!isConsolePage(path)) return {status: 404, html: ''}
      const link = (at: string, parameters?: Record<string, string | undefined>) => createLink('', at, parameters)
      const context = {source, path, query: Object.fromEntries(searchParams), now: Date.now(), link}
      const page = await renderPage(context)
      return {status: page.status ?? 200, html: renderShell(context, page, {stylesheet: '/page.css'})}
    }
  },
}

const listLinks = (html: string) =>
  [...html.matchAll(/<a [^>]*href="([^"#]+)[^"]*"/g)].map(([, address = '']) => address.replaceAll('&amp;', '&'))

it.each(Object.entries(consoles))('every link of %s leads to a page', async (_, create) => {
  const open = create(await openSandbox())
  const found = new Map([['/', 'the beginning']])
  const broken: unknown[] = []
  for (const [address, from] of found) {
    const {status, html} = await open(address)
    if (status !== 200) broken.push({status, address, from})
    for (const link of listLinks(html)) if (!found.has(link)) found.set(link, address)
  }
  expect(broken).toEqual([])
  expect(found.size).toBeGreaterThan(100)
})

// Enters pages of svc: consoles, and the page for a yes.
import {expect} from 'vitest'
import type {JournalSource} from '../../src/web/console/source.ts'

// Of a console that has none.
export const noJournal: JournalSource = {
  listPayments: async () => [],
  listOpenPayments: async () => [],
  listDealtWith: async () => new Set(),
  findPayment: async () => undefined,
  findPaymentOf: async () => undefined,
}

export interface EnteredPage {
  url: string
  cookie: string
}

// Uses a link that works once, as a browser does: it keeps the cookie and goes where the page leads.
export async function enterPage(link: string): Promise<EnteredPage> {
  const response = await fetch(link)
  expect(response.status).toBe(200)
  const set = response.headers.get('set-cookie') ?? ''
  expect([set, response.headers.get('referrer-policy')]).toEqual([
    expect.stringMatching(/^svc-page=[\w-]{32}; Path=\/[\w-]{32}; HttpOnly; SameSite=Strict$/),
    'no-referrer',
  ])
  const [cookie = ''] = set.split(';', 1)
  const [, path = ''] = /http-equiv="refresh" content="0; url=([^"]+)"/.exec(await response.text()) ?? []
  return {url: new URL(path, link).href, cookie}
}

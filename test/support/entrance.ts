// Uses a link that works once, as a browser does: it keeps the cookie and goes where the page leads.
import {expect} from 'vitest'

export interface EnteredPage {
  url: string
  cookie: string
}

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

// Uses a link that works once, as a browser does: it keeps the cookie and goes where the page leads.
import {expect} from 'vitest'

export interface EnteredPage {
  url: string
  cookie: string
}

export async function enterPage(link: string): Promise<EnteredPage> {
  const response = await fetch(link)
  expect(response.status).toBe(200)
  const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';', 1)
  const [, path = ''] = /http-equiv="refresh" content="0; url=([^"]+)"/.exec(await response.text()) ?? []
  return {url: new URL(path, link).href, cookie}
}

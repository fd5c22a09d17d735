// Nothing that the service sends can control a terminal: in no format, no error and no notice.
import {describe, expect, test} from 'vitest'
import {cleanText} from '../../../src/cli/output/clean.ts'
import {customer, reply, serve} from '../../support/service.ts'
import {freshHome, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
import {hasControlCharacters, hostileTexts} from '../../support/hostile.ts'

const customers = hostileTexts.map((name, index) =>
  customer(index + 1, {
    name,
    email: `${name}@example.com`,
    customerStatus: `ACTIVE${name}`,
    [`field ${name}`]: {inside: [name]},
  }),
)

// oxlint-disable-next-line no-control-regex -- the colours that svc itself writes.
const colours = /\u001B\[\d+m/g

const hostileService = () => serve((_, response) => reply(response, 200, {customers, nextPageToken: null}))

describe('Text from a hostile service', () => {
  test.each(['table', 'csv', 'yaml', 'json', 'jsonl'])('is never printed raw as %s', async (format) => {
    const service = await hostileService()
    const {code, out, err} = await run(freshHome(), ['customers', 'list', '-o', format], {env: service.env})
    expect(code).toBe(0)
    expect(out.length).toBeGreaterThan(1000)
    expect(hasControlCharacters(out)).toBe(false)
    expect(hasControlCharacters(err)).toBe(false)
  })

  test('keeps a combined emoji, and removes joiners anywhere else', () => {
    const family = '👩‍👩‍👧‍👦 Family, 👩🏽‍⚕️ and ❤️‍🔥'
    expect(cleanText(family)).toBe(family)
    expect(cleanText('a\u200Db\u200D👩 \u202Egnp.exe 👩\u200D\u202E👧 👩\u200D')).toBe('ab👩 gnp.exe 👩👧 👩')
  })

  test('never controls a terminal: a table has only the colours of svc', async () => {
    const service = await hostileService()
    const screen = onTerminal(freshHome(), ['customers', 'list'], {env: service.env, cols: 200})
    expect(await screen.ended).toBe(0)
    const withoutColours = screen.raw().replaceAll(colours, '').replaceAll('\r\n', '\n')
    expect(hasControlCharacters(withoutColours)).toBe(false)
    expect(screen.text().split('\n').length).toBeLessThan(customers.length + 5)
  })

  test.each(['text', 'json'])('is never printed raw in an error shown as %s', async (format) => {
    const message = hostileTexts.join(' ')
    const home = freshHome()
    for (const statusCode of [400, 401, 404]) {
      const service = await serve((_, response) =>
        reply(response, statusCode, {error: `BAD_${message}`, message, statusCode}),
      )
      const more = format === 'json' ? ['--json'] : []
      const {out, err} = await run(home, ['customers', 'list', '--verbose', ...more], {
        env: {...service.env, SVC_DEBUG: '1'},
      })
      expect(out).toBe('')
      expect(err).toContain('public')
      expect(hasControlCharacters(err)).toBe(false)
    }
  })

  test('is never printed raw in the notice of a page token, which says how else to continue', async () => {
    const home = freshHome()
    for (const token of hostileTexts) {
      const service = await serve((_, response) =>
        reply(response, 200, {customers: [customer(1)], nextPageToken: token}),
      )
      const {code, err, out} = await run(home, ['customers', 'list'], {env: service.env})
      expect(code).toBe(0)
      expect(hasControlCharacters(out + err)).toBe(false)
      expect(err).toContain('nextPageToken in --json')
    }
  })

  test.each([
    ['abc_-=./+1', '--page-token abc_-=./+1'],
    ['a b;$(reboot)', "--page-token='a b;$(reboot)'"],
    ["it's", String.raw`--page-token='it'\''s'`],
    ['-x', "--page-token='-x'"],
  ])('such as the page token %j can be pasted into a shell as shown', async (token, shown) => {
    const service = await serve((_, response) => reply(response, 200, {customers: [customer(1)], nextPageToken: token}))
    const {err} = await run(freshHome(), ['customers', 'list'], {env: service.env})
    expect(err.trimEnd().endsWith(`\`${shown}\``)).toBe(true)
  })

  test('is never printed raw from an argument', async () => {
    const service = await hostileService()
    const home = freshHome()
    for (const args of [
      ['customers', 'get', 'x\u001B[31m'],
      ['customers', 'list', '--columns', 'x\u001B[31m'],
      ['x\u001B[31m'],
      ['customers', 'list', '--no\u001B[31m'],
      ['api', 'GET', '/x\u202E', '--verbose'],
      ['customers', 'list', '-p', '\u009Bx'],
    ]) {
      const {code, err} = await run(home, args, {env: service.env})
      expect([args, [0, 2].includes(code ?? -1)]).toEqual([args, true])
      expect(hasControlCharacters(err)).toBe(false)
    }
  })
})

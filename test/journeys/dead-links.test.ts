// Links to forms that the sandbox does not serve: wherever one is printed for people, svc says so, and how to make it work.
import {describe, expect, it} from 'vitest'
import {type Home, freshHome, json, run} from '../support/svc.ts'
import {seeded} from '../support/transactions.ts'

const dead = 'https://forms.sandbox.invalid/'

const list = async (home: Home) => {
  const {out} = await run(home, ['customers', 'list', '-p', 'sandbox', '--limit', '1', '--json'])
  return (json(out) as {customers: Array<{customerId: string}>}).customers[0]?.customerId ?? ''
}

describe('a link that leads nowhere', () => {
  it.each([
    ['customers get', (id: string) => ['customers', 'get', id], /`svc open [\w-]+ -p sandbox` serves/],
    ['customers list', () => ['customers', 'list', '--columns', 'id,link'], /`svc open ID -p sandbox` serves/],
    [
      'accounts list',
      () => ['accounts', 'list', '--customer', seeded.customer],
      /`svc open [\w-]+ --bank-account -p sandbox` serves/,
    ],
    ['open', (id: string) => ['open', id], /`svc sandbox start` serves/],
    ['open --bank-account', () => ['open', seeded.customer, '--bank-account'], /`svc sandbox start` serves/],
  ])('is said to by %s in a pipe, with the command that makes it work', async (_, args, command) => {
    const home = freshHome()
    const {code, out, err} = await run(home, [...args(await list(home)), '-p', 'sandbox'])
    expect(code).toBe(0)
    expect(out + err).toContain(dead)
    expect(err).toContain('so the link leads nowhere')
    expect(err).toMatch(command)
  })

  it('is not spoken of where there is none', async () => {
    const home = freshHome()
    const {err} = await run(home, ['customers', 'list', '-p', 'sandbox', '--all'])
    expect(err).toBe('')
    const got = await run(home, ['customers', 'get', await list(home), '-p', 'sandbox', '--columns', 'id,name'])
    expect(got.err).toBe('')
  })
})

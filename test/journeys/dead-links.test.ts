// Links to forms that the sandbox does not serve: where one is printed, svc says so, and how to make it work.
import {expect, it} from 'vitest'
import {freshHome, run} from '../support/svc.ts'
import {seeded} from '../support/transactions.ts'

it.each([
  [`accounts list --customer ${seeded.customer}`, /`svc open [\w-]+ --bank-account -p sandbox` serves/],
  [`open ${seeded.customer}`, /`svc sandbox start` serves/],
  [`open ${seeded.customer} --bank-account`, /`svc sandbox start` serves/],
])('a link that leads nowhere is said to by svc %s, with the command that makes it work', async (args, command) => {
  const {code, out, err} = await run(freshHome(), [...args.split(' '), '-p', 'sandbox'])
  expect(code).toBe(0)
  expect(out + err).toContain('https://forms.sandbox.invalid/')
  expect(err).toContain('so the link leads nowhere')
  expect(err).toMatch(command)
})

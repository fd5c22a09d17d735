// The table of services in docs/paying-once.md says what the rule of the matrix says. The matrix tests hold the rule.
import fs from 'node:fs'
import path from 'node:path'
import {expect, it} from 'vitest'
import {root} from '../support/svc.ts'
import {
  type Combination,
  type Knowledge,
  type Payers,
  type Risk,
  areKeysHonoured,
  combinations,
  everyFaultCase,
  findRisk,
  getListedAfterSeconds,
} from './services.ts'

// What can rightly be said about the keys is stated for those that are honoured alone.
const keyClasses: ReadonlyArray<[name: string, isOne: (combination: Combination) => boolean, ...known: Knowledge[]]> = [
  ['honoured', areKeysHonoured, 'unknown', 'stated'],
  ['honoured for the same body only', ({idempotency}) => idempotency === 'per-body', 'unknown'],
  ['forgotten after a minute', ({idempotency}) => idempotency === 'forget-after-1m', 'unknown'],
  ['ignored', ({idempotency}) => idempotency === 'ignore', 'unknown'],
]

const columns: ReadonlyArray<[header: string, ...payers: Payers[]]> = [
  ['one journal', 'one process', 'two processes'],
  ['a lost journal', 'a lost journal'],
  ['two hosts', 'two hosts'],
]

const letters: Readonly<Record<Risk, string>> = {expired: 'a', lost: 'b', hosts: 'c', refused: 'd', stated: 'e'}
const named = new Set<string>()

function describeRisks(risks: ReadonlyArray<Risk | undefined>): string {
  const found = [...new Set(risks.flatMap((risk) => (risk ? letters[risk] : [])))].toSorted()
  for (const letter of found) named.add(letter)
  return found.length === 0 ? 'one' : `**two** possible (${found.join(', ')})`
}

// One line for each kind of service, as it must be in the docs.
const rows = keyClasses.flatMap(([name, isOne, ...known]) =>
  ['at once', 'later'].flatMap((listed) =>
    known.map((knowledge) => {
      const cells = everyFaultCase
        .flatMap((faultCase) => combinations.filter(isOne).map((combination) => ({faultCase, combination, knowledge})))
        .filter(
          ({faultCase, combination}) => getListedAfterSeconds(faultCase, combination) > 0 === (listed === 'later'),
        )
      const results = columns.map(([, ...all]) =>
        describeRisks(all.flatMap((payers) => cells.map((cell) => findRisk({...cell, payers})))),
      )
      const said = knowledge === 'stated' ? ['yes', 'sent again'] : ['unknown', 'looked for in the list']
      return `| ${[name, listed, ...said, ...results].join(' | ')} |`
    }),
  ),
)

it('The table of services is in the docs as the rule of the matrix has it, and each of its reasons is explained once', () => {
  const page = fs.readFileSync(path.join(root, 'docs/paying-once.md'), 'utf8')
  const headers = ['reused keys', 'a new transaction is listed', '`--resend`', 'an unanswered payment is']
  const head = `| ${[...headers, ...columns.map(([header]) => header)].join(' | ')} |\n|---|---|---|---|---|---|---|\n`
  expect(page).toContain(`${head}${rows.join('\n')}\n\n`)
  expect([...named].toSorted()).toEqual(['a', 'b', 'c', 'd'])
  for (const letter of named) expect(page.split(`\n- **${letter}**`)).toHaveLength(2)
})

// The labels of fields stand in one table.
import fs from 'node:fs'
import path from 'node:path'
import {expect, it} from 'vitest'
import {root} from '../support/svc.ts'

const table = 'src/contract/labels.ts'
const readFile = (file: string) => fs.readFileSync(path.join(root, file), 'utf8')

// Flags have descriptions of their own, since what every command loads must not load the contract. A label of one or two words, such as Country, is also an ordinary word elsewhere.
const isUnmistakable = (label: string) => label.split(' ').length > 2

it('has each label of a field in contract/labels.ts and nowhere else', () => {
  const labels = [...readFile(table).matchAll(/\blabel: '([^']+)'/g)].map(([, label = '']) => label)
  const files = fs.globSync('src/**/*.ts', {cwd: root}).filter((file) => file !== table)
  const repeated = files.flatMap((file) => {
    const text = readFile(file)
    return labels
      .filter((label) => isUnmistakable(label) && text.includes(`label: '${label}'`))
      .map((label) => `${file}: ${label}`)
  })
  expect(labels.length).toBeGreaterThan(90)
  expect([...new Set(repeated)]).toEqual([])
})

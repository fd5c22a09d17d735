// The types of entities that programs import. test/journeys/package.test.ts compiles and runs programs that do.
import fs from 'node:fs'
import path from 'node:path'
import {expect, it} from 'vitest'
import {endpointEntries} from '../../src/contract/endpoints.ts'
import {createClient} from '../../src/library/client.ts'
import {writeEntityTypes} from '../../scripts/entity-types.ts'
import {root, temporaryFolder} from '../support/svc.ts'

it('has entity types that follow the contract', () => {
  const folder = temporaryFolder()
  writeEntityTypes(folder)
  for (const name of fs.readdirSync(folder)) {
    const written = fs.readFileSync(path.join(root, 'src/library', name), 'utf8')
    expect(written, `${name}: run \`npm run entities\``).toBe(fs.readFileSync(path.join(folder, name), 'utf8'))
  }
  expect(fs.readdirSync(folder).toSorted()).toEqual(['bodies.ts', 'client-methods.ts', 'entities.ts', 'values.ts'])
})

it('has a function for every endpoint of the contract', () => {
  const client = createClient({baseUrl: 'http://localhost:1', credential: 'key'})
  const names = Object.entries(client).flatMap(([topic, verbs]) => Object.keys(verbs).map((verb) => `${topic}.${verb}`))
  expect(names).toEqual(expect.arrayContaining(endpointEntries.map(({name}) => name)))
  expect(names.filter((name) => name.endsWith('.all'))).toEqual(['customers.all', 'accounts.all', 'transactions.all'])
})

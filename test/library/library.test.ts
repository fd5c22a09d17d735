// The types of entities that programs import. test/journeys/package.test.ts compiles and runs programs that do.
import fs from 'node:fs'
import path from 'node:path'
import {expect, it} from 'vitest'
import {writeEntityTypes} from '../../scripts/entity-types.ts'
import {root, temporaryFolder} from '../support/svc.ts'

it('has entity types that follow the contract', () => {
  const folder = temporaryFolder()
  writeEntityTypes(folder)
  for (const name of fs.readdirSync(folder)) {
    const written = fs.readFileSync(path.join(root, 'src/library', name), 'utf8')
    expect(written, `${name}: run \`npm run entities\``).toBe(fs.readFileSync(path.join(folder, name), 'utf8'))
  }
  expect(fs.readdirSync(folder).toSorted()).toEqual(['bodies.ts', 'entities.ts', 'values.ts'])
})

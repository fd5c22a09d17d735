// svc help: the overview. test/cli/help has the help of each command.
import fs from 'node:fs'
import path from 'node:path'
import {expect, it} from 'vitest'
import {commandGroups} from '../../src/cli/help/groups.ts'
import {root} from '../support/svc.ts'

it('svc help has every command in one group', () => {
  const {commands} = JSON.parse(fs.readFileSync(path.join(root, 'oclif.manifest.json'), 'utf8')) as {
    commands: Record<string, {id: string; hidden: boolean}>
  }
  const visible = Object.values(commands).flatMap(({id, hidden}) => (hidden ? [] : [id.split(':')]))
  const top = new Set(visible.map(([first = '']) => first))
  expect(commandGroups.flatMap((group) => [...group.commands, ...(group.also ?? [])]).toSorted()).toEqual(
    [...top].toSorted(),
  )
})

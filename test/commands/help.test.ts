// svc help: the root, topics and commands.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {globalFlags} from '../../src/cli/flags/shared.ts'
import {commandGroups} from '../../src/cli/help/groups.ts'
import {freshHome, root, run} from '../support/svc.ts'

describe('svc help', () => {
  it('has every command in one group', async () => {
    const {commands} = JSON.parse(fs.readFileSync(path.join(root, 'oclif.manifest.json'), 'utf8')) as {
      commands: Record<string, {id: string; hidden: boolean}>
    }
    const visible = Object.values(commands).flatMap(({id, hidden}) => (hidden ? [] : [id.split(':')]))
    const top = new Set(visible.map(([first = '']) => first))
    expect(commandGroups.flatMap((group) => [...group.commands, ...(group.also ?? [])]).toSorted()).toEqual(
      [...top].toSorted(),
    )
  })

  it('shows all flags of a command, and names the global ones and the exit codes that matter', async () => {
    const {out} = await run(freshHome(), ['customers', 'get', '--help'])
    const sections = [...out.matchAll(/^[A-Z ]+$/gm)].map(([title]) => title)
    expect(sections).toEqual(['USAGE', 'EXAMPLES', 'ARGUMENTS', 'FLAGS', 'GLOBAL FLAGS', 'EXIT CODES'])
    for (const flag of Object.keys(globalFlags)) expect(out).toMatch(new RegExp(`--${flag}\\b`))
    expect(out.split('EXIT CODES\n')[1]).toBe('  0, 4, 5, 6: svc docs exit-codes\n')
  })
})

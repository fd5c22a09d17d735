// The table of control: every command of the sandbox has its operation, or a reason why it has none.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import manifest from '../../../oclif.manifest.json' with {type: 'json'}
import {operations} from '../../../src/sandbox/operations/operations.ts'
import {createCall} from '../../../src/sandbox/operations/call.ts'
import {verificationOutcomes} from '../../../src/sandbox/service/customers/outcomes.ts'
import {behaviourFields, listFaultKinds, settlements} from '../../../src/sandbox/service/faults/behaviour-table.ts'
import {root} from '../../support/svc.ts'
import {noon, openTemporary} from '../open.ts'

// Commands without an operation, and why.
const localCommands: Record<string, string> = {
  start: 'starts the server itself',
  document: 'writes a file on this machine, and needs no sandbox',
}

// Operations without a command, and why.
const operationsAlone: Record<string, string> = {
  'webhooks.events': '`svc events list` shows them',
}

const tables: Readonly<Record<string, readonly string[]>> = {
  'sandbox/service/faults/behaviour-table.ts behaviours': Object.keys(behaviourFields),
  'sandbox/service/faults/behaviour-table.ts outcomes': settlements,
  'sandbox/service/faults/behaviour-table.ts faults': listFaultKinds(),
  'sandbox/service/customers/outcomes.ts outcomes': Object.keys(verificationOutcomes),
}

describe('the tables of the sandbox', () => {
  it('are the only place that lists what they list; everything else is derived from them', () => {
    const files = fs.globSync('**/*.ts', {cwd: path.join(root, 'src')}).map((file) => file.split(path.sep).join('/'))
    for (const [table, words] of Object.entries(tables)) {
      // A word as a text or as the name of a field.
      const patterns = words.map((word) => new RegExp(`'${word}'|(?<![-\\w'])${word}\\??:`))
      const hasAll = (text: string) => patterns.every((pattern) => pattern.test(text))
      const isListing = (lines: readonly string[]) =>
        lines.some((_, start) => hasAll(lines.slice(start, start + 2 * words.length).join('\n')))
      const listing = files.filter((file) => {
        const text = fs.readFileSync(path.join(root, 'src', file), 'utf8')
        return hasAll(text) && (file === table.split(' ', 1)[0] || isListing(text.split('\n')))
      })
      expect([table, listing]).toEqual([table, [table.split(' ', 1)[0]]])
    }
  })
})

describe('the operations of control', () => {
  it('are the commands of the sandbox, except those that only make sense on this machine', () => {
    const commands = Object.keys(manifest.commands)
      .filter((id) => id.startsWith('sandbox:'))
      .map((id) => id.replace('sandbox:', '').replaceAll(':', '.'))
    const expected = commands.filter((name) => !(name in localCommands))
    const own = Object.keys(operations).filter((name) => !(name in operationsAlone))
    expect(own.toSorted()).toEqual(expected.toSorted())
    expect(Object.keys(localCommands).filter((name) => !commands.includes(name))).toEqual([])
  })

  it('act on an opened sandbox', async () => {
    const call = createCall(openTemporary())
    expect(await call('clock', {})).toMatchObject({now: noon.toISOString(), frozen: true})
    expect(await call('clock.advance', {duration: '5m'})).toMatchObject({now: '2026-11-15T12:05:00.000Z'})
    await expect(call('clock.advance', {duration: 'soon'})).rejects.toThrow('"soon" is not a duration')
    const {faults} = await call('faults.list', {})
    expect(faults).toEqual([])
  })
})

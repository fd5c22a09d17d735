// The table of control: every command of the sandbox has its operation, or a reason why it has none.
import {describe, expect, it} from 'vitest'
import manifest from '../../../oclif.manifest.json' with {type: 'json'}
import {operations} from '../../../src/sandbox/operations/operations.ts'
import {createCall} from '../../../src/sandbox/operations/call.ts'
import {noon, openTemporary} from '../open.ts'

// Commands without an operation, and why.
const localCommands: Record<string, string> = {
  start: 'starts the server itself',
  document: 'writes a file on this machine, and needs no sandbox',
  reproduce: 'reads the journal of this machine, and uses a sandbox of its own',
}

// Operations without a command, and why.
const operationsAlone: Record<string, string> = {
  'webhooks.events': '`svc events list` shows them',
}

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

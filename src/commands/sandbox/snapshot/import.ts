// Adds a snapshot from a file that another sandbox exported.
import fs from 'node:fs'
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../../cli/command.ts'
import {controlFlags} from '../../../cli/flags/shared.ts'
import {itemResult} from '../../../cli/output/result.ts'
import {streamStdin} from '../../../cli/output/streams.ts'
import {badUsage, getExitCodes, getSystemCode} from '../../../errors.ts'
import {type ControlChoice, openControl} from '../../../sandbox-control.ts'
import type {Result} from '../../../sandbox-results.ts'
import {snapshotView} from '../../../sandbox-commands/views.ts'
import {openEmbeddedSandbox} from '../../../transport.ts'

export default class SandboxSnapshotImport extends SvcCommand {
  static override view = snapshotView
  static override summary = 'Add a snapshot from a file'
  static override description =
    'Nothing in the sandbox changes until `svc sandbox snapshot restore`. A file that is damaged, or from another version of svc, is rejected.'
  static override examples = [
    {
      description: 'Import a snapshot, and restore it',
      command: 'svc sandbox snapshot import before.snapshot && svc sandbox snapshot restore before',
    },
    {
      description: 'Give it another name, and replace one of that name',
      command: 'svc sandbox snapshot import before.snapshot --name start --replace',
    },
  ]
  static override exits = getExitCodes('usage')
  static override args = {
    file: Args.string({
      description: 'File that `svc sandbox snapshot export` wrote (- for standard input)',
      required: true,
    }),
  }
  static override flags = {
    ...controlFlags,
    name: Flags.string({summary: 'Name of the snapshot (the one that it had)', helpValue: 'NAME'}),
    replace: Flags.boolean({summary: 'Replace a snapshot of the same name'}),
  }

  async run() {
    const {args, flags} = await this.parse(SandboxSnapshotImport)
    const snapshot = await importFile(args.file, flags)
    this.notice(`\`svc sandbox snapshot restore ${snapshot.name}\` makes it the state of the sandbox.`)
    return this.finishWrite(itemResult(snapshot, snapshotView))
  }
}

interface ImportFlags extends ControlChoice {
  name?: string | undefined
  replace: boolean
}

// A server gets the file as one request.
async function importFile(file: string, flags: ImportFlags): Promise<Result<'Snapshot'>> {
  const {name, replace: replaces} = flags
  const source = openFile(file)
  if (flags.url === undefined) {
    return (await openEmbeddedSandbox()).snapshots.import(source, {name, replaces})
  }
  const pieces: Uint8Array[] = []
  for await (const piece of source) pieces.push(piece)
  const {call} = await openControl(flags)
  return call('snapshot.import', {content: Buffer.concat(pieces).toString('base64'), name, replace: replaces})
}

function openFile(file: string): AsyncIterable<Uint8Array> {
  if (file === '-') return streamStdin()
  try {
    if (fs.statSync(file).isFile()) return fs.createReadStream(file)
  } catch (cause) {
    throw badUsage(`The file ${file} cannot be read (${getSystemCode(cause) ?? 'unknown'})`, 'Check the path', cause)
  }
  throw badUsage(`${file} is not a regular file`, 'Check the path')
}

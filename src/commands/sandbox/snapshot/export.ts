// Writes a snapshot to a file that another sandbox can import.
import fs from 'node:fs'
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../../cli/command.ts'
import {controlFlags} from '../../../cli/flags/shared.ts'
import {getTraits, writeOutBytes} from '../../../cli/output/streams.ts'
import {type Result, itemResult} from '../../../cli/output/result.ts'
import {badUsage, getExitCodes, getSystemCode} from '../../../errors.ts'
import {type ControlChoice, openControl} from '../../../sandbox-control.ts'
import {snapshotFileView} from '../../../sandbox-commands/views.ts'
import {fileMode} from '../../../storage/private-file.ts'
import {openEmbeddedSandbox} from '../../../transport.ts'

export default class SandboxSnapshotExport extends SvcCommand {
  static override view = snapshotFileView
  static override summary = 'Write a snapshot to a file, to import it elsewhere'
  static override description =
    'The file holds everything of the sandbox, with its API key and the secrets of webhook endpoints. Without --out it goes to standard output.'
  static override examples = [
    {description: 'Write a file', command: 'svc sandbox snapshot export before --out before.snapshot'},
    {
      description: 'Send it to another machine',
      command: 'svc sandbox snapshot export before | ssh host svc sandbox snapshot import -',
    },
  ]
  static override exits = getExitCodes('usage', 'notFound')
  static override args = {
    name: Args.string({description: 'Name of the snapshot', required: true}),
  }
  static override flags = {
    ...controlFlags,
    out: Flags.string({summary: 'File to write, which only you can read; it must not exist', helpValue: 'FILE'}),
  }

  async run(): Promise<Result> {
    const {args, flags} = await this.parse(SandboxSnapshotExport)
    const {out} = flags
    if (out === undefined && (getTraits('stdout').isTTY || this.format !== 'table')) {
      throw badUsage('The snapshot itself goes to standard output', 'Redirect it, or name a file with --out')
    }
    const pieces = await readSnapshot(args.name, flags)
    if (out === undefined) {
      await writeOutBytes(pieces)
      return undefined
    }
    return this.finishWrite(
      itemResult({name: args.name, file: out, bytes: await writeFile(out, pieces)}, snapshotFileView),
    )
  }
}

// A server sends the file as one reply.
async function readSnapshot(name: string, choice: ControlChoice): Promise<AsyncIterable<Uint8Array>> {
  if (choice.url === undefined) return (await openEmbeddedSandbox()).snapshots.export(name)
  const {call} = await openControl(choice)
  const {content} = await call('snapshot.export', {name})
  return (async function* () {
    yield Buffer.from(content, 'base64')
  })()
}

// Under another name first, so that an incomplete file is never taken for a snapshot.
async function writeFile(file: string, pieces: AsyncIterable<Uint8Array>): Promise<number> {
  if (fs.existsSync(file)) throw badUsage(`There is already a file ${file}`, 'Name another one; nothing was written')
  const unfinished = `${file}.${process.pid}.unfinished`
  let bytes = 0
  try {
    for await (const piece of pieces) {
      if (bytes === 0) fs.writeFileSync(unfinished, '', {mode: fileMode, flag: 'wx'})
      fs.appendFileSync(unfinished, piece)
      bytes += piece.byteLength
    }
    fs.renameSync(unfinished, file)
    return bytes
  } catch (cause) {
    const code = getSystemCode(cause)
    if (code === undefined || !/^E[A-Z]+$/.test(code)) throw cause
    throw badUsage(
      `${file} cannot be written (${code})`,
      'Name a file in a folder that exists, on a disk with space',
      cause,
    )
  } finally {
    fs.rmSync(unfinished, {force: true})
  }
}

// Sets the name and the logo that the hosted forms of the sandbox show.
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../../cli/command.ts'
import {controlFlags} from '../../../cli/flags/control.ts'
import {itemResult} from '../../../cli/output/result.ts'
import {badUsage, getExitCodes, getSystemCode, SvcError} from '../../../errors.ts'
import {brandingView} from '../../../sandbox/views/branding.ts'
import {readRegularFile} from '../../../storage/read-regular-file.ts'
import {openControl} from '../../../sandbox-control.ts'

function readLogo(file: string): Buffer<ArrayBuffer> {
  try {
    return Buffer.from(readRegularFile(file))
  } catch (cause) {
    if (cause instanceof SvcError) throw cause
    throw badUsage(`The file ${file} cannot be read (${getSystemCode(cause) ?? 'unknown'})`, 'Check the path', cause)
  }
}

export default class SandboxBrandingSet extends SvcCommand {
  static override view = brandingView
  static override summary = 'Show your name and logo in the hosted forms'
  static override description =
    'The logo is a PNG or JPG file of at most 256 KB, 16 to 2000 pixels wide and high. It is checked and kept in the sandbox, so the file is not needed any more. What is not given stays as it is.'
  static override examples = [
    {
      description: 'Set both',
      command: 'svc sandbox branding set --name "Acme Payments" --logo ./logo.png',
    },
    {description: 'Change the name only', command: 'svc sandbox branding set --name Acme'},
  ]
  static override exits = getExitCodes('usage')
  static override flags = {
    name: Flags.string({summary: 'Name to show', helpValue: 'NAME'}),
    logo: Flags.string({summary: 'Image to show, PNG or JPG', helpValue: 'FILE'}),
    ...controlFlags,
  }

  async run() {
    const {flags} = await this.parse(SandboxBrandingSet)
    this.requireAll([flags.name === undefined && flags.logo === undefined && '--name or --logo'])
    const logo = flags.logo === undefined ? undefined : readLogo(flags.logo)
    const {call} = await openControl(flags)
    const branding = await call('branding.set', {name: flags.name, logo: logo?.toString('base64')})
    return this.finishWrite(itemResult(branding, brandingView))
  }
}

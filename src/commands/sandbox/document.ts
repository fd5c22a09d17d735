// Writes a sample document, so that a verification can be tried in the sandbox without an image of one's own.
import fs from 'node:fs'
import * as Args from '@oclif/core/args'
import {SvcCommand} from '../../cli/command.ts'
import {type Result, itemResult} from '../../cli/output/result.ts'
import {createSampleDocument} from '../../values/documents.ts'
import {sampleDocumentView} from '../../customers/view.ts'
import {badUsage, getExitCodes, getSystemCode} from '../../errors.ts'

const fileDefault = 'passport.png'

export default class SandboxDocument extends SvcCommand {
  static override view = sampleDocumentView
  static override summary = 'Write a sample document for a verification'
  static override description =
    'The picture shows stripes. Its format and size are those that verification asks for, so the sandbox accepts it as a document of a person or a business. At a terminal, the questions of `svc customers create` and `fix` accept the word sample in place of a path.'
  static override examples = [
    {description: `Write ${fileDefault}`, command: 'svc sandbox document'},
    {
      description: 'Choose the name, and use it in a file with KYC data',
      command: 'svc sandbox document id.png && svc customers create -f kyc.yaml --dry-run',
    },
  ]
  static override exits = getExitCodes('usage')
  static override args = {
    file: Args.string({description: `File to write (${fileDefault}); an existing one is not overwritten`}),
  }

  async run(): Promise<Result> {
    const {args} = await this.parse(SandboxDocument)
    const file = args.file ?? fileDefault
    if (!/\.png$/i.test(file)) throw badUsage(`The sample is a PNG, but "${file}" does not end in .png`)
    const content = createSampleDocument()
    try {
      fs.writeFileSync(file, content, {flag: 'wx'})
    } catch (error) {
      const code = getSystemCode(error)
      if (code === 'EEXIST') throw badUsage(`There is already a file ${file}`, 'Name another one; nothing was written')
      throw badUsage(
        `${file} cannot be written (${code})`,
        'Name a file in a folder that exists and that you may write to',
      )
    }
    return this.finishWrite(itemResult({file, bytes: content.length}, sampleDocumentView))
  }
}

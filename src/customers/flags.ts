// The flags of commands that submit verification data.
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import type {Interfaces} from '@oclif/core'
import {checkedBodyFlags, noDraftFlag} from '../cli/flags/body-flags.ts'

export const submissionFlags = {
  ...checkedBodyFlags,
  'no-draft': noDraftFlag,
  reveal: Flags.boolean({summary: 'With --dry-run, mask nothing', dependsOn: ['dry-run']}),
}

export type SubmissionFlags = Partial<Interfaces.InferredFlags<typeof submissionFlags>> & {
  wait: boolean
  quiet?: boolean | undefined
}

// How documents are given, for the help of these commands.
export const documentsHelp =
  'A document may be the path of a JPG, PNG or PDF file, relative to the file that names it (`svc docs kyc`). All problems are listed at once, before anything is sent.'

// It is not required, because a person can choose from a list. `findCustomerId` rejects a script without one.
export const customerArgs = {
  id: Args.string({description: 'ID of the customer, its first 8 or more characters, or the email'}),
}

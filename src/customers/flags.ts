// The flags of commands that submit verification data.
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {acceptWarningsFlag, allowUnknownFieldsFlag, bodyFlags, noDraftFlag} from '../cli/flags/body-flags.ts'

const dataFileFlag = (summary: string, other: string) => Flags.string({summary, helpValue: 'FILE', exclusive: [other]})

export const submissionFlags = {
  ...bodyFlags,
  'no-draft': noDraftFlag,
  'kyc-file': dataFileFlag(
    'Read KYC data of an individual from a file, JSON or YAML (- for standard input)',
    'kyb-file',
  ),
  'kyb-file': dataFileFlag('Read KYB data of a business from a file, JSON or YAML (- for standard input)', 'kyc-file'),
  'accept-warnings': acceptWarningsFlag,
  'allow-unknown-fields': allowUnknownFieldsFlag,
  partial: Flags.boolean({summary: 'Submit a first set of data even if verification requires more'}),
  reveal: Flags.boolean({summary: 'With --dry-run, show personal data and documents in full', dependsOn: ['dry-run']}),
}

// How documents are given, for the help of these commands.
export const documentsHelp = [
  'A document image (frontIdImage, backIdImage, proofOfAddressImage, documentImage) may be the path of a JPG, PNG or PDF file. The path is relative to the file that contains it, or to the working directory with --set and standard input; ~ is the home directory.',
  'All data is validated before anything is sent, and all problems are listed at once.',
].join('\n')

// The argument that names a customer.
// It is not required, because a person can choose from a list. `findCustomerId` rejects a script without one.
export const customerArgument = Args.string({
  description: 'ID of the customer, its first 8 or more characters, or the email',
})

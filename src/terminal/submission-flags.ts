// The flags of commands that submit verification data.
import * as Flags from '@oclif/core/flags'
import {bodyFlags} from './body-flags.ts'

const dataFile = (summary: string, other: string) => Flags.string({summary, helpValue: 'FILE', exclusive: [other]})

export const submissionFlags = {
  ...bodyFlags,
  'kyc-file': dataFile('KYC data of an individual, JSON or YAML; - is standard input', 'kyb-file'),
  'kyb-file': dataFile('KYB data of a business, JSON or YAML; - is standard input', 'kyc-file'),
  partial: Flags.boolean({summary: 'Submit first data although it lacks what verification requires'}),
  reveal: Flags.boolean({summary: 'With --dry-run, show personal data and documents in full', dependsOn: ['dry-run']}),
}

// How documents are given, for the help of these commands.
export const aboutDocuments = [
  'A document image (frontIdImage, backIdImage, proofOfAddressImage, documentImage) may be the path of a JPG, PNG or PDF file: relative to the file that names it, or to the working folder after --set and on standard input; ~ is the home folder.',
  'Everything is checked before anything is sent, and all problems are listed at once.',
].join('\n')

// The flags by which commands say which rows of a payout file are paid, and how many at the same time.
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {numberFlag} from '../../cli/flags/shared.ts'
import {concurrencyDefault} from '../run/for-each-concurrently.ts'

export const payoutFileArgs = {
  file: Args.string({description: 'File with the payouts (- for standard input)', required: true}),
}

export const rowFlags = {
  'up-to-cap': Flags.boolean({
    summary: 'Pay the rows that fit the limits of the profile, in order, instead of none',
  }),
  'allow-duplicates': Flags.boolean({
    summary: 'Pay rows although they have the same amount and account as another payment',
  }),
}

export const concurrencyFlag = (max: number) =>
  numberFlag(`Number of rows to pay at the same time (${concurrencyDefault})`, 1, max)

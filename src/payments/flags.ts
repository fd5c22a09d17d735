// The flags of a payment: its key, what it may cost at the most, and the slot of a schedule that it is for.
import * as Flags from '@oclif/core/flags'
import {badUsage} from '../errors.ts'
import {amountFlag, developerFeeFlags, routeFlags} from '../cli/flags/body-flags.ts'
import {parseUuid} from '../cli/flags/shared.ts'
import {parseInstant} from '../cli/flags/instants.ts'

const feeMaxPattern = /^\d{1,30}(\.\d{1,30})?%?$/

export const paymentFlags = {
  key: Flags.string({
    summary: 'Name of this one payment, for ever; {date}, {month} and {hour} are those of --slot',
    helpValue: 'KEY',
  }),
  customer: Flags.string({
    summary: 'Customer who pays',
    helpValue: 'ID',
    parse: async (text) => parseUuid(text, '--customer'),
  }),
  ...routeFlags,
  amount: amountFlag('How much leaves, in the currency that leaves'),
  ...developerFeeFlags,
  'max-fee': Flags.custom({
    summary: 'Stop if all fees together are more: an amount of the currency that leaves, or a share (1.5%)',
    helpValue: 'AMOUNT|P%',
    parse: async (text) => {
      if (feeMaxPattern.test(text)) return text
      throw badUsage(`--max-fee "${text}" is neither an amount nor a share`, 'Write 2.50, or 1.5%; nothing was sent')
    },
  })(),
  'min-rate': amountFlag('Stop if the exchange rate is lower', 'RATE'),
  'min-received': amountFlag('Stop if less would arrive'),
  guarantee: Flags.boolean({
    summary:
      'Have what arrives guaranteed, or not (--no-guarantee); --min-rate and --min-received ask for it by themselves',
    allowNo: true,
  }),
  slot: Flags.custom<number>({
    summary: 'Instant that {date}, {month} and {hour} in --key stand for, in UTC (now)',
    helpValue: 'WHEN',
    parse: async (text) => parseInstant(text, '--slot'),
  })(),
}

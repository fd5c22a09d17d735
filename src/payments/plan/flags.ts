// The flags of a payment: its key, its route, its limits, and the slot of a schedule.
import * as Flags from '@oclif/core/flags'
import {badUsage} from '../../errors.ts'
import {amountFlag, developerFeeFlags, routeFlags} from '../../cli/flags/body-flags.ts'
import {customerFlag} from '../../cli/flags/shared.ts'
import {feeMaxFormat, parseFeeMax} from '../protocol/limits.ts'
import {type ResolvedKey, type SlotTime, parseZone, resolveKey} from './slots.ts'
import {parseInstant} from '../../values/time.ts'

export const paymentFlags = {
  key: Flags.string({
    summary: 'Unique, permanent name of this payment; {date}, {month} and their like are filled in from --slot',
    helpValue: 'KEY',
  }),
  customer: customerFlag('Customer who pays'),
  ...routeFlags,
  amount: amountFlag('Amount to pay, in the source currency'),
  receive: {
    ...amountFlag('Amount that is to arrive, instead of --amount: svc finds how much to send'),
    exclusive: ['amount', 'min-received'],
  },
  'max-send': amountFlag('With --receive, stop if more than this would be sent, in the source currency'),
  ...developerFeeFlags,
  'max-fee': Flags.custom({
    summary: 'Stop if all fees together exceed this: an amount in the source currency, or a percentage (1.5%)',
    helpValue: 'AMOUNT|P%',
    parse: async (text) => {
      if (parseFeeMax(text)) return text
      throw badUsage(`--max-fee "${text}" is not ${feeMaxFormat}`, 'Write 2.50, or 1.5%; nothing was sent')
    },
  })(),
  'min-rate': amountFlag('Stop if the exchange rate is lower', 'RATE'),
  'min-received': amountFlag('Stop if the amount received would be lower'),
  guarantee: Flags.boolean({
    summary: 'Request a guaranteed amount, or not (--no-guarantee); --min-rate, --min-received and --receive imply it',
    allowNo: true,
  }),
  slot: Flags.custom<number>({
    summary: 'Time for {minute}, {hour}, {date}, {week}, {month} and {quarter} in --key (now)',
    helpValue: 'WHEN',
    parse: async (text) => parseInstant(text, '--slot'),
  })(),
  'slot-zone': Flags.string({
    summary: 'Time zone in which {date} and the like count (UTC)',
    helpValue: 'ZONE',
    parse: async (text) => parseZone(text, '--slot-zone'),
  }),
  early: Flags.boolean({summary: 'Pay a slot of --slot that has not come yet'}),
  'catch-up': Flags.integer({
    summary: 'Pay up to this many missed slots first, oldest first',
    helpValue: 'N',
    min: 1,
  }),
  'allow-duplicates': Flags.boolean({
    summary: 'Pay although the same amount went to the same account under another key a short time ago',
  }),
}

interface SlotFlags {
  slot?: number | undefined
  'catch-up'?: number | undefined
}

// --slot-zone may be set for a whole environment, so it does no harm.
function rejectSlotFlags({slot, 'catch-up': catchUp}: SlotFlags): void {
  const flag = slot === undefined ? catchUp !== undefined && '--catch-up' : '--slot'
  if (!flag) return
  throw badUsage(
    `${flag} is given, but --key has no {date}, {month} or another placeholder`,
    'Put one in; nothing was sent',
  )
}

// Rejects a wrong key, and the flags of a slot if the key has none.
export function resolveKeyFlag(key: string, slot: SlotTime, flags: SlotFlags): ResolvedKey {
  const resolved = resolveKey(key, slot)
  if (resolved.template === undefined) rejectSlotFlags(flags)
  return resolved
}

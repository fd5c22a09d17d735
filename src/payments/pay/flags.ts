// The flags of a payment: its key, its route, its limits, and the slot of a schedule.
import * as Flags from '@oclif/core/flags'
import {badUsage} from '../../errors.ts'
import {amountFlag, developerFeeFlags, routeFlags} from '../../cli/flags/body-flags.ts'
import {customerFlag} from '../../cli/flags/shared.ts'
import {feeMaxFormat, parseFeeMax} from '../protocol/limits.ts'
import {type SlotTime, parseSlot, parseZone, placeholderList, zoneDefault} from './slots.ts'

export const slotZoneFlag = Flags.string({
  summary: 'Time zone in which {date} and the like count (UTC)',
  helpValue: 'ZONE',
  parse: async (text) => parseZone(text, '--slot-zone'),
})

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
  slot: Flags.string({
    summary: `Missed slot to pay, for ${placeholderList} in --key, such as 2026-10 (that of now)`,
    helpValue: 'SLOT',
  }),
  'slot-zone': slotZoneFlag,
  'allow-duplicates': Flags.boolean({
    summary: 'Pay although the same amount went to the same account under another key a short time ago',
  }),
}

interface SlotFlags {
  slot?: string | undefined
  'slot-zone'?: string | undefined
}

export const readSlotFlags = ({slot, 'slot-zone': zone = zoneDefault}: SlotFlags): SlotTime =>
  slot === undefined ? {atMs: Date.now(), zone} : parseSlot(slot, zone)

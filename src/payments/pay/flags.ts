// The flags of a payment: its key, its route, its limits, and the slot of a schedule.
import * as Flags from '@oclif/core/flags'
import {badUsage} from '../../errors.ts'
import {amountFlag, developerFeeFlags, routeFlags} from '../../cli/flags/body-flags.ts'
import {customerFlag} from '../../cli/flags/shared.ts'
import {feeMaxFormat, parseFeeMax} from '../protocol/limits.ts'
import {type SlotTime, parseSlot, parseZone, readZoneTime, zoneDefault} from './slots.ts'

export const slotZoneFlag = Flags.string({
  summary: 'Time zone of {date} and the like (UTC)',
  helpValue: 'ZONE',
  parse: async (text) => parseZone(text, '--slot-zone'),
})

export const paymentFlags = {
  key: Flags.string({
    summary: 'Unique, permanent name, such as rent-{month}',
    helpValue: 'KEY',
  }),
  customer: customerFlag('Customer who pays'),
  ...routeFlags,
  amount: amountFlag('Amount to pay, in the source currency'),
  receive: {
    ...amountFlag('Amount that is to arrive, instead of --amount'),
    exclusive: ['amount', 'min-received'],
  },
  'max-send': amountFlag('With --receive, the most that may be sent'),
  ...developerFeeFlags,
  'max-fee': Flags.custom({
    summary: 'Stop if all fees together exceed this',
    helpValue: 'AMOUNT|P%',
    parse: async (text) => {
      if (parseFeeMax(text)) return text
      throw badUsage(`--max-fee "${text}" is not ${feeMaxFormat}`, 'Write 2.50, or 1.5%; nothing was sent')
    },
  })(),
  'min-rate': amountFlag('Stop if the exchange rate is lower', 'RATE'),
  'min-received': amountFlag('Stop if the amount received would be lower'),
  guarantee: Flags.boolean({
    summary: 'Guaranteed amount (or --no-guarantee); --receive, --min-rate and --min-received imply it',
    allowNo: true,
  }),
  slot: Flags.string({
    summary: 'Missed slot to pay, such as 2026-10 (that of now)',
    helpValue: 'SLOT',
  }),
  'slot-zone': slotZoneFlag,
  'allow-duplicates': Flags.boolean({
    summary: 'Pay the same amount to the same account again',
  }),
}

export interface SlotFlags {
  slot?: string | undefined
  'slot-zone'?: string | undefined
}

export const readSlotFlags = ({slot, 'slot-zone': zone = zoneDefault}: SlotFlags): SlotTime =>
  slot === undefined ? readZoneTime(zone) : parseSlot(slot, zone)

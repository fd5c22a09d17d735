// What people approve of a file of schedules: when each pays, what it pays, and whether others are deleted.
import type {NameAccount} from '../../accounts/account-names.ts'
import type {WarningPolicy} from '../../cli/body/reject-problems.ts'
import type {Approvable} from '../../controls/approvable.ts'
import {
  type ShownItem,
  createField,
  createMark,
  digestContent,
  digestItem,
  listFields,
  listParts,
} from '../../controls/fields.ts'
import type {ApprovalSubject} from '../../controls/statement.ts'
import {chooseShownPayments, describePayees} from '../../payments/controls/describe-payees.ts'
import {createPaymentItem, paymentMatches} from '../../payments/controls/payment-fields.ts'
import {withPaymentContext} from '../../payments/run/open-context.ts'
import {listNextFirings} from '../../values/schedules.ts'
import {readScheduleFile} from './schedule-file.ts'
import {type RowSettings, type WantedSchedule, readScheduleRows} from './schedule-rows.ts'
import {describePays, formatSlot} from './schedule.ts'

const slotsShown = 3

function describeSlots({cron, zone}: WantedSchedule['terms']): string {
  const slots = listNextFirings(cron, Date.now(), slotsShown, zone)
  return slots.length === 0 ? 'no slots' : `next slots ${slots.map(formatSlot).join(', ')}`
}

const kindTexts = {pay: 'one payment', payouts: 'the rows of a payout file'}

// What follows from the fields is only said to people, where the accounts have names.
type ApprovedSchedule = Pick<WantedSchedule, 'terms' | 'rows'>

function createScheduleItem({terms, rows}: ApprovedSchedule, nameAccount?: NameAccount): ShownItem {
  const {name, kind, cron, zone, missed, isPaused, allowsDuplicates, key} = terms
  return {
    get fields() {
      return listFields([
        createField('Name', name),
        createField('Pays', kind, (value) => kindTexts[value], {remark: nameAccount && describePays(terms)}),
        createField('Cron', cron.trim().split(/\s+/).join(' '), (text) => text, {
          remark: nameAccount && describeSlots(terms),
        }),
        createField('Zone', zone),
        createField('Missed slots', missed),
        createMark('Paused', isPaused),
        createMark('Allow duplicates', allowsDuplicates),
        createField('Key of each slot', key),
      ])
    },
    list: {noun: 'row', items: rows.map((row) => createPaymentItem(row, nameAccount)), matchBy: paymentMatches},
  }
}

// What people approve of a file of schedules.
export const createSchedulesContent = (
  schedules: readonly WantedSchedule[],
  prune: boolean,
  nameAccount?: NameAccount,
): ShownItem => ({
  fields: listFields([
    createField('Others', prune, (value) =>
      value ? 'schedules that the file does not have are deleted (--prune)' : 'other schedules stay',
    ),
  ]),
  list: {
    noun: 'schedule',
    items: schedules.map((schedule) => createScheduleItem(schedule, nameAccount)),
    matchBy: [['Name']],
  },
})

export const createSchedulesSubject = (
  serviceId: string,
  schedules: readonly WantedSchedule[],
  {prune}: {prune: boolean},
): ApprovalSubject => ({kind: 'schedules', serviceId, digest: digestContent(createSchedulesContent(schedules, prune))})

// The digests of which that of the file is made, for whoever has to recognize one schedule later.
export const listScheduleParts = (schedules: readonly WantedSchedule[], {prune}: {prune: boolean}): Buffer[] =>
  listParts(createSchedulesContent(schedules, prune))

export const digestSchedule = (schedule: ApprovedSchedule): Buffer => digestItem(createScheduleItem(schedule))

export const listSchedulePayees = (schedules: readonly WantedSchedule[]): string[] =>
  schedules.flatMap(({rows}) => rows.map(({content}) => content.destination.destinationPaymentAccountId))

interface SchedulesReading extends RowSettings {
  prune: boolean
  warningPolicy: WarningPolicy
  isAll: boolean
}

// Reads a file of schedules for those who approve it, with the payments of each.
export async function readApprovableSchedules(file: string, reading: SchedulesReading): Promise<Approvable> {
  const {traits, connect, prune, warningPolicy, isAll} = reading
  const {serviceId} = traits
  const schedules = await readScheduleRows(await readScheduleFile(file, warningPolicy), reading)
  const rows = schedules.flatMap((schedule) => schedule.rows)
  const shown = schedules.flatMap((schedule) => chooseShownPayments(schedule.rows, isAll))
  const {facts, nameAccount} = await withPaymentContext({traits, connect, isOnlyRead: true}, ({client, journal}) =>
    describePayees({serviceId, client, journal, isAll}, rows, shown),
  )
  return {
    subject: createSchedulesSubject(serviceId, schedules, {prune}),
    name: file,
    file,
    facts: [{label: 'Schedules', lines: [String(schedules.length)], compared: String(schedules.length)}, ...facts],
    content: createSchedulesContent(schedules, prune, nameAccount),
  }
}

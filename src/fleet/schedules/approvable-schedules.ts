// What people approve of a file of schedules: when each pays, what it pays, and whether others are deleted.
import type {WarningPolicy} from '../../cli/body/reject-problems.ts'
import {type Approvable, limitLines} from '../../controls/approvable.ts'
import {type ApprovalSubject, digestPart, digestParts} from '../../controls/statement.ts'
import {digestPayment} from '../../payments/controls/approve-plan.ts'
import {readScheduleFile} from './schedule-file.ts'
import {type RowSettings, type WantedSchedule, readScheduleRows} from './schedule-rows.ts'
import {describePays} from './schedule.ts'

function digestSchedule({terms, rows}: WantedSchedule): Buffer {
  const {name, kind, cron, zone, missed, isPaused, allowsDuplicates, key} = terms
  const content = digestParts(rows.map(digestPayment))
  return digestPart({
    name,
    kind,
    cron: cron.trim().split(/\s+/),
    zone,
    missed,
    isPaused,
    allowsDuplicates,
    key,
    content,
  })
}

export const createSchedulesSubject = (
  serviceId: string,
  schedules: readonly WantedSchedule[],
  {prune}: {prune: boolean},
): ApprovalSubject => ({
  kind: 'schedules',
  serviceId,
  digest: digestParts([...schedules.map(digestSchedule), digestPart({prune})]),
})

export const listSchedulePayees = (schedules: readonly WantedSchedule[]): string[] =>
  schedules.flatMap(({rows}) => rows.map(({content}) => content.destination.destinationPaymentAccountId))

const describeTerms = ({terms}: WantedSchedule) =>
  [
    `${describePays(terms)} at ${terms.cron} in ${terms.zone}`,
    `missed slots: ${terms.missed}`,
    ...(terms.isPaused ? ['paused'] : []),
  ].join(', ')

const schedulesShownMax = 12

function describeSchedules(
  serviceId: string,
  schedules: readonly WantedSchedule[],
  {file, prune}: {file: string; prune: boolean},
): Approvable {
  const entries = schedules.map((schedule) => [schedule.terms.name, describeTerms(schedule)] as const)
  return {
    subject: createSchedulesSubject(serviceId, schedules, {prune}),
    name: file,
    file,
    facts: [
      {label: 'Schedules', lines: [String(schedules.length)]},
      {
        label: 'They pay',
        lines: limitLines(
          entries.map(([name, text]) => `${name}: ${text}`),
          schedulesShownMax,
        ),
      },
      {
        label: 'Others',
        lines: [prune ? 'schedules that the file does not have are deleted (--prune)' : 'other schedules stay'],
      },
    ],
    snapshot: Object.fromEntries(entries),
  }
}

// Reads a file of schedules for those who approve it, with the payments of each.
export async function readApprovableSchedules(
  file: string,
  {prune, warningPolicy, ...settings}: RowSettings & {prune: boolean; warningPolicy: WarningPolicy},
): Promise<Approvable> {
  const schedules = await readScheduleRows(await readScheduleFile(file, warningPolicy), settings)
  return describeSchedules(settings.traits.serviceId, schedules, {file, prune})
}

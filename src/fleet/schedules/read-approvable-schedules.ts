// Reads a file of schedules for those who approve it, with the payments of each.
import type {Approvable} from '../../controls/approvable.ts'
import type {WarningPolicy} from '../../cli/body/accept-warnings.ts'
import {describeSchedules} from './approvable-schedules.ts'
import {readScheduleFile} from './schedule-file.ts'
import {type RowSettings, readScheduleRows} from './schedule-rows.ts'

export async function readApprovableSchedules(
  file: string,
  {prune, warningPolicy, ...settings}: RowSettings & {prune: boolean; warningPolicy: WarningPolicy},
): Promise<Approvable> {
  const schedules = await readScheduleRows(await readScheduleFile(file, warningPolicy), settings)
  return describeSchedules(settings.traits.serviceId, schedules, {file, prune})
}

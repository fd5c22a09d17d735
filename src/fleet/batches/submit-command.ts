// Submits a file for a profile: what is unusual about its rows is checked as `svc payouts run` does.
import type {Client} from '../../client/client.ts'
import type {Connection} from '../../client/connection.ts'
import {interrupted} from '../../errors.ts'
import type {ApprovalSubject} from '../../controls/statement.ts'
import {getCoolDownRules} from '../../payments/controls/approve-plan.ts'
import {rejectControlsUnlikeJournal} from '../../payments/controls/recorded-controls.ts'
import {requireFileApproval} from '../../payouts/file/approve-file.ts'
import {checkFile} from '../../payouts/file/check-file.ts'
import {describeChangedRows, isCreated} from '../../payouts/run/journal-state.ts'
import {type OpenBatch, openBatch} from '../../payouts/run/open-batch.ts'
import {listDuplicates, toStoppedResult} from '../../payouts/run/row-stop.ts'
import {rejectRowsElsewhere} from '../../payouts/file/rows-elsewhere.ts'
import {readValidPayouts, rejectWrongRows} from '../../payouts/file/reject-whole-file.ts'
import type {Caller} from '../../profiles/caller.ts'
import type {ServiceTraits} from '../../profiles/service-traits.ts'
import type {StoredRow} from './batch-rows.ts'
import {openBoss} from './boss.ts'
import type {FleetDatabase} from './open-fleet.ts'
import {setRateMax} from '../work/pace.ts'
import {type RowTotals, type Submitted, submitFile} from './submit.ts'

export interface SubmitSettings {
  fleet: FleetDatabase
  caller: Caller
  traits: ServiceTraits
  file: string
  name: string
  rateMax?: number | null | undefined
  isUpToCap: boolean
  allowsDuplicates: boolean
  // Whether a person can be asked about duplicates.
  canAsk: boolean
  notice: (text: string) => void
  // Asks for a yes if one is needed.
  confirm: (words: string) => Promise<void>
  connect: (onReply: NonNullable<Connection['onReply']>) => Promise<Client>
}

const describeTotals = ({rowCount, sums}: RowTotals) =>
  `${rowCount} ${rowCount === 1 ? 'payment' : 'payments'}, ${sums.map(({amount, currency}) => `${amount} ${currency}`).join(', ')}, by the workers of the fleet.`

async function refuseDuplicates(
  {canAsk, notice}: SubmitSettings,
  batch: OpenBatch,
  check: Awaited<ReturnType<typeof checkFile>>,
) {
  const {refusal, duplicates} = check
  if (!refusal) return
  if (!refusal.isAboutDuplicates || !canAsk) throw refusal.error
  for (const line of listDuplicates(duplicates, batch.rows)) notice(line)
  const {askYes} = await import('../../cli/prompts/ask.ts')
  if (!(await askYes('Pay them as further payments?'))) throw interrupted()
}

// All rows at once, with what the journal and the limits say about them.
async function checkWhole(settings: SubmitSettings): Promise<StoredRow[]> {
  const {caller, traits, file, notice, connect} = settings
  const {rows, remarks} = await readValidPayouts(file, async () => ({traits, connect}))
  for (const remark of remarks) notice(remark)
  const batch = await openBatch({traits, rows, spending: caller.spending, connect})
  try {
    await rejectWrongRows(file, batch)
    await rejectRowsElsewhere(file, batch)
    const duplicateWindowMs = settings.allowsDuplicates ? 0 : caller.duplicateWindowMs
    const approval = await requireFileApproval({...batch, caller, traits, file})
    const coolDown = getCoolDownRules(caller, approval)
    const check = await checkFile(batch, {isUpToCap: settings.isUpToCap, duplicateWindowMs, coolDown}, false)
    await refuseDuplicates(settings, batch, check)
    for (const line of describeChangedRows(batch.journalState, false)) notice(line)
    const stopped = new Map(check.overLimit.map((stop) => [stop.row.key, toStoppedResult(stop)]))
    return batch.rows.map((row) => ({
      row,
      wasMadeBefore: isCreated(row, batch.journalState),
      result: stopped.get(row.key),
    }))
  } finally {
    await batch.context.close()
  }
}

async function requireBatchApproval(
  {caller, traits, file}: SubmitSettings,
  subject: ApprovalSubject,
  sums: RowTotals['sums'],
): Promise<void> {
  const {requireApproval} = await import('../../payments/controls/require-approval.ts')
  await requireApproval({caller, journal: traits.journal, subject, sums, file})
}

export async function submit(settings: SubmitSettings): Promise<Submitted> {
  const {fleet, caller, traits, file, name, rateMax} = settings
  const {database} = fleet
  await rejectControlsUnlikeJournal(caller, traits)
  const boss = await openBoss(database)
  let isConfirmed = false
  try {
    const submitted = await submitFile({
      boss,
      database,
      serviceId: traits.serviceId,
      file,
      name,
      spending: caller.spending ?? {},
      duplicateWindowMs: settings.allowsDuplicates ? 0 : caller.duplicateWindowMs,
      hasCoolDown: (caller.coolDownMs ?? 0) > 0,
      requireApproval: caller.approvals && ((subject, {sums}) => requireBatchApproval(settings, subject, sums)),
      checkWhole: () => checkWhole(settings),
      async confirm(totals) {
        if (!isConfirmed) await settings.confirm(describeTotals(totals))
        isConfirmed = true
      },
    })
    if (rateMax !== undefined) await setRateMax(database, traits.serviceId, rateMax ?? undefined)
    return submitted
  } finally {
    await boss.stop({graceful: false})
  }
}

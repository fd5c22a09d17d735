// Tells a person that an approval is asked for, when something was refused without it.
import {SvcError} from '../../errors.ts'
import type {Notifier} from '../../notifications/notifier.ts'

// Runs the work and returns its result. A refusal for want of approvals is reported, and thrown again.
export async function withApprovalNotice<T>(
  open: () => Promise<Notifier | undefined>,
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof SvcError) || error.error !== 'NOT_APPROVED') throw error
    const [{isNotApproved}, {notifyNotApproved}] = await Promise.all([
      import('../../controls/check-approvals.ts'),
      import('../../notifications/notify-not-approved.ts'),
    ])
    if (isNotApproved(error)) notifyNotApproved(await open(), error, {name})
    throw error
  }
}

// Runs `svc pay --dry-run`: shows the price, what would stop the payment, and what a run would do first.
import type {Result} from '../../cli/output/result.ts'
import {announceMissedSlots} from '../plan/missed-slots.ts'
import {type PayRun, buildOrder, withRunContext} from './pay-run.ts'
import {toQuoteResult} from './notices.ts'
import {rehearse} from './rehearse.ts'
import {reportPayment} from './report-payment.ts'
import type {ResolvedKey} from '../plan/slots.ts'

const withinLimitsNotice = 'No limit would stop it; nothing was sent.'

export function rehearseRun(payRun: PayRun, key: ResolvedKey): Promise<Result> {
  return withRunContext(payRun, payRun.timeoutMs, async (context) => {
    const order = buildOrder(payRun, key)
    await announceMissedSlots(context, payRun)
    const rehearsed = await rehearse(context, order, key, payRun.quote)
    if ('made' in rehearsed) return reportPayment(context, {...payRun, wait: false}, rehearsed.made, key)
    const {quote, stop, findings} = rehearsed
    for (const finding of findings) payRun.terminal.notice(finding)
    if (!stop) payRun.terminal.notice(withinLimitsNotice)
    return toQuoteResult(context, order, quote, stop)
  })
}

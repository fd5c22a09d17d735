// Finds the drafts of `svc pay` whose key was paid meanwhile, by another run or from a file. Nobody should go on with them: under
// another key, that would be a second payment.
import {toText} from '../../cli/output/view.ts'
import type {Body} from '../../values/body-paths.ts'
import {SvcError} from '../../errors.ts'
import {type ServiceOfEntries, findPaidKeys} from '../journal/entries.ts'

export const payDraftCommand = 'pay'

interface Draft {
  command?: string
  body: Body
}

// A key with placeholders is another payment every day.
const getKey = ({command = payDraftCommand, body}: Draft): string => {
  const key = command === payDraftCommand ? toText(body['key']) : ''
  return /[{}]/.test(key) ? '' : key
}

// A journal that cannot be read is reported by whoever pays.
export async function splitPaidDrafts<D extends Draft>(
  drafts: readonly D[],
  service: ServiceOfEntries & {serviceId: string},
): Promise<{paid: D[]; open: D[]}> {
  const keys = [...new Set(drafts.map(getKey))].filter((key) => key !== '')
  const paidKeys = await findPaidKeys(service, keys).catch((error: unknown) => {
    if (error instanceof SvcError) return new Set<string>()
    throw error
  })
  const isPaid = (draft: D) => paidKeys.has(getKey(draft))
  return {paid: drafts.filter(isPaid), open: drafts.filter((draft) => !isPaid(draft))}
}

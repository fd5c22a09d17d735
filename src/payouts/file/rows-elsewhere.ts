// Stops a payout file whose rows the journal has under the id of another service, before the first row is sent.
import {SvcError} from '../../errors.ts'
import type {PaymentContext} from '../../payments/protocol/context.ts'
import {describeChoice, findPaidElsewhere} from '../../payments/protocol/paid-elsewhere.ts'
import type {Payment} from '../../payments/protocol/payment.ts'
import {getDisplayName} from './payout-file.ts'
import type {PayoutRow} from './rows.ts'

const rowsShownMax = 10

export interface FileOfService {
  context: PaymentContext
  serviceId: string
  rows: readonly PayoutRow[]
}

export async function rejectRowsElsewhere(file: string, {context, serviceId, rows}: FileOfService): Promise<void> {
  const found: Array<Pick<PayoutRow, 'line' | 'key'> & {payments: Payment[]}> = []
  for (const {line, key, content} of rows) {
    const payments = await findPaidElsewhere(context, {serviceId, key, content})
    if (payments.length > 0) found.push({line, key, payments})
  }
  if (found.length === 0) return
  const services = rankServices(found.flatMap(({payments}) => payments.map((payment) => payment.serviceId)))
  const shown = found.slice(0, rowsShownMax).map(({line, key, payments}) => {
    const places = payments.map(({serviceId: id, state}) => `${state} at ${id}`)
    return `line ${line}: ${key} is ${places.join(', ')}`
  })
  const more = found.length - shown.length
  throw new SvcError({
    error: 'KEY_AT_OTHER_SERVICE',
    kind: 'usage',
    message: `The journal has ${found.length} of the ${rows.length} rows of ${getDisplayName(file)} with the same content at ${services.join(', ')}, which may be the same service as ${serviceId}`,
    hint: describeChoice(context, services[0] ?? '', serviceId),
    problems: [...shown, ...(more > 0 ? [`… and ${more} more`] : [])],
  })
}

// The one with the most rows comes first.
const rankServices = (ids: readonly string[]) =>
  [...Map.groupBy(ids, (id) => id)].toSorted(([, one], [, other]) => other.length - one.length).map(([id]) => id)

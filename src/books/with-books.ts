// Opens the journal and the service, collects the books of a period, and closes everything when the work is done.
import {startProgress} from '../cli/output/progress.ts'
import {type PaymentContextSettings, withPaymentContext} from '../payments/run/open-context.ts'
import type {Books} from './books.ts'
import {collectBooks} from './collect.ts'
import type {Period} from './period.ts'

interface BooksSettings extends Pick<PaymentContextSettings, 'traits' | 'connect' | 'timeoutMs'> {
  period: Period
  customerId?: string | undefined
}

export async function withBooks<T>(settings: BooksSettings, work: (books: Books) => Promise<T>): Promise<T> {
  const {traits, connect, timeoutMs, period, customerId} = settings
  const progress = startProgress()
  const collect = () =>
    withPaymentContext({traits, connect, timeoutMs, isOnlyRead: true}, (context) =>
      collectBooks({
        context,
        serviceId: traits.serviceId,
        period,
        customerId,
        onRead: (count) => progress.report(`${count} transactions read…`),
      }),
    )
  const books = await collect().finally(() => progress.end())
  try {
    return await work(books)
  } finally {
    books.close()
  }
}

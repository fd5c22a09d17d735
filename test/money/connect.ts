// Connects the payment protocol to a service of a test, and names what it pays there.
import {createClient} from '../../src/client/client.ts'
import type {Fetch} from '../../src/client/http.ts'
import {createServerClock} from '../../src/payments/protocol/clock.ts'
import {SqliteJournal} from '../../src/payments/journal/sqlite/sqlite-journal.ts'
import type {PaymentContent} from '../../src/payments/protocol/payment.ts'
import {createService} from '../../src/payments/protocol/service.ts'

// Has no file, and so nothing to sync.
export class JournalInMemory extends SqliteJournal {
  protected override async sync(): Promise<void> {}
}

export const serviceId = 'https://service.example'

export const content: PaymentContent = {
  customerId: '00000000-0000-4000-8000-000000000001',
  source: {
    sourcePaymentAccountId: 'wallet',
    sourceCurrency: 'USDC',
    sourcePaymentMethod: 'SOLANA',
    sourceAmount: '12.34',
  },
  destination: {
    destinationPaymentAccountId: 'savings',
    destinationPaymentMethod: 'SOLANA',
    destinationCurrency: 'USDC',
  },
}

export function connect(
  fetch: Fetch,
  now: () => number,
  {
    baseUrl = 'http://localhost',
    requestTimeoutMs = 30_000,
    ticks = now,
  }: {baseUrl?: string; requestTimeoutMs?: number; ticks?: () => number} = {},
) {
  const clock = createServerClock(now, ticks)
  const client = createClient({
    baseUrl,
    fetch,
    credential: async () => 'test-key',
    renewable: false,
    callerLabel: 'the test',
    gate: {enforce: () => {}},
    userAgent: 'svc/test',
    requestTimeoutMs,
    retriesReads: false,
    onReply: ({headers}) => clock.observeDate(headers.get('date')),
  })
  return {clock, client, service: createService(client)}
}

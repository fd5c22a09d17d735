// Counts the requests of a service that got no reply. Failed replies are counted where they arrive.
import {SvcError} from '../../errors.ts'
import type {Service} from './service.ts'

const hasNoReply = (error: unknown) =>
  error instanceof SvcError &&
  error.statusCode === undefined &&
  (error.kind === 'unreachable' || error.kind === 'unknownOutcome')

export function countMissingReplies(service: Service, onMissing: () => void): Service {
  const watch = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      if (hasNoReply(error)) onMissing()
      throw error
    }
  }
  return {
    quote: (content, isGuaranteed) => watch(service.quote(content, isGuaranteed)),
    send: (bytes, idempotencyKey) => watch(service.send(bytes, idempotencyKey)),
    async *transactions(customerId, options) {
      const pages = service.transactions(customerId, options)[Symbol.asyncIterator]()
      for (;;) {
        const {done, value} = await watch(pages.next())
        if (done) return
        yield value
      }
    },
  }
}

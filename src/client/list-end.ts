// Lists that may go on after their last page, because the service names its page token in a way that svc does not know.
import {SvcError} from '../errors.ts'

const cutSigns = new WeakMap<object, string>()

export const setCutSign = (page: object, sign: string): void => void cutSigns.set(page, sign)

// The field because of which a page may not be the last one of its list, though it has no token (docs/assumptions.md, L9).
export const getCutSign = (page: object): string | undefined => cutSigns.get(page)

export const describeCutSign = (sign: string) =>
  `the service sent no nextPageToken, but ${sign}, which may mean that the list goes on`

const cutListCode = 'LIST_MAY_BE_CUT'

export const isCutList = (error: unknown): error is SvcError => error instanceof SvcError && error.error === cutListCode

const hint =
  'Ask the operator of the service how its lists are paged; `svc doctor` shows how it differs from the interface'

// For a list that was printed although it may be incomplete.
export const createIncompleteList = (printed: string, sign: string): SvcError =>
  new SvcError({
    error: cutListCode,
    kind: 'finding',
    message: `The list may be incomplete, with ${printed}: ${describeCutSign(sign)}`,
    hint,
  })

// For callers that rely on the whole list.
export function rejectCutList(page: object): void {
  const sign = getCutSign(page)
  if (sign === undefined) return
  throw new SvcError({
    error: cutListCode,
    kind: 'unreachable',
    message: `The list may be incomplete: ${describeCutSign(sign)}`,
    hint,
  })
}

// Offers the answers of an earlier, unfinished run of the same command.
import type {Body} from '../body/assignments.ts'
import {cleanText} from '../output/clean.ts'
import {formatDuration, minuteMs} from '../../values/time.ts'
import {pick} from '../prompts/pick.ts'
import {DraftFile, type DraftScope, type KeptDraft, listDrafts} from './draft-store.ts'

export interface ClaimedDraft {
  draft: KeptDraft
  file: DraftFile
}

interface Offer {
  // Says what the answers are about, such as the name of a business; may be empty.
  describe: (body: Body) => string
  // Whether the answers fit what was given this time.
  isFitting?: (body: Body) => boolean
}

const countAnswers = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce<number>((sum, inner) => sum + countAnswers(inner), 0)
    : 1

function describeAge(savedAtMs: number): string {
  const ageMs = Date.now() - savedAtMs
  return ageMs < minuteMs ? 'just now' : `${formatDuration(Math.floor(ageMs / minuteMs) * minuteMs)} ago`
}

function describeDraft({body, savedAtMs, at, isSending}: KeptDraft, {describe}: Offer): string {
  const count = countAnswers(body)
  return [
    describe(body),
    count === 1 ? '1 answer' : `${count} answers`,
    describeAge(savedAtMs),
    isSending ? 'it may have been sent already: check first' : at ? `left at “${at.label}”` : 'complete, not sent',
  ]
    .filter((part) => part !== '')
    .map(cleanText)
    .join(', ')
}

// A folder that cannot be written must not keep anybody from answering the questions anew.
function claimIfPossible(scope: DraftScope, draft: KeptDraft): DraftFile | undefined {
  try {
    return DraftFile.claim(scope, draft)
  } catch {
    return undefined
  }
}

type Action = {continue: ClaimedDraft} | 'keep' | 'delete'

// Returns the draft to continue, or undefined to start anew. Drafts of wizards that still run are not offered.
export async function offerDraft(scope: DraftScope, offer: Offer): Promise<ClaimedDraft | undefined> {
  const claimed = listDrafts(scope)
    .filter(({body}) => offer.isFitting?.(body) ?? true)
    .flatMap((draft): ClaimedDraft[] => {
      const file = claimIfPossible(scope, draft)
      return file ? [{draft, file}] : []
    })
  if (claimed.length === 0) return undefined
  const [them, question] =
    claimed.length === 1
      ? ['it', 'Go on with your draft?']
      : ['them', `Go on with one of your ${claimed.length} drafts?`]
  let action: Action = 'keep'
  try {
    action = await pick<Action>(question, [
      ...claimed.map((each) => ({
        name: `Go on: ${describeDraft(each.draft, offer)}`,
        short: 'go on',
        value: {continue: each},
      })),
      {name: `Start anew, and keep ${them} for later`, short: 'start anew', value: 'keep'},
      {name: `Start anew, and delete ${them}`, short: 'start anew, draft deleted', value: 'delete'},
    ])
  } finally {
    const chosen = typeof action === 'object' ? action.continue : undefined
    for (const each of claimed) {
      if (each === chosen) continue
      if (action === 'delete') each.file.remove()
      else each.file.release()
    }
  }
  return typeof action === 'object' ? action.continue : undefined
}

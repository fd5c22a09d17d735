// Runs a probe: makes the tries that have no result yet, waits where they need time, and reads the list at the end.
import {getNextPageToken} from '../client/paging.ts'
import {SvcError} from '../errors.ts'
import {listLagDefaultMs} from '../profiles/service-knowledge.ts'
import {type ProbeContext, requireTime} from './context.ts'
import {
  classifyTry,
  findTransactionId,
  getListMargin,
  hasLostReply,
  hasSpentNothing,
  needsControl,
  provokeErrors,
} from './outcomes.ts'
import {ListWatch, canReach, getWaitMs, isFound, waitFor} from './list-watch.ts'
import {
  type FirstName,
  type Moment,
  type ProbeState,
  type SentTry,
  type TryKind,
  controlTry,
  firstTries,
  followingTries,
  isLater,
} from './probe-state.ts'
import {release, requestQuote, sendTry} from './send-try.ts'

// How long a transaction is looked for in the list.
const lookMaxMs = 10 * 60_000
const lookQuickMaxMs = 60_000
// How long after the last reply the list is read for the last time, at least: a service may carry out a request late.
const lastLookMs = 30_000
// How long the first transaction is looked for in this run if its reply was lost.
const lookFirstMaxMs = 60_000

// A try counts if it has all of its replies, or if it is known what it created.
const isDone = (state: ProbeState, sent: SentTry) => !hasLostReply(sent) || 'outcome' in classifyTry(state, sent)

// One second transaction settles all tries of its subject.
function needsTry(state: ProbeState, {name, subject}: TryKind): boolean {
  if (state.tries.some((sent) => sent.name === name && isDone(state, sent))) return false
  const names = new Set(followingTries.filter((kind) => kind.subject === subject).map((kind) => kind.name))
  return !state.tries.some((sent) => {
    const result = names.has(sent.name) && classifyTry(state, sent)
    return result && 'outcome' in result && result.outcome === 'created'
  })
}

// The tries that are still to be made.
export const listOpenTries = (state: ProbeState, isQuick: boolean): TryKind[] =>
  followingTries.filter((kind) => !(isQuick && isLater(kind)) && needsTry(state, kind))

// The index of a first transaction that a try can refer to.
function findFirst(context: ProbeContext, name: FirstName, moment: Moment): number {
  const {state} = context
  return state.tries.findLastIndex(
    (sent) => sent.name === name && findTransactionId(state, sent) !== undefined && canReach(context, moment, sent),
  )
}

// The first transactions that the open tries need, for the announcement.
export function listNeededFirstTries(context: ProbeContext): FirstName[] {
  const open = listOpenTries(context.state, context.isQuick)
  const needed = open.flatMap(({first, moment}) => (first && findFirst(context, first, moment) === -1 ? [first] : []))
  return [...new Set(needed)]
}

// An ordinary transaction at the end shows that earlier rejections had no other cause, and how long the list lags.
export const needsControlTry = (state: ProbeState): boolean =>
  state.listLagMs === undefined || state.tries.some((sent) => needsControl(state, sent))

class ProbeRun {
  readonly #context: ProbeContext
  readonly #list: ListWatch

  constructor(context: ProbeContext) {
    this.#context = context
    this.#list = new ListWatch(context)
  }

  async run(): Promise<void> {
    const {state, isQuick} = this.#context
    await this.#lookForLost()
    await provokeErrors(this.#context)
    const open = listOpenTries(state, isQuick)
    await this.#keepOldQuote(open)
    let moment: Moment = 'now'
    for (const kind of open) {
      if (kind.moment !== moment) await checkPageToken(this.#context)
      moment = kind.moment
      // An earlier try of this run may have settled it.
      if (needsTry(state, kind)) await this.#try(kind)
    }
    await this.#finish()
  }

  // An interrupted run may have left requests without a reply. What the list shows of them is certain.
  async #lookForLost(): Promise<void> {
    const {state, time} = this.#context
    const now = time.now()
    for (const sent of state.tries) {
      if (sent.answeredAt !== undefined && now - sent.answeredAt < lookMaxMs) this.#list.expect(sent)
    }
    const lost = state.tries.filter((sent) => hasLostReply(sent) && !isFound(state, sent))
    if (state.tries.length === 0) return
    await this.#list.read({isComplete: true})
    // As long as the list may lag, they may still appear, and must not be made a second time.
    const lagMs = getListMargin(state) ?? listLagDefaultMs
    const lookMs = Math.max(0, ...lost.map(({armedAt}) => armedAt + lagMs - time.now()))
    await this.#look('requests that had no reply', () => lost.some((sent) => !isFound(state, sent)), lookMs)
  }

  async #look(words: string, isMissing: () => boolean, limitMs: number): Promise<void> {
    const {time} = this.#context
    const endsAt = time.now() + limitMs
    let pauseMs = 1_000
    while (isMissing() && time.now() < endsAt) {
      requireTime(this.#context)
      this.#context.report(words, endsAt)
      await time.sleep(Math.min(pauseMs, endsAt - time.now()))
      pauseMs = Math.min(15_000, pauseMs * 2)
      await this.#list.read({isComplete: false})
    }
  }

  // The quote that is left to expire is requested first, so that it expires while the others are tried.
  async #keepOldQuote(open: readonly TryKind[]): Promise<void> {
    const {state, save, time} = this.#context
    if (state.oldQuote || !open.some(({moment}) => moment === 'expired')) return
    const {quoteId, expiresAt} = await requestQuote(this.#context)
    if (expiresAt === undefined) return
    state.oldQuote = {quoteId, expiresAt, takenAt: time.now()}
    save()
  }

  async #try(kind: TryKind): Promise<void> {
    const obstacle = await this.#tryUnlessHindered(kind)
    if (obstacle !== undefined) this.#context.obstacles[kind.subject] ??= obstacle
  }

  // Returns what hinders it.
  async #tryUnlessHindered(kind: TryKind): Promise<string | undefined> {
    const {state} = this.#context
    if (kind.name === 'expired' && !state.oldQuote) return 'quotes do not say when they expire'
    const first = kind.first ? await this.#requireFirst(kind.first, kind.moment) : -1
    if (first === undefined) return 'there was no first transaction to refer to'
    const firstSent = state.tries[first]
    const isReached = await waitFor(this.#context, this.#list, kind.words, () =>
      getWaitMs(this.#context, kind.moment, firstSent),
    )
    if (!isReached) return 'the clock of the service stands still'
    if (firstSent && kind.uses.quote && !canReach(this.#context, 'now', firstSent)) return 'the quote expired too soon'
    await this.#send(kind, first)
    return undefined
  }

  // Undefined if there is none, and this run has already tried to make one.
  async #requireFirst(name: FirstName, moment: Moment): Promise<number | undefined> {
    const {tried, state} = this.#context
    const known = findFirst(this.#context, name, moment)
    if (known !== -1) return known
    if (tried.has(name)) return undefined
    const sent = await this.#send(firstTries[name], -1)
    const [reply] = sent.replies
    if (reply?.kind === 'rejected') throw createRejectedError(reply)
    if (reply?.kind === 'lost') {
      await this.#look('the first transaction, whose reply was lost', () => !isFound(state, sent), lookFirstMaxMs)
    }
    const index = findFirst(this.#context, name, moment)
    return index === -1 ? undefined : index
  }

  async #send(kind: TryKind, first: number): Promise<SentTry> {
    const sent = await sendTry(this.#context, kind, first)
    this.#list.expect(sent)
    await this.#list.read({isComplete: false})
    return sent
  }

  // The last complete read of the list comes so late that it would show every transaction.
  async #finish(): Promise<void> {
    const {state, isQuick, time, save, tried} = this.#context
    if (state.tries.length === 0) return
    const lookMs = isQuick ? lookQuickMaxMs : lookMaxMs
    await this.#look('until the transactions are listed', () => this.#list.isWaiting, lookMs)
    if (needsControlTry(state) && !tried.has('control')) {
      await this.#send(controlTry, -1)
      await this.#look('until the transactions are listed', () => this.#list.isWaiting, lookMs)
    }
    if (this.#list.isWaiting) state.listLagOverMs = Math.max(state.listLagOverMs ?? 0, this.#list.missingMs)
    else delete state.listLagOverMs
    const lastAt = Math.max(...state.tries.map(({answeredAt}) => answeredAt ?? 0))
    const marginMs = getListMargin(state)
    if (marginMs !== undefined) {
      const waitMs = Math.max(marginMs, isQuick ? 0 : lastLookMs)
      await this.#look('the list once more', () => time.now() < lastAt + waitMs, waitMs)
    }
    await checkPageToken(this.#context)
    await this.#list.read({isComplete: true})
    await this.#releaseUnspent()
    save()
  }

  async #releaseUnspent(): Promise<void> {
    const {state} = this.#context
    for (const sent of state.tries) {
      if (sent.isReleased || !hasSpentNothing(state, sent)) continue
      await release(this.#context, sent)
      sent.isReleased = true
    }
  }
}

const createRejectedError = ({statusCode, error}: {statusCode: number; error: string}) =>
  new SvcError({
    error,
    kind: 'refused',
    message: `The service rejected an ordinary transaction (${statusCode} ${error}), so nothing more can be tried`,
    hint: 'Name other accounts with --restart, or check the balance of the one that pays',
    statusCode,
  })

export const runProbe = (context: ProbeContext): Promise<void> => new ProbeRun(context).run()

// How long a page token works, as far as it can be seen in the time that a probe takes.

// The smallest page, so that two transactions are enough for a token.
const pageSize = 1

// Takes a token the first time, and uses the same one again each time after that, until the service rejects it.
async function checkPageToken({client, state, time, save}: ProbeContext): Promise<void> {
  const {customerId} = state.content
  const known = state.pageToken
  if (known?.diedAfterMs !== undefined) return
  try {
    if (known) {
      const ageMs = time.now() - known.takenAt
      await client.transactions.list({customerId, pageSize, pageToken: known.token})
      known.lifeMs = Math.max(ageMs, known.lifeMs ?? 0)
    } else {
      const token = getNextPageToken(await client.transactions.list({customerId, pageSize}))
      if (token !== undefined) state.pageToken = {token, takenAt: time.now()}
    }
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    // Only a rejection says something about the token.
    if (known && error.kind === 'refused') known.diedAfterMs = time.now() - known.takenAt
  }
  save()
}

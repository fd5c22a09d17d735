// Keeps the answers of a wizard from the first one on, and knows how to go on with them later.
import {getSystemCode} from '../../errors.ts'
import type {Body} from '../body/assignments.ts'
import {withValue} from './body-paths.ts'
import type {DraftFile, DraftPosition} from './draft-store.ts'
import {printText} from './print.ts'
import type {Answers} from './steps.ts'

export interface KeeperSettings {
  // Where the answers are kept; undefined if the user wants no draft.
  file: DraftFile | undefined
  // The command that offers the answers again, such as `svc customers create`.
  command: string
  // Fields of the draft that this version does not know, by their paths. They are kept, and not sent.
  unknownFields?: Readonly<Record<string, unknown>> | undefined
}

export interface Keeper {
  readonly command: string
  // Whether answers are kept at all.
  readonly canKeep: boolean
  // Called before each question with the answers so far. Nothing is kept before the first answer.
  keep(answers: Answers, at: DraftPosition | undefined): void
  // What the wizard decided before its questions.
  setContext(context: unknown): void
  hasAnswers(): boolean
  isKept(): boolean
  // How to go on with the answers, as a hint; undefined if there are none, or they were released, which was said then.
  describeContinuation(): string | undefined
  markSending(isSending: boolean): void
  // Deletes the answers: they were sent, or are not wanted.
  discard(): void
  // Leaves the answers to a later wizard.
  release(): void
}

const describeFailure = (error: unknown) =>
  getSystemCode(error) ?? (error instanceof Error ? error.message : String(error))

export function createKeeper({file, command, unknownFields = {}}: KeeperSettings): Keeper {
  let start: Answers | undefined
  let context: unknown
  let hasAnswers = file?.isSaved ?? false
  let hasFailed = false
  let isReleased = false
  const restoreUnknown = (body: Body) =>
    Object.entries(unknownFields).reduce((whole, [path, value]) => withValue(whole, path, value), body)
  // The wizard goes on without a draft, so that a full disk does not end it.
  const attempt = (write: () => void) => {
    try {
      write()
    } catch (error) {
      if (!hasFailed) {
        printText(`The answers cannot be kept (${describeFailure(error)}): Ctrl-S saves them to a file.`)
      }
      hasFailed = true
    }
  }
  const isKept = () => file !== undefined && file.isSaved && !hasFailed
  return {
    command,
    canKeep: file !== undefined,
    keep(answers, at) {
      start ??= answers
      hasAnswers ||= answers !== start
      if (!hasAnswers || !file) return
      attempt(() => {
        file.save({body: restoreUnknown(answers.body), forks: answers.forks, at, context})
        hasFailed = false
      })
    },
    setContext(value) {
      context = value
    },
    hasAnswers: () => hasAnswers,
    isKept,
    describeContinuation: () =>
      isKept() && !isReleased ? `Your answers are kept: \`${command}\` offers to go on with them` : undefined,
    markSending: (isSending) => attempt(() => file?.markSending(isSending)),
    discard() {
      attempt(() => file?.remove())
      start = undefined
      hasAnswers = false
    },
    release() {
      isReleased = true
      attempt(() => file?.release())
    },
  }
}

// Keeps the answers of a wizard while they are given, in a file that only its owner can read, so that nothing typed is lost
// however the wizard ends. The file is removed when the answers are sent.
import {randomUUID} from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import type {Caller} from '../../profiles/caller.ts'
import {sandboxAddress} from '../../profiles/profiles.ts'
import {getSandboxFile, getStateFolder} from '../../storage/folders.ts'
import {makePrivateFolder, replacePrivateFile} from '../../storage/private-file.ts'
import {type HeldLock, holdLock} from '../../storage/process-lock.ts'
import type {Answers} from './steps.ts'
import {isRecord} from '../../values/records.ts'

// Where a draft belongs. It is offered nowhere else: not to another service, profile, command or customer.
export interface DraftScope {
  service: string
  profile: string
  // Such as `customers fix ID`.
  command: string
}

// The question that was open.
export interface DraftPosition {
  key: string
  label: string
}

interface KeptAnswers extends Answers {
  at: DraftPosition | undefined
  // What else the wizard decided before its questions, such as the parts to correct.
  context?: unknown
  // The request was under way when the draft was last written, so it may have arrived.
  isSending?: boolean
}

export interface KeptDraft extends KeptAnswers {
  id: string
  savedAtMs: number
}

interface StoredDraft extends KeptAnswers, DraftScope {
  format: typeof draftFormat
  savedAtMs: number
}

const draftFormat = 'svc draft 1'

const getFolder = () => path.join(getStateFolder(), 'drafts')
const getFile = (id: string) => path.join(getFolder(), `${id}.json`)
const getLockFile = (id: string) => path.join(getFolder(), `${id}.lock`)

const isStoredDraft = (value: unknown): value is StoredDraft =>
  isRecord(value) && isRecord(value['body']) && isRecord(value['forks'])

// Undefined for a file that is no draft or cannot be read. A newer version may have written more fields, which are ignored.
function readDraft(id: string): StoredDraft | undefined {
  try {
    const value: unknown = JSON.parse(fs.readFileSync(getFile(id), 'utf8'))
    return isStoredDraft(value) ? value : undefined
  } catch {
    return undefined
  }
}

function listIds(): string[] {
  try {
    const names = fs.readdirSync(getFolder())
    return names.filter((name) => name.endsWith('.json')).map((name) => path.basename(name, '.json'))
  } catch {
    // No draft was ever kept.
    return []
  }
}

// The drafts of a profile, the latest first. Some may belong to a wizard that still runs: see `claim`.
export const listProfileDrafts = (scope: Omit<DraftScope, 'command'>): Array<KeptDraft & DraftScope> =>
  listIds()
    .flatMap((id) => {
      const draft = readDraft(id)
      return draft && draft.service === scope.service && draft.profile === scope.profile ? [{...draft, id}] : []
    })
    .toSorted((a, b) => b.savedAtMs - a.savedAtMs)

export const listDrafts = (scope: DraftScope): KeptDraft[] =>
  listProfileDrafts(scope).filter(({command}) => command === scope.command)

// A process that was killed while it wrote may have left an unfinished copy, which has the draft's name and more.
function removeFiles(id: string): void {
  for (const name of fs.readdirSync(getFolder())) {
    if (name.startsWith(id)) fs.rmSync(path.join(getFolder(), name), {force: true})
  }
}

// The draft of one wizard. Its lock tells other wizards that it is in use; the operating system releases it at the end.
export class DraftFile {
  readonly #scope: DraftScope
  readonly #id: string
  #lock: HeldLock | undefined
  #saved: KeptAnswers | undefined

  private constructor(scope: DraftScope, id: string, lock?: HeldLock, saved?: KeptAnswers) {
    this.#scope = scope
    this.#id = id
    this.#lock = lock
    this.#saved = saved
  }

  // Creates no file before the first answer.
  static create = (scope: DraftScope) => new DraftFile(scope, randomUUID())

  // Undefined if another wizard works on the draft, or has sent it in the meantime.
  static claim(scope: DraftScope, {id}: Pick<KeptDraft, 'id'>): DraftFile | undefined {
    const lock = holdLock(getLockFile(id), 0)
    if (!lock) return undefined
    const saved = readDraft(id)
    if (saved) return new DraftFile(scope, id, lock, saved)
    lock.release()
    removeFiles(id)
    return undefined
  }

  get isSaved(): boolean {
    return this.#saved !== undefined
  }

  // Complete on disk when it returns, so that not even a crash of the machine loses an answer.
  save(answers: KeptAnswers): void {
    if (!this.#lock) {
      makePrivateFolder(getFolder())
      this.#lock = holdLock(getLockFile(this.#id), 0)
    }
    const draft: StoredDraft = {format: draftFormat, ...this.#scope, savedAtMs: Date.now(), ...answers}
    replacePrivateFile(getFile(this.#id), `${JSON.stringify(draft)}\n`)
    this.#saved = answers
  }

  // Marks the draft as being sent, or takes the mark back.
  markSending(isSending: boolean): void {
    if (this.#saved) this.save({...this.#saved, isSending})
  }

  remove(): void {
    if (!this.#lock) return
    this.#lock.release()
    this.#lock = undefined
    this.#saved = undefined
    removeFiles(this.#id)
  }

  // Leaves the draft for another wizard.
  release(): void {
    if (!this.#lock) return
    this.#lock.release()
    this.#lock = undefined
    fs.rmSync(getLockFile(this.#id), {force: true})
  }
}

// Where the drafts of a caller belong.
export type DraftCaller = Pick<Caller, 'baseUrl' | 'service' | 'profileName'>

// Each database of the embedded sandbox is a service of its own.
export function createDraftScope(caller: DraftCaller | undefined): Omit<DraftScope, 'command'> {
  const isEmbedded = caller?.baseUrl === sandboxAddress
  const service = isEmbedded ? `${sandboxAddress}${getSandboxFile()}` : (caller?.service ?? '')
  return {service, profile: caller?.profileName ?? ''}
}

// Remembers in whose names the accounts were that files paid, so that a name that has changed, or an account that is new for a name, is
// seen before the next file is paid. It keeps ids and keyed digests, and no names. The key is in the same
// file, so whoever can read it can check a name that he guesses.
import {createHash, createHmac, randomBytes} from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import {getStateFolder} from '../../storage/folders.ts'
import {makePrivateFolder, replacePrivateFile} from '../../storage/private-file.ts'
import {readRegularFile} from '../../storage/read-regular-file.ts'
import {isRecord} from '../../values/records.ts'

// Those that were paid first are forgotten first.
const payeesMax = 20_000

export interface PaidPayee {
  accountId: string
  name: string
}

const getFile = (serviceId: string) => {
  const service = createHash('sha256').update(serviceId).digest('hex').slice(0, 16)
  return path.join(getStateFolder(), 'paid', `payees-${service}.json`)
}

// How people write a name does not make it another one.
const normalizeName = (name: string) => name.normalize('NFKC').trim().replaceAll(/\s+/g, ' ').toLowerCase()

export class LastPayees {
  readonly #file: string
  readonly #salt: string
  // The digest of the name, by account.
  readonly #digests: Map<string, string>

  // What cannot be read is forgotten.
  constructor(serviceId: string) {
    this.#file = getFile(serviceId)
    const {salt, payees} = this.#read()
    this.#salt = typeof salt === 'string' ? salt : randomBytes(32).toString('hex')
    const known = isRecord(payees) && typeof salt === 'string' ? Object.entries(payees) : []
    this.#digests = new Map(known.map(([accountId, digest]) => [accountId, String(digest)]))
  }

  #read(): Record<string, unknown> {
    try {
      const stored: unknown = JSON.parse(readRegularFile(this.#file).toString())
      return isRecord(stored) ? stored : {}
    } catch {
      return {}
    }
  }

  #digest(name: string): string {
    return createHmac('sha256', this.#salt).update(normalizeName(name)).digest('hex').slice(0, 32)
  }

  // Whether the account was in another name when it was last paid.
  hasOtherName({accountId, name}: PaidPayee): boolean {
    const known = this.#digests.get(accountId)
    return known !== undefined && known !== this.#digest(name)
  }

  // The accounts that were paid in this name, if this one was not.
  listOtherAccounts({accountId, name}: PaidPayee): string[] {
    if (this.#digests.has(accountId)) return []
    const digest = this.#digest(name)
    return [...this.#digests].filter(([, each]) => each === digest).map(([id]) => id)
  }

  save(payees: readonly PaidPayee[]): void {
    if (payees.length === 0) return
    for (const {accountId, name} of payees) {
      this.#digests.delete(accountId)
      this.#digests.set(accountId, this.#digest(name))
    }
    const kept = Object.fromEntries([...this.#digests].slice(-payeesMax))
    makePrivateFolder(getStateFolder())
    fs.mkdirSync(path.dirname(this.#file), {recursive: true, mode: 0o700})
    replacePrivateFile(this.#file, JSON.stringify({salt: this.#salt, payees: kept}))
  }
}

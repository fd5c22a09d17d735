// The cursor of `svc events watch`: the last reported state of each customer and transaction, in a file that is replaced as
// a whole.
import {createHash} from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import {SvcError, badSettings, getSystemCode} from '../errors.ts'
import {getStateFolder} from '../storage/folders.ts'
import {makePrivateFolder, replacePrivateFile} from '../storage/private-file.ts'
import {readRegularFile} from '../storage/read-regular-file.ts'

// The first line of the file. Each of the others holds a digest of the last state, a space, and the id of the item.
const heading = 'svc events watch, cursor 1'

const addressDigestLength = 12

// The default cursor. Each service has its own, so that states of the sandbox and of live never mix.
export function getCursorFile(baseUrl: string): string {
  const digest = createHash('sha256').update(baseUrl).digest('hex').slice(0, addressDigestLength)
  return path.join(getStateFolder(), `watch-${digest}.cursor`)
}

export class Cursor {
  readonly #file: string
  readonly #digests = new Map<string, string>()
  #isChanged = false

  constructor(file: string) {
    this.#file = path.resolve(file)
    const [first, ...lines] = this.#readText()?.split('\n') ?? [heading]
    if (first !== heading) {
      throw badSettings(
        `The file ${this.#file} is not a cursor of this svc`,
        'Name another with --cursor, or move it away; svc left it as it is',
      )
    }
    for (const line of lines) {
      const at = line.indexOf(' ')
      if (at > 0) this.#digests.set(line.slice(at + 1), line.slice(0, at))
    }
  }

  get size(): number {
    return this.#digests.size
  }

  has(key: string, digest: string): boolean {
    return this.#digests.get(key) === digest
  }

  // Call this after the state was reported, never before: otherwise a killed process would lose it.
  set(key: string, digest: string): void {
    this.#digests.set(key, digest)
    this.#isChanged = true
  }

  save(): void {
    if (!this.#isChanged) return
    const lines = [heading, ...this.#digests.entries().map(([key, digest]) => `${digest} ${key}`)]
    try {
      if (path.dirname(this.#file) === path.resolve(getStateFolder())) makePrivateFolder(getStateFolder())
      replacePrivateFile(this.#file, `${lines.join('\n')}\n`)
    } catch (cause) {
      throw cause instanceof SvcError ? cause : this.#createFileError('written', cause)
    }
    this.#isChanged = false
  }

  // Without a cursor every state would be reported again, so a folder that cannot be written is an error from the start.
  #checkFolder(): undefined {
    const folder = path.dirname(this.#file)
    if (folder === path.resolve(getStateFolder())) return
    try {
      fs.accessSync(folder, fs.constants.W_OK)
    } catch (cause) {
      throw this.#createFileError('written', cause)
    }
  }

  #readText(): string | undefined {
    try {
      return readRegularFile(this.#file).toString().trimEnd()
    } catch (cause) {
      if (cause instanceof SvcError) throw cause
      if (getSystemCode(cause) === 'ENOENT') return this.#checkFolder()
      throw this.#createFileError('read', cause)
    }
  }

  #createFileError(what: string, cause: unknown) {
    return badSettings(
      `The cursor ${this.#file} cannot be ${what} (${getSystemCode(cause) ?? 'unknown'})`,
      'Check the path and that the disk has space left',
      cause,
    )
  }
}

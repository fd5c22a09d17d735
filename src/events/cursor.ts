// How far a watcher has come: the last state of each thing that it has told of, in a file that is whole at every instant.
import {createHash} from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import {SvcError, badSettings, getSystemCode} from '../errors.ts'
import {stateFolder} from '../storage/folders.ts'
import {makePrivateFolder, replacePrivateFile} from '../storage/private-file.ts'

// The first line; the others are an id and the digest of its last state, so that a long cursor is read in one go.
const heading = 'svc events watch, cursor 1'

const addressDigestLength = 12

// Without a file of one's own: one for each service, so that the sandbox and live do not mix.
export function cursorFile(baseUrl: string): string {
  const digest = createHash('sha256').update(baseUrl).digest('hex').slice(0, addressDigestLength)
  return path.join(stateFolder(), `watch-${digest}.cursor`)
}

export class Cursor {
  readonly #file: string
  readonly #seen = new Map<string, string>()
  #isChanged = false

  constructor(file: string) {
    this.#file = path.resolve(file)
    const [first, ...lines] = this.#text()?.split('\n') ?? [heading]
    if (first !== heading) {
      throw badSettings(
        `The file ${this.#file} is no cursor of this svc`,
        'Name another with --cursor, or move it away; svc left it as it is',
      )
    }
    for (const line of lines) {
      const at = line.indexOf(' ')
      if (at > 0) this.#seen.set(line.slice(at + 1), line.slice(0, at))
    }
  }

  get size(): number {
    return this.#seen.size
  }

  has(key: string, digest: string): boolean {
    return this.#seen.get(key) === digest
  }

  // To be called when the state has been told of, never before.
  set(key: string, digest: string): void {
    this.#seen.set(key, digest)
    this.#isChanged = true
  }

  // Beside the file and then in its place, and on the disk before that.
  save(): void {
    if (!this.#isChanged) return
    const lines = [heading, ...this.#seen.entries().map(([key, digest]) => `${digest} ${key}`)]
    try {
      if (path.dirname(this.#file) === path.resolve(stateFolder())) makePrivateFolder(stateFolder())
      replacePrivateFile(this.#file, `${lines.join('\n')}\n`)
    } catch (cause) {
      throw cause instanceof SvcError ? cause : this.#failed('written', cause)
    }
    this.#isChanged = false
  }

  // A cursor that could not be kept would tell of everything again, so that is said before anything is told.
  #begun(): undefined {
    const folder = path.dirname(this.#file)
    if (folder === path.resolve(stateFolder())) return
    try {
      fs.accessSync(folder, fs.constants.W_OK)
    } catch (cause) {
      throw this.#failed('written', cause)
    }
  }

  #text(): string | undefined {
    try {
      return fs.readFileSync(this.#file, 'utf8').trimEnd()
    } catch (cause) {
      if (getSystemCode(cause) === 'ENOENT') return this.#begun()
      throw this.#failed('read', cause)
    }
  }

  #failed(what: string, cause: unknown) {
    return badSettings(
      `The cursor ${this.#file} cannot be ${what} (${getSystemCode(cause) ?? 'unknown'})`,
      'Check the path and that the disk has room',
      cause,
    )
  }
}

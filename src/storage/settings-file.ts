// A JSON file with settings. conf creates it with its defaults and writes it atomically with mode 0600. Reading does not
// load conf, which would take a fifth of the time of a whole `svc customers list` (docs/adr/0004).
import fs from 'node:fs'
import path from 'node:path'
import {type Shape, check} from '../contract/shape.ts'
import {SvcError, badSettings, getSystemCode} from '../errors.ts'
import {getConfigFolder} from './folders.ts'
import {fileMode, makePrivateFolder, rejectOpenFolders, withPrivateUmask} from './private-file.ts'
import {withLock} from './process-lock.ts'
import {readRegularFile} from './read-regular-file.ts'

interface Versioned {
  schemaVersion: number
}

interface SettingsFormat<T extends Versioned> {
  name: string
  schemaVersion: number
  shape: Shape
  // What a new file contains.
  defaults: T
}

type Fields = Record<string, unknown>

// conf wants a type with an index signature.
const toFields = (value: object): Fields => ({...value})

export class SettingsFile<T extends Versioned> {
  readonly #format: SettingsFormat<T>

  constructor(format: SettingsFormat<T>) {
    this.#format = format
  }

  get path(): string {
    return path.join(getConfigFolder(), `${this.#format.name}.json`)
  }

  // A missing file counts as empty. A damaged one is rejected and left as it is.
  read(): T {
    const text = this.#readText()
    return text === undefined ? structuredClone(this.#format.defaults) : this.#parse(text)
  }

  #parse(text: string): T {
    let value: unknown
    try {
      // Null counts as absent, so that the rest of svc never has to handle it.
      value = JSON.parse(text, (_, found: unknown) => (found === null ? undefined : found))
    } catch (cause) {
      throw this.#createError('is not valid JSON', cause)
    }
    const version = (value as Versioned | undefined)?.schemaVersion
    if (typeof version === 'number' && version > this.#format.schemaVersion) {
      const versions = `schema ${version}, this one knows ${this.#format.schemaVersion}`
      throw this.#createError(
        `was written by a newer svc (${versions})`,
        undefined,
        'Update svc; the file was left as it is',
      )
    }
    const finding = check(value, this.#format.shape).find(({kind}) => kind !== 'unknown field')
    if (finding) throw this.#createError(`is damaged: ${finding.path || 'its content'} ${finding.message}`)
    return value as T
  }

  // Reads, changes and writes under a lock, so that no change of another process is lost.
  async update(change: (value: T) => void | Promise<void>): Promise<void> {
    const folder = getConfigFolder()
    await withLock(folder, this.#format.name, async () => {
      const value = this.read()
      const before = JSON.stringify(value)
      await change(value)
      if (JSON.stringify(value) !== before) await this.#write(value)
    })
  }

  async #write(value: T): Promise<void> {
    makePrivateFolder(getConfigFolder())
    const {default: Conf} = await import('conf')
    try {
      withPrivateUmask(() => {
        const conf = new Conf<Fields>({
          cwd: getConfigFolder(),
          configName: this.#format.name,
          configFileMode: fileMode,
          defaults: toFields(this.#format.defaults),
          deserialize: (text) => toFields(this.#parse(text)),
          clearInvalidConfig: false,
          accessPropertiesByDotNotation: false,
        })
        conf.store = toFields(value)
      })
    } catch (cause) {
      if (cause instanceof SvcError) throw cause
      throw this.#createError(`cannot be written (${getSystemCode(cause) ?? 'unknown'})`, cause)
    }
  }

  #readText(): string | undefined {
    try {
      rejectOpenFolders(this.path)
      return readRegularFile(this.path).toString()
    } catch (cause) {
      if (cause instanceof SvcError) throw cause
      // Behind a link the file may be on a disk that is not there now.
      const isLink = () => fs.lstatSync(this.path, {throwIfNoEntry: false})?.isSymbolicLink()
      if (getSystemCode(cause) === 'ENOENT' && !isLink()) return undefined
      throw this.#createError(`cannot be read (${getSystemCode(cause) ?? 'unknown'})`, cause)
    }
  }

  #createError(what: string, cause?: unknown, hint = 'Repair it, or move it away; svc left it as it is') {
    return badSettings(`The file ${this.path} ${what}`, hint, cause)
  }
}

// A JSON file with settings: read and validated directly, written by conf under a lock, atomically and with mode 0600.
import fs from 'node:fs'
import path from 'node:path'
import {type Shape, findShapeProblems} from '../contract/shape.ts'
import {badSettings, getSystemCode} from '../errors.ts'
import {configFolder} from './folders.ts'
import {fileMode, makePrivateFolder, withPrivateUmask} from './private-file.ts'
import {withLock} from './process-lock.ts'

export interface Versioned {
  schemaVersion: number
}

interface SettingsFormat<T extends Versioned> {
  name: string
  schemaVersion: number
  shape: Shape
  empty: T
}

export class SettingsFile<T extends Versioned> {
  readonly #format: SettingsFormat<T>

  constructor(format: SettingsFormat<T>) {
    this.#format = format
  }

  get path(): string {
    return path.join(configFolder(), `${this.#format.name}.json`)
  }

  // A missing file counts as empty. A damaged one is rejected and left as it is.
  read(): T {
    const text = this.#readText()
    if (text === undefined) return structuredClone(this.#format.empty)
    let value: unknown
    try {
      // Null counts as absent, so that the rest of svc never has to handle it.
      value = JSON.parse(text, (_, found: unknown) => (found === null ? undefined : found))
    } catch (cause) {
      throw this.#createDamagedError('is not valid JSON', cause)
    }
    const version = (value as Versioned | undefined)?.schemaVersion
    if (typeof version === 'number' && version > this.#format.schemaVersion) {
      throw badSettings(
        `The file ${this.path} was written by a newer svc (schema ${version}, this one knows ${this.#format.schemaVersion})`,
        'Update svc; the file was left as it is',
      )
    }
    const finding = findShapeProblems(value, this.#format.shape).find(({kind}) => kind !== 'unknown field')
    if (finding) throw this.#createDamagedError(`is damaged: ${finding.path || 'its content'} ${finding.message}`)
    return value as T
  }

  // Reads, changes and writes under a lock, so that no change of another process is lost.
  async update(change: (value: T) => void): Promise<void> {
    const folder = configFolder()
    await withLock(folder, this.#format.name, async () => {
      const value = this.read()
      const before = JSON.stringify(value)
      change(value)
      if (JSON.stringify(value) !== before) await this.#write(value)
    })
  }

  async #write(value: T): Promise<void> {
    makePrivateFolder(configFolder())
    const {default: Conf} = await import('conf')
    try {
      withPrivateUmask(() => {
        const conf = new Conf<Record<string, unknown>>({
          cwd: configFolder(),
          configName: this.#format.name,
          configFileMode: fileMode,
          clearInvalidConfig: false,
          accessPropertiesByDotNotation: false,
        })
        conf.store = {...value} as Record<string, unknown>
      })
    } catch (cause) {
      throw badSettings(
        `The file ${this.path} cannot be written (${getSystemCode(cause) ?? 'unknown'})`,
        'Check who owns it and that the disk has space left; nothing was changed',
        cause,
      )
    }
  }

  #readText(): string | undefined {
    try {
      return fs.readFileSync(this.path, 'utf8')
    } catch (cause) {
      if (getSystemCode(cause) === 'ENOENT') return undefined
      throw badSettings(
        `The file ${this.path} cannot be read (${getSystemCode(cause) ?? 'unknown'})`,
        'Check who owns it, or name another folder with SVC_CONFIG_DIR',
        cause,
      )
    }
  }

  #createDamagedError(what: string, cause?: unknown) {
    return badSettings(`The file ${this.path} ${what}`, 'Repair it or move it away; svc left it as it is', cause)
  }
}

// A settings file on disk: read plainly, checked, and written through conf, under a lock, atomically and with mode 0600.
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

interface Description<T extends Versioned> {
  name: string
  schemaVersion: number
  shape: Shape
  empty: T
}

export class SettingsFile<T extends Versioned> {
  readonly #is: Description<T>

  constructor(is: Description<T>) {
    this.#is = is
  }

  get path(): string {
    return path.join(configFolder(), `${this.#is.name}.json`)
  }

  // What the file holds; an absent file is an empty one, and a damaged one is refused and left as it is.
  read(): T {
    const text = this.#text()
    if (text === undefined) return structuredClone(this.#is.empty)
    let value: unknown
    try {
      // Null counts as absent, so that nothing behind this ever meets one.
      value = JSON.parse(text, (_, found: unknown) => (found === null ? undefined : found))
    } catch (cause) {
      throw this.#damaged('is not valid JSON', cause)
    }
    const version = (value as Versioned | undefined)?.schemaVersion
    if (typeof version === 'number' && version > this.#is.schemaVersion) {
      throw badSettings(
        `The file ${this.path} was written by a newer svc (schema ${version}, this one knows ${this.#is.schemaVersion})`,
        'Update svc; the file was left as it is',
      )
    }
    const finding = findShapeProblems(value, this.#is.shape).find(({kind}) => kind !== 'unknown field')
    if (finding) throw this.#damaged(`is damaged: ${finding.path || 'its content'} ${finding.message}`)
    return value as T
  }

  // Reads, changes and writes back while no other svc does the same, so that nobody's change is lost.
  async update(change: (value: T) => void): Promise<void> {
    const folder = configFolder()
    await withLock(folder, this.#is.name, async () => {
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
          configName: this.#is.name,
          configFileMode: fileMode,
          clearInvalidConfig: false,
          accessPropertiesByDotNotation: false,
        })
        conf.store = {...value} as Record<string, unknown>
      })
    } catch (cause) {
      throw badSettings(
        `The file ${this.path} cannot be written (${getSystemCode(cause) ?? 'unknown'})`,
        'Check who owns it and that the disk has room; nothing was changed',
        cause,
      )
    }
  }

  #text(): string | undefined {
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

  #damaged(what: string, cause?: unknown) {
    return badSettings(`The file ${this.path} ${what}`, 'Mend it or move it away; svc left it as it is', cause)
  }
}

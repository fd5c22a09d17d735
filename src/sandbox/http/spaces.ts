// The spaces of a server: sandboxes of their own behind one port, so that tests that run at the same time do not see each
// other. A space is created when it is first used, and removed when the server ends.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {ControlError} from '../operations/control-error.ts'
import {spaceMark} from '../operations/constants.ts'
import type {SpaceControls} from '../operations/define.ts'
import type {Result} from '../../sandbox-results.ts'
import type {Entrance} from '../../web/entrance.ts'
import {createRequestLog, type LogSettings} from '../service/log/request-log.ts'
import {createSandbox, openSeededDatabase, type Sandbox, type ServiceOptions} from '../sandbox.ts'
import type {Database} from '../store/database.ts'
import {renewSeed} from '../store/settings.ts'
import {formsPath} from './server-address.ts'

export interface SpaceSettings extends Pick<ServiceOptions, 'frameAncestors' | 'openJournal'> {
  port: number
  consoleEntrance: Entrance
  spacesMax: number
  // The text from which all random values are derived, if the database of the server has been given one.
  seed: string | undefined
  getApiKey: () => string
  logBatchMs: number
  onRequest: (spaceName: string) => LogSettings['onRequest']
  notice: (spaceName: string) => (text: string) => void
  onFault: (error: unknown) => void
}

export interface Space {
  sandbox: Sandbox
  // Keeps the space open until the work is done.
  use: <T>(work: () => Promise<T>) => Promise<T>
}

export interface Spaces extends SpaceControls {
  find(name: string): Promise<Space> | undefined
  // Finds the space, or makes it.
  open(name: string): Promise<Space>
  stop(): Promise<void>
}

interface OpenedSpace extends Space {
  stop(): Promise<void>
}

interface Entry {
  createdAt: string
  opening: Promise<OpenedSpace>
}

// Seeding takes much longer than copying, so the first space is the template of the others.
function openSpaceDatabase(file: string, seed: string | undefined): Database {
  const template = path.join(path.dirname(file), 'template')
  if (!fs.existsSync(template)) {
    const database = openSeededDatabase({file, seed})
    database.copyTo(template)
    return database
  }
  fs.copyFileSync(template, file)
  const database = openSeededDatabase({file, seed})
  if (seed === undefined) renewSeed(database)
  return database
}

// The side files of SQLite and the snapshots of the space have names that start with the name of its file.
function removeFiles(file: string): void {
  const folder = path.dirname(file)
  for (const entry of fs.readdirSync(folder).filter((each) => each.startsWith(path.basename(file)))) {
    fs.rmSync(path.join(folder, entry), {recursive: true, force: true})
  }
}

// What is being done in a space when it is removed ends first.
function trackWork() {
  const pending = new Set<Promise<unknown>>()
  const use: Space['use'] = (work) => {
    const done = work()
    pending.add(done)
    done.finally(() => pending.delete(done)).catch(() => {})
    return done
  }
  const settle = async () => {
    // Whoever has just found the space starts to use it before this returns.
    await new Promise((resolve) => setImmediate(resolve))
    while (pending.size > 0) await Promise.allSettled(pending)
  }
  return {use, settle}
}

export function createSpaces(settings: SpaceSettings): Spaces {
  const {port, spacesMax, seed, consoleEntrance, frameAncestors, openJournal, logBatchMs, onFault} = settings
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-sandbox-spaces-'))
  const spaces = new Map<string, Entry>()
  let filesMade = 0

  // Pages have links that start at the root, so each space has a host name. Browsers resolve it to this machine.
  const getUrl = (name: string) => `http://${name}.localhost:${port}`

  async function create(name: string): Promise<OpenedSpace> {
    // A space that has the name of a removed one must not find its file.
    const file = path.join(folder, `${name}.${++filesMade}.sqlite`)
    const database = openSpaceDatabase(file, seed)
    const log = createRequestLog(database, {batchMs: logBatchMs, onRequest: settings.onRequest(name), onFault})
    const url = getUrl(name)
    const options = {url, formsUrl: url + formsPath, frameAncestors, consoleEntrance, openJournal, onFault}
    const sandbox = createSandbox(database, log, {...options, keepsEvents: true})
    const delivery = await sandbox.startDelivery(settings.notice(name))
    const {use, settle} = trackWork()
    const stop = async () => {
      await Promise.all([delivery.stop(), settle()])
      sandbox.close()
      removeFiles(file)
    }
    return {sandbox, use, stop}
  }

  const describe = (name: string, {createdAt}: Entry): Result<'Space'> => ({
    name,
    apiKey: `${settings.getApiKey()}${spaceMark}${name}`,
    formsUrl: getUrl(name) + formsPath,
    // Works once. Whoever lists the spaces gets another one.
    consoleUrl: getUrl(name) + consoleEntrance.createLink(),
    createdAt,
  })

  return {
    find: (name) => spaces.get(name)?.opening,
    async open(name) {
      const existing = spaces.get(name)
      if (existing) return existing.opening
      if (spaces.size >= spacesMax) {
        throw new ControlError(`There are ${spacesMax} spaces, and there can be no more: remove some`)
      }
      const opening = create(name)
      spaces.set(name, {createdAt: new Date().toISOString(), opening})
      // A space that could not be made can be tried again.
      opening.catch(() => spaces.delete(name))
      return opening
    },
    list: () => [...spaces].map(([name, entry]) => describe(name, entry)),
    async remove(name) {
      const entry = spaces.get(name)
      if (!entry) throw new ControlError(`There is no space "${name}"`, {notFound: true})
      spaces.delete(name)
      await (await entry.opening).stop()
      return describe(name, entry)
    },
    async stop() {
      const opened = await Promise.allSettled([...spaces.values()].map(({opening}) => opening))
      spaces.clear()
      await Promise.all(opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value.stop()] : [])))
      fs.rmSync(folder, {recursive: true, force: true})
    },
  }
}

// Code that svc would run from the cache: it is written for its owner alone, and never run from a folder that
// somebody else may have prepared.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {type Home, freshHome, spawnSvc} from '../../support/svc.ts'

const isRoot = process.getuid?.() === 0
const nobody = 65_534
const others = 0o077

const getMode = (file: string) => fs.lstatSync(file).mode
const listAll = (folder: string) =>
  fs.readdirSync(folder, {recursive: true, encoding: 'utf8'}).map((name) => path.join(folder, name))

type Preparation = [what: string, prepare: (folder: string) => void]

const foreignFolder: Preparation = ['a folder of another user', (folder) => fs.chownSync(folder, nobody, nobody)]

async function listCompiled(home: Home, prepare: (folder: string) => void): Promise<string[]> {
  const folder = path.join(home.folder, 'cache/compiled')
  prepare(folder)
  const umask = process.umask(0)
  try {
    const {code} = await spawnSvc(home, ['profiles', 'list'], {env: {SVC_CACHE_DIR: path.dirname(folder)}})
    expect(code).toBe(0)
  } finally {
    process.umask(umask)
  }
  return listAll(folder)
}

describe('the compile cache', () => {
  it('is created for its owner alone, whatever the umask is, and used', async () => {
    const home = freshHome()
    const files = await listCompiled(home, () => {})
    expect(files.length).toBeGreaterThan(1)
    for (const folder of [path.join(home.folder, 'cache/compiled'), files[0] ?? '']) {
      expect(getMode(folder) & others).toBe(0)
    }
  })

  it.each<Preparation>([
    ['a folder that others can write', (folder) => fs.chmodSync(folder, 0o777)],
    ['a folder in one that others can write', (folder) => fs.chmodSync(path.dirname(folder), 0o777)],
    ['a link', (folder) => (fs.renameSync(folder, `${folder}2`), fs.symlinkSync(`${folder}2`, folder))],
    ...(isRoot ? [foreignFolder] : []),
  ])('is not used in %s', async (_, prepare) => {
    const files = await listCompiled(freshHome(), (folder) => {
      fs.mkdirSync(folder, {recursive: true, mode: 0o700})
      prepare(folder)
    })
    expect(files).toEqual([])
  })

  // Each answers in another way that it has no folders; the recursion of Node does not end below
  // /proc.
  it.each(['/proc/nope', '/dev/null/nope', '/dev/full'])(
    'is done without where none can be created: %s',
    async (nowhere) => {
      const home = freshHome()
      for (const name of ['SVC_CACHE_DIR', 'XDG_CACHE_HOME', 'HOME']) {
        const env = {SVC_CACHE_DIR: undefined, [name]: nowhere}
        expect([name, await spawnSvc(home, ['profiles', 'list', '--json'], {env})]).toMatchObject([
          name,
          {code: 0, err: ''},
        ])
      }
    },
  )

  it('is not used with a folder inside that others can write', async () => {
    const files = await listCompiled(freshHome(), (folder) => {
      fs.mkdirSync(path.join(folder, 'v24'), {recursive: true, mode: 0o700})
      fs.chmodSync(path.join(folder, 'v24'), 0o777)
    })
    expect(files.map((file) => path.basename(file))).toEqual(['v24'])
  })
})

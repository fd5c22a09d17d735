// Finding the running server of a database, and only that of the same database.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it, onTestFinished} from 'vitest'
import {openSandbox} from '../../../src/sandbox/sandbox.ts'
import {temporaryFile} from '../open.ts'
import {serveTemporary} from './serving.ts'

function openUntilTestEnds(file: string) {
  const sandbox = openSandbox({file})
  onTestFinished(() => sandbox.close())
  return sandbox
}

describe('the server of a database', () => {
  it('is found while it runs, also after a reset, and removes its address when it stops', async () => {
    const served = await serveTemporary()
    const sandbox = openUntilTestEnds(served.file)
    const {controlToken} = served.control
    const expectedAddress = {url: served.url, controlToken, formsUrl: `${served.url}/forms`}
    expect(await sandbox.findServer()).toEqual(expectedAddress)
    sandbox.reset()
    expect(await sandbox.findServer()).toEqual(expectedAddress)
    expect(fs.statSync(`${served.file}.server`).mode & 0o777).toBe(0o600)
    await served.stop()
    expect(await sandbox.findServer()).toBeUndefined()
    expect(fs.existsSync(`${served.file}.server`)).toBe(false)
  })

  it('stops, although its folder was removed while it ran', async () => {
    const served = await serveTemporary()
    fs.rmSync(path.dirname(served.file), {recursive: true})
    await served.stop()
    await expect(fetch(served.url)).rejects.toThrow('fetch failed')
  })

  it.each(['http://127.0.0.1:1', 'https://example.com', 'nonsense', ''])(
    'is not looked for at the address %j',
    async (address) => {
      const file = temporaryFile()
      const sandbox = openUntilTestEnds(file)
      fs.writeFileSync(`${file}.server`, `${address}\n${'t'.repeat(32)}\n${file}.server\n`)
      expect(await sandbox.findServer()).toBeUndefined()
    },
  )

  it('is not confused with the server of another database: of a copied one, or of one at its former port', async () => {
    const other = await serveTemporary()
    const file = temporaryFile()
    const sandbox = openUntilTestEnds(file)
    fs.copyFileSync(`${other.file}.server`, `${file}.server`)
    expect(await sandbox.findServer()).toBeUndefined()
    fs.writeFileSync(`${file}.server`, `${other.url}\n${'t'.repeat(32)}\n${file}.server\n`)
    expect(await sandbox.findServer()).toBeUndefined()
  })
})

// Where the server of a database is found: while it runs, and only where it has that very database.
import fs from 'node:fs'
import {describe, expect, it, onTestFinished} from 'vitest'
import {openSandbox} from '../../../src/sandbox/sandbox.ts'
import {temporaryFile} from '../open.ts'
import {serveTemporary} from './serving.ts'

function opened(file: string) {
  const sandbox = openSandbox({file})
  onTestFinished(() => sandbox.close())
  return sandbox
}

describe('the server of a database', () => {
  it('is found while it runs, after a reset too, and leaves nothing behind', async () => {
    const served = await serveTemporary()
    const sandbox = opened(served.file)
    const place = {url: served.url, formsUrl: `${served.url}/forms`}
    expect(await sandbox.findServer()).toEqual(place)
    sandbox.reset()
    expect(await sandbox.findServer()).toEqual(place)
    expect(fs.statSync(`${served.file}.server`).mode & 0o777).toBe(0o600)
    await served.stop()
    expect(await sandbox.findServer()).toBeUndefined()
    expect(fs.existsSync(`${served.file}.server`)).toBe(false)
  })

  it.each(['http://127.0.0.1:1', 'https://example.com', 'nonsense', ''])(
    'is not taken to be at %j',
    async (address) => {
      const file = temporaryFile()
      const sandbox = opened(file)
      fs.writeFileSync(`${file}.server`, address)
      expect(await sandbox.findServer()).toBeUndefined()
    },
  )

  it('is not mistaken for that of another, which knows nothing to prove', async () => {
    const other = await serveTemporary()
    const file = temporaryFile()
    const sandbox = opened(file)
    fs.writeFileSync(`${file}.server`, other.url)
    expect(await sandbox.findServer()).toBeUndefined()
    expect((await fetch(`${other.url}/console/proof?of=short`)).status).toBe(404)
  })
})

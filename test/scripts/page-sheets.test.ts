// The pictures of all pages that the documentation leads to.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {root} from '../support/svc.ts'

const folder = path.join(root, 'docs/screenshots/pages')
const bytesMax = 100_000

describe('the pictures of pages', () => {
  it('are all named in docs/console.md, and small', () => {
    const guide = fs.readFileSync(path.join(root, 'docs/console.md'), 'utf8')
    const linked = [...guide.matchAll(/\(screenshots\/pages\/([^)]+)\)/g)].map(([, name = '']) => name)
    expect(linked.toSorted()).toEqual(fs.readdirSync(folder).toSorted())
    const large = fs.readdirSync(folder).filter((name) => fs.statSync(path.join(folder, name)).size > bytesMax)
    expect(large).toEqual([])
  })

  it('are not part of the package', () => {
    const {files} = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as {files: string[]}
    expect(files).toContain('!docs/screenshots/pages')
  })
})

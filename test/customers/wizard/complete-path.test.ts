// Completion of file paths with Tab.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {completePath} from '../../../src/customers/wizard/ask-document.ts'
import {temporaryFolder} from '../../support/svc.ts'

describe('a path', () => {
  it('is completed to a folder with a slash, and not to hidden files', () => {
    const folder = temporaryFolder()
    fs.mkdirSync(path.join(folder, 'scans'))
    fs.writeFileSync(path.join(folder, '.secret'), '')
    expect(completePath(`${folder}/`)).toBe(`${folder}/scans/`)
    expect(completePath(`${folder}/.s`)).toBe(`${folder}/.secret`)
    expect(completePath(`${folder}/none`)).toBe(`${folder}/none`)
    expect(completePath(`${folder}/none/x`)).toBe(`${folder}/none/x`)
    expect(completePath('~')).toBe('~/')
  })
})

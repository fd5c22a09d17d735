// Dockerfile and compose.yaml, which no engine builds here: what they name exists, is pinned, and runs without privileges.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {parse} from 'yaml'
import {nodeVersion} from '../../scripts/package/platforms.ts'
import {createSandbox} from '../../src/library/sandbox.ts'
import {root} from '../support/svc.ts'

const read = (name: string) => fs.readFileSync(path.join(root, name), 'utf8')

interface Service {
  image?: string
  build?: {target: string}
  command?: string[]
  environment?: Record<string, string>
}

const dockerfile = read('Dockerfile')
const {services} = parse(read('compose.yaml')) as {services: Record<string, Service>}

describe('the Dockerfile', () => {
  it('stands on the Node that everything else is built with, and ends as an unprivileged user without a secret', () => {
    expect(dockerfile).toContain(`\nARG NODE_IMAGE=node:${nodeVersion}-bookworm-slim\n`)
    // Nothing is done as root after that.
    expect(dockerfile.lastIndexOf('\nUSER node\n')).toBeGreaterThan(dockerfile.lastIndexOf('\nRUN '))
    expect(dockerfile).toContain('\nENTRYPOINT ["svc"]\n')
    expect(dockerfile).not.toMatch(/^(ENV|ARG) .*(key|secret|password|token)/im)
  })
})

describe('compose.yaml', () => {
  it('names images by version and stages that exist, and has no password', () => {
    for (const {image, build, environment = {}} of Object.values(services)) {
      if (image !== undefined) expect(image).toMatch(/^[\w./-]+:\d+\.\d+(\.\d+)?-\w+(-slim)?$/)
      else expect(dockerfile).toContain(` AS ${build?.target}\n`)
      expect(Object.keys(environment).filter((name) => name.endsWith('PASSWORD'))).toEqual([])
    }
  })

  it('runs commands of svc with flags that they have', () => {
    const {commands} = JSON.parse(read('oclif.manifest.json')) as {commands: Record<string, {flags: object}>}
    for (const {command = []} of Object.values(services).filter(({build}) => build)) {
      const flagAt = command.findIndex((word) => word.startsWith('-'))
      const id = command.slice(0, flagAt === -1 ? undefined : flagAt).join(':')
      const flags = command.filter((word) => word.startsWith('--')).map((word) => word.slice(2))
      expect(Object.keys(commands)).toContain(id)
      for (const flag of flags) expect(Object.keys(commands[id]?.flags ?? {})).toContain(flag)
    }
  })

  it('has the key of the sandbox that its seed makes', () => {
    const words = services['sandbox']?.command ?? []
    using sandbox = createSandbox({seed: words[words.indexOf('--seed') + 1] ?? ''})
    expect(services['worker']?.environment?.['SVC_API_KEY']).toBe(sandbox.apiKey)
  })
})

// Dockerfile and compose.yaml, which no engine builds here: what they name exists, is pinned, and runs without privileges.
import fs from 'node:fs'
import path from 'node:path'
import {Script} from 'node:vm'
import {describe, expect, it} from 'vitest'
import {parse} from 'yaml'
import {nodeVersion} from '../../scripts/package/platforms.ts'
import {createSandbox} from '../../src/library/sandbox.ts'
import {root} from '../support/svc.ts'

interface Instruction {
  name: string
  value: string
}

function readInstructions(): Instruction[] {
  const text = fs.readFileSync(path.join(root, 'Dockerfile'), 'utf8')
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'))
  return lines
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => ({name: line.split(' ', 1)[0] ?? '', value: line.slice(line.indexOf(' ') + 1)}))
}

// The instructions of each stage, with those of the stage that it stands on.
function readStages(): Map<string, Instruction[]> {
  const stages = new Map<string, Instruction[]>()
  let current: Instruction[] = []
  for (const instruction of readInstructions()) {
    const [, base = '', name = ''] = (instruction.name === 'FROM' && /^(\S+) AS (\S+)$/.exec(instruction.value)) || []
    if (name !== '') stages.set(name, (current = [...(stages.get(base) ?? [])]))
    else current.push(instruction)
  }
  return stages
}

const findLast = (instructions: readonly Instruction[], name: string) =>
  instructions.findLast((instruction) => instruction.name === name)?.value

const readWords = (json: string | undefined) => JSON.parse(json ?? '') as string[]

interface Service {
  image?: string
  build?: {target: string}
  command?: string[]
  environment?: Record<string, string>
}

const compose = parse(fs.readFileSync(path.join(root, 'compose.yaml'), 'utf8')) as {
  services: Record<string, Service>
}

const pinned = /^[\w./-]+:\d+\.\d+(\.\d+)?-\w+(-slim)?$/

describe('the Dockerfile', () => {
  const instructions = readInstructions()
  const stages = readStages()

  it('stands on the Node that everything else is built with', () => {
    expect(instructions[0]).toEqual({name: 'ARG', value: `NODE_IMAGE=node:${nodeVersion}-bookworm-slim`})
  })

  it.each(['svc', 'sandbox'])(
    'runs %s as an unprivileged user, without a shell, and says whether it is well',
    (name) => {
      const stage = stages.get(name) ?? []
      expect(findLast(stage, 'USER')).toBe('node')
      // Nothing is done as root after that.
      expect(stage.findIndex((each) => each.name === 'USER')).toBeGreaterThan(
        stage.findLastIndex((each) => each.name === 'RUN'),
      )
      expect(readWords(findLast(stage, 'ENTRYPOINT'))).toEqual(['svc'])
      const [, probe] = /CMD (\[.*\])$/.exec(findLast(stage, 'HEALTHCHECK') ?? '') ?? []
      const [program, flag, script = ''] = readWords(probe)
      expect([program, flag]).toEqual(['node', '-e'])
      expect(() => new Script(script)).not.toThrow()
      expect(stage.filter(({value}) => /key|secret|password|token/i.test(value))).toEqual([])
    },
  )
})

describe('compose.yaml', () => {
  const services = Object.entries(compose.services)

  it('names images by version, and stages that exist', () => {
    for (const [, {image, build}] of services) {
      if (image !== undefined) expect(image).toMatch(pinned)
      else expect([...readStages().keys()]).toContain(build?.target)
    }
  })

  it('runs commands of svc with flags that they have, and no password is in its environment', () => {
    const {commands} = JSON.parse(fs.readFileSync(path.join(root, 'oclif.manifest.json'), 'utf8')) as {
      commands: Record<string, {flags: object}>
    }
    const own = services.filter(([, {build}]) => build).map(([, {command = []}]) => command)
    const initial = [...readStages().values()].flatMap((stage) => readWords(findLast(stage, 'CMD') ?? '[]'))
    expect(initial.slice(-5, -1)).toEqual(['sandbox', 'start', '--port', '4010'])
    for (const words of own) {
      const flagAt = words.findIndex((word) => word.startsWith('-'))
      const id = words.slice(0, flagAt === -1 ? undefined : flagAt).join(':')
      const flags = words.filter((word) => word.startsWith('--')).map((word) => word.slice(2))
      expect(Object.keys(commands)).toContain(id)
      for (const flag of flags) expect(Object.keys(commands[id]?.flags ?? {})).toContain(flag)
    }
    for (const [, {environment = {}}] of services) {
      expect(Object.keys(environment).filter((name) => name.endsWith('PASSWORD'))).toEqual([])
    }
  })

  it('has the key of the sandbox that its seed makes', () => {
    const words = compose.services['sandbox']?.command ?? []
    using sandbox = createSandbox({seed: words[words.indexOf('--seed') + 1] ?? ''})
    expect(compose.services['worker']?.environment?.['SVC_API_KEY']).toBe(sandbox.apiKey)
  })
})

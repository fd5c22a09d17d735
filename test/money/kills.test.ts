// Processes killed with kill -9 before every step, and once more during recovery, over real sockets and on real files: each step in
// another scene for every commit, and in every scene that reaches it in a soak. crashes.test.ts plays the same in process.
import {spawn} from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {bundleProgram} from '../support/bundled-program.ts'
import {FileClock} from '../support/scripted/clock.ts'
import {Narrowing} from '../support/scripted/narrowing.ts'
import {serveFake} from '../support/scripted-service.ts'
import {seed} from '../support/seed.ts'
import {isWhole} from '../support/share.ts'
import type {ChildOrder} from './child.ts'
import {type Scene, checkAfterCrash, pickRotating, pickScenes, pickSecond, prepareScene} from './crashes.ts'
import type {Kind} from './services.ts'
import {Stage, newFolder} from './stage.ts'
import {type Step, steps} from './steps.ts'

// Long for loopback, but short because many requests of these tests are never answered.
const requestTimeoutMs = 400
const delayMs = 20
const atOnce = 3

interface ChildEnded {
  signal: NodeJS.Signals | null
  code?: number
}

describe('a process that is killed with kill -9', () => {
  let program: string
  let compiled: string
  beforeAll(async () => {
    compiled = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-test-'))
    program = await bundleProgram(new URL('child.ts', import.meta.url))
  })
  afterAll(() => fs.rmSync(compiled, {recursive: true, force: true}))

  function pay(order: ChildOrder): Promise<ChildEnded> {
    const env = {...process.env, NODE_COMPILE_CACHE: compiled}
    const child = spawn(process.execPath, [program, JSON.stringify(order)], {env, stdio: ['ignore', 'pipe', 'inherit']})
    let out = ''
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
    return new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (code, signal) => {
        if (signal === null && code !== 0) return reject(new Error(`a child ended with ${code}`))
        return resolve({signal, ...(out !== '' && (JSON.parse(out) as {code: number}))})
      })
    })
  }

  // Other processes reach the service of the stage over real sockets, and move its clock. Returns undefined if the step was not reached:
  // a request that is never answered takes another time there.
  async function playKill(scene: Scene, crashAt: Step, kind: Kind): Promise<string[] | undefined> {
    const clockFile = path.join(newFolder(), 'clock')
    const stage = new Stage('journals', {clock: new FileClock(clockFile)})
    const {url} = await serveFake(stage.service)
    const journalFile = stage.journal()
    const key = 'killed'
    const {limits = {}, waitMs = 5_000, receive, mayResend} = scene.run
    await prepareScene(stage, scene, new Narrowing([kind]), key, journalFile, delayMs)
    const order = {url, clockFile, journalFile, key, receive, limits, waitMs, mayResend, requestTimeoutMs}
    const killed = await pay({...order, crashAt})
    if (killed.signal !== 'SIGKILL') {
      stage.close()
      return undefined
    }
    const problems: string[] = []
    const again = await pay({...order, limits: {}, crashAt: pickSecond(scene, crashAt)})
    if (again.code === 0 && stage.made(key).length === 0) problems.push('code 0 for nothing')
    problems.push(...(await checkAfterCrash(stage, scene, key, journalFile)))
    stage.close()
    return problems.map((problem) => `${scene.name}, ${crashAt}: ${problem}`)
  }

  it('is followed by a process that pays once, before whichever step it was killed', async () => {
    const scenes = await pickScenes()
    const playStep = async (crashAt: Step): Promise<string[]> => {
      const played: string[][] = []
      for (const index of scenes.keys()) {
        if (played.length > 0 && !isWhole) break
        const {scene, reached} = pickRotating(scenes, seed + index)
        const kind = reached.get(crashAt)
        const problems = kind && (await playKill(scene, crashAt, kind))
        if (problems) played.push(problems)
      }
      return played.length > 0 ? played.flat() : [`no process came to ${crashAt}`]
    }
    const problems: string[] = []
    for (let start = 0; start < steps.length; start += atOnce) {
      problems.push(...(await Promise.all(steps.slice(start, start + atOnce).map(playStep))).flat())
    }
    expect(problems).toEqual([])
  })
})

// Processes killed with kill -9 before every step, and once more during recovery, with every fault and real sockets. A sixth of
// the cells in each run; crash-matrix.test.ts plays the same cells in process.
import {spawn} from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import type {Step} from './steps.ts'
import type {ChildOrder} from './child.ts'
import {bundleProgram} from '../support/bundled-program.ts'
import {isInShare, shareName} from '../support/share.ts'
import {
  checkAfterCrash,
  allSteps,
  recordSteps,
  guaranteedCombinations,
  pickRotating,
  type Scene,
  scenes,
  injectFaults,
  runEarlier,
} from './crash-cells.ts'
import {type Combination, describeCombination} from './matrix.ts'
import {serveStage} from './served-stage.ts'

// Long for loopback, but short because many requests of these tests are never answered.
const requestTimeoutMs = 400
const delayMs = 20
// The number of scenes that run at once, each with its own service and journal.
const atOnce = 3
const playedOneIn = 6

interface ChildEnded {
  signal: NodeJS.Signals | null
  code?: number
}

describe('a process that is killed with kill -9', () => {
  let program: string
  let compiled: string
  let cells = 0
  let processes = 0
  const killedAt = new Set<Step>()
  // For each step, a scene that reaches it. Used for steps that no scene above was killed at.
  const reached: Array<Pick<Cell, 'scene' | 'combination' | 'index'> & {points: Step[]}> = []
  beforeAll(async () => {
    compiled = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-test-'))
    program = await bundleProgram(new URL('child.ts', import.meta.url))
  })
  afterAll(() => {
    fs.rmSync(compiled, {recursive: true, force: true})
    process.stderr.write(`killed for real: ${cells} cells, ${processes} processes, ${shareName}\n`)
  })

  function pay(order: ChildOrder): Promise<ChildEnded> {
    processes++
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

  interface Cell {
    served: Awaited<ReturnType<typeof serveStage>>
    scene: Scene
    combination: Combination
    index: number
    crashAt: Step
  }

  async function runCell({served, scene, combination, index, crashAt}: Cell): Promise<string[]> {
    const {stage, url, clockFile, journalFile} = served
    const key = `kill-${index}-${crashAt}`
    const again = pickRotating(allSteps, index * 5 + 3)
    const {limits = {}, waitMs = 5_000, receive} = scene.run
    const order: ChildOrder = {
      url,
      clockFile,
      journalFile,
      key,
      receive,
      limits,
      waitMs,
      requestTimeoutMs,
    }
    await runEarlier(stage, scene, key, journalFile)
    injectFaults(stage, scene, combination, index, delayMs)
    const problems: string[] = []
    const checkOutcome = ({code}: ChildEnded) => {
      if (code === 0 && stage.made(key).length === 0) problems.push('code 0 for nothing')
    }
    const killed = await pay({...order, crashAt})
    if (killed.signal === 'SIGKILL') killedAt.add(crashAt)
    checkOutcome(killed)
    // Every second recovery is killed as well.
    if (index % 2 === 0) checkOutcome(await pay({...order, limits: {}, crashAt: again}))
    problems.push(...(await checkAfterCrash(stage, key, journalFile, {receive})).problems)
    cells++
    return problems.map((one) => `${crashAt}, then ${again}, ${describeCombination(combination)}: ${one}`)
  }

  async function runScene(scene: Scene, sceneNumber: number): Promise<string[]> {
    const served = await serveStage()
    const {stage, journalFile} = served
    const problems: string[] = []
    const combination = pickRotating(guaranteedCombinations, sceneNumber * 7)
    const seen = await recordSteps(stage, scene, combination, sceneNumber, 'dry', journalFile)
    reached.push({scene, combination, index: sceneNumber, points: seen})
    for (const [pointNumber, crashAt] of seen.entries()) {
      const index = sceneNumber * 7 + pointNumber
      if (!isInShare(index, playedOneIn)) continue
      const now = pickRotating(guaranteedCombinations, index)
      problems.push(...(await runCell({served, scene, combination: now, index, crashAt})))
    }
    stage.close()
    return problems
  }

  for (let start = 0; start < scenes.length; start += atOnce) {
    const those = scenes.slice(start, start + atOnce)
    it(`is followed by a process that pays once: ${those.map(({name}) => name).join('; ')}`, async () => {
      const problems = await Promise.all(those.map((scene, offset) => runScene(scene, start + offset)))
      expect(problems.flat()).toEqual([])
    })
  }

  async function runDirected(crashAt: Step): Promise<string[]> {
    const served = await serveStage()
    const problems: string[] = []
    for (const {points, ...circumstances} of reached) {
      if (killedAt.has(crashAt) || !points.includes(crashAt)) continue
      problems.push(...(await runCell({served, crashAt, ...circumstances})))
    }
    served.stage.close()
    return problems
  }

  it('was killed before every step', async () => {
    for (const point of allSteps) if (!killedAt.has(point)) expect(await runDirected(point)).toEqual([])
    expect(allSteps.filter((point) => !killedAt.has(point))).toEqual([])
  })
})

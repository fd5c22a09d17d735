// The work on foreign text grows with its length and not with the square of it, by count and not by the clock.
import {Worker} from 'node:worker_threads'
import {expect, it} from 'vitest'
import type {Counted, Task} from './count-work.ts'
import {quadraticSubjects, subjects} from './subjects.ts'

// Twice the text may cost little more than twice the work; a constant part is free.
const sizes = [400, 800]
const growthMax = 2.5
const workFree = 1000

const units = [
  '.',
  'a',
  '"',
  '\\',
  '1 ',
  '+1',
  '; ',
  ',',
  '\n',
  '\t',
  '=',
  '[',
  '{"a":',
  '- ',
  'a: ',
  '&a ',
  '*a ',
  '# ',
  ': ',
  '\u001B',
  '\u001B]8;;',
  '\u009B;',
  '👩\u200D',
  '\u200D',
  '\u2028',
  '\u0085',
  '\uD800',
  '<',
  '<a>;',
  '"a","b"\r\n',
  '\u0000\u0000\u0000\u0000',
]

const countWork = (tasks: readonly Task[]) =>
  new Promise<Counted[]>((resolve, reject) => {
    const worker = new Worker(new URL('count-work.ts', import.meta.url), {workerData: tasks})
    worker.once('message', resolve).once('error', reject)
  })

const isSteep = ({work: [once = 0, twice = 0]}: Counted) => twice > growthMax * once + workFree

it('grows with the length of the text', async () => {
  const tasks = Object.keys(subjects).flatMap((subject) => units.map((unit) => ({subject, unit, sizes})))
  const counted = await countWork(tasks)
  expect(counted.filter(isSteep).map(({subject, unit, work}) => ({subject, unit, work}))).toEqual([])
})

it('would be noticed if it grew with the square', async () => {
  const tasks = Object.keys(quadraticSubjects).map((subject) => ({subject, unit: 'a', sizes}))
  expect((await countWork(tasks)).filter((counted) => !isSteep(counted))).toEqual([])
})

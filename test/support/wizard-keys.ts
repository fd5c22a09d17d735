// Answers the questions of a wizard by keys, each one after it appears on the screen.
import {setTimeout} from 'node:timers/promises'
import {expect} from 'vitest'
import type {Screen} from './terminal.ts'

export const keys = {
  enter: '\r',
  back: '\u001b[Z',
  stop: '\u0003',
  up: '\u001b[A',
  down: '\u001b[B',
  // Deletes the text that is filled in.
  clear: '\u0015',
}

// The position up to which each screen was read, because the same question may be asked again.
const readTo = new WeakMap<Screen, number>()

// Real time, also where a test has replaced the clocks of svc with virtual ones.
const pause = setTimeout
const readMs = performance.now.bind(performance)

const pollMs = 4
const idleMs = 40
const enterMs = 10_000
const enterTriesMax = 5
const timeoutMs = Number(process.env['SVC_TEST_SCREEN_MS'] ?? 120_000)

const escapeLetter = (letter: string) => (/[\p{L}\p{N}]/u.test(letter) ? letter : `\\${letter}`)

// The terminal may break a line anywhere, so white space may follow any letter.
const toPattern = (text: string) => Array.from(text.replaceAll(/\s+/g, ''), escapeLetter).join('\\s*')

// Whether new text comes to the screen in time, after the text of the last wait.
async function isShown(screen: Screen, text: string, waitMs: number): Promise<boolean> {
  const pattern = new RegExp(toPattern(text))
  for (const startedMs = readMs(); readMs() - startedMs <= waitMs; await pause(pollMs)) {
    const from = readTo.get(screen) ?? 0
    const found = pattern.exec(screen.text().slice(from))
    if (!found) continue
    readTo.set(screen, from + found.index + found[0].length)
    return true
  }
  return false
}

export async function waitForText(screen: Screen, text: string): Promise<void> {
  if (await isShown(screen, text, timeoutMs)) return
  expect.fail(`"${text}" is not on the screen:\n${screen.text().slice(readTo.get(screen) ?? 0)}`)
}

// Waits for a question, types the answer and `end`, and waits until the question is answered.
export async function answer(screen: Screen, question: string, typed = '', end = keys.enter): Promise<void> {
  await waitForText(screen, `? ${question}`)
  screen.type(typed + end)
  await waitForText(screen, `✔ ${question}`)
}

// Waits until nothing more is drawn.
async function waitUntilIdle(screen: Screen): Promise<void> {
  for (let length = -1; length !== screen.raw().length;) {
    length = screen.raw().length
    await pause(idleMs)
  }
}

// Types into a list, or moves in it, and selects what is highlighted then. A list that is still searching ignores Enter, and what it
// shows meanwhile may look like the end: then Enter is pressed again.
export async function choose(screen: Screen, question: string, term: string, shown: string): Promise<void> {
  await waitForText(screen, `? ${question}`)
  screen.type(term)
  await waitForText(screen, `❯ ${shown}`)
  for (let tries = 0; tries < enterTriesMax; tries++) {
    await waitUntilIdle(screen)
    screen.type(keys.enter)
    if (await isShown(screen, `✔ ${question}`, enterMs)) return
  }
  expect.fail(`${question} takes no answer:\n${screen.text().slice(readTo.get(screen) ?? 0)}`)
}

// Leaves a question with a key: back or stop.
export async function pressKey(screen: Screen, question: string, key: string): Promise<void> {
  await waitForText(screen, `? ${question}`)
  readTo.set(screen, screen.text().length)
  screen.type(key)
}

// What is typed before Enter, or what is searched for and then shown as the choice.
export type Answer = string | {term: string; shown: string}

async function findLabel(screen: Screen, labels: readonly string[], hasEnded: () => boolean) {
  const longestFirst = labels.toSorted((a, b) => b.length - a.length)
  for (const startedMs = readMs(); readMs() - startedMs <= timeoutMs; await pause(pollMs)) {
    const rest = screen.text().slice(readTo.get(screen) ?? 0)
    const questions = [...rest.matchAll(/(?:^|\n)\? ([^\n]+)/g)].map(([, question = '']) => question)
    // The longest label first, so that "Country that issued it" is not taken for "Country".
    const found = questions.flatMap((question) => longestFirst.find((each) => question.startsWith(each)) ?? [])
    if (found.length > 0 || hasEnded()) return found[0]
  }
  return expect.fail(`No question of the table came:\n${screen.text()}`)
}

// Answers the questions of a table, by the beginning of each, until the command has ended. Returns them in the order of asking. One that
// is not in the table fails the test.
export async function answerByTable(
  screen: Screen,
  table: Readonly<Record<string, Answer>>,
): Promise<{asked: string[]; code: number}> {
  const asked: string[] = []
  let hasEnded = false
  void screen.ended.then(() => (hasEnded = true))
  for (;;) {
    const label = await findLabel(screen, Object.keys(table), () => hasEnded)
    if (label === undefined) return {asked, code: await screen.ended}
    asked.push(label)
    const given = table[label] ?? ''
    if (typeof given === 'string') await answer(screen, label, given)
    else await choose(screen, label, given.term, given.shown)
  }
}

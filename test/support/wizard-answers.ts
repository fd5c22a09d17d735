// Answers the questions of a wizard from a table, and records the order in which they were asked.
import {setTimeout} from 'node:timers/promises'
import {keys as press, waitUntilIdle} from './wizard-keys.ts'
import type {Screen} from './terminal.ts'

// Keys to press in order. A pattern is waited for, such as the match of a search.
export type Keys = string | ReadonlyArray<string | RegExp>

// Searches a long list by typing, and selects the match.
export const searchAndSelect = (text: string, shown = text): Keys => [
  text,
  new RegExp(`${RegExp.escape(text)}\\s*❯ ${RegExp.escape(shown)}`),
  press.enter,
]

// Real time, also where a test has replaced the clocks of svc with virtual ones.
const pause = setTimeout
const readMs = performance.now.bind(performance)

const pollMs = 4
const timeoutMs = Number(process.env['SVC_TEST_SCREEN_MS'] ?? 120_000)

async function poll<T>(look: () => T | undefined, what: string, screen: Screen): Promise<T> {
  const startedMs = readMs()
  for (;;) {
    const found = look()
    if (found !== undefined) return found
    if (readMs() - startedMs > timeoutMs) throw new Error(`${what}\n${screen.text()}`)
    await pause(pollMs)
  }
}

const isPattern = (key: string | RegExp): key is RegExp => typeof key !== 'string'

// Answers until the command has ended. A question that is not in the table fails the test.
export async function answerByTable(
  screen: Screen,
  table: Readonly<Record<string, Keys>>,
): Promise<{asked: string[]; code: number}> {
  // The longest label first, so that "Country that issued it" is not taken for "Country".
  const labels = Object.keys(table).toSorted((a, b) => b.length - a.length)
  const asked: string[] = []
  let seen = 0
  let code: number | undefined
  void screen.ended.then((ended) => (code = ended))
  const rest = () => screen.text().slice(seen)
  for (;;) {
    const next = await poll(
      () => {
        const questions = [...rest().matchAll(/(?:^|\n)\? ([^\n]+)/g)].map(([, question = '']) => question)
        const label = questions.map((question) => labels.find((each) => question.startsWith(each))).find(Boolean)
        return label ?? (code === undefined ? undefined : null)
      },
      `No question of the table came after ${asked.join(', ')}`,
      screen,
    )
    if (next === null) return {asked, code: code ?? Number.NaN}
    asked.push(next)
    const keys = table[next] ?? ''
    for (const key of typeof keys === 'string' ? [keys] : keys) {
      if (isPattern(key)) {
        await poll(() => key.test(rest()) || undefined, `${String(key)} did not come`, screen)
        await waitUntilIdle(screen)
      } else screen.type(key)
    }
    const done = `✔ ${next}`
    const at = await poll(
      () => (rest().includes(done) ? screen.text().indexOf(done, seen) : code === undefined ? undefined : seen),
      `${next} was not taken`,
      screen,
    )
    seen = at + done.length
  }
}

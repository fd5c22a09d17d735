// A prompt on a terminal that is made narrower and wider while the question is open: nothing is left behind on the screen.
import {PassThrough, Writable} from 'node:stream'
import {setImmediate} from 'node:timers/promises'
import {describe, expect, it} from 'vitest'
import {openPromptOutput} from '../../../src/cli/prompts/prompt-output.ts'
import {pickPrompt} from '../../../src/cli/prompts/pick-prompt.ts'

// A terminal that wraps its lines again when its width changes, as most do. The cursor stays at its letter.
class Screen extends Writable {
  readonly isTTY = true
  columns: number
  #lines: string[] = ['']
  #line = 0
  #offset = 0

  constructor(columns: number) {
    super({decodeStrings: false})
    this.columns = columns
  }

  resize(columns: number): void {
    this.columns = columns
    this.emit('resize')
  }

  // The rows of the screen, each with its line and where it begins there.
  #rows() {
    return this.#lines.flatMap((text, line) =>
      Array.from({length: Math.max(1, Math.ceil(text.length / this.columns))}, (_, row) => ({
        line,
        start: row * this.columns,
        text: text.slice(row * this.columns, (row + 1) * this.columns).trimEnd(),
      })),
    )
  }

  text(): string[] {
    return this.#rows().map(({text}) => text)
  }

  #moveRows(count: number): void {
    const rows = this.#rows()
    const isHere = ({line, start}: {line: number; start: number}) => line === this.#line && start <= this.#offset
    const at = rows.findLastIndex(isHere)
    const column = this.#offset - (rows[at]?.start ?? 0)
    const target = rows[Math.max(0, Math.min(rows.length - 1, at + count))]
    this.#line = target?.line ?? 0
    this.#offset = (target?.start ?? 0) + column
  }

  #moveTo(column: number): void {
    this.#offset = Math.floor(this.#offset / this.columns) * this.columns + column
  }

  #write(letter: string): void {
    if (letter === '\n') {
      this.#line += 1
      if (this.#line >= this.#lines.length) this.#lines.push('')
      this.#offset = 0
    } else if (letter === '\r') this.#moveTo(0)
    else {
      const text = (this.#lines[this.#line] ?? '').padEnd(this.#offset)
      this.#lines[this.#line] = text.slice(0, this.#offset) + letter + text.slice(this.#offset + 1)
      this.#offset += 1
    }
  }

  #erase(isBelow: boolean): void {
    const text = this.#lines[this.#line] ?? ''
    const start = isBelow ? this.#offset : Math.floor(this.#offset / this.columns) * this.columns
    this.#lines[this.#line] = isBelow ? text.slice(0, start) : text.slice(0, start) + text.slice(start + this.columns)
    if (isBelow) this.#lines.length = this.#line + 1
  }

  override _write(chunk: unknown, _: BufferEncoding, done: () => void): void {
    // oxlint-disable-next-line no-control-regex -- The escape character is what it looks for.
    for (const [part, count, code] of String(chunk).matchAll(/\u001B\[\??([\d;]*)([A-Za-z])|[^]/g)) {
      if (code === 'A') this.#moveRows(-Number(count || 1))
      else if (code === 'B') this.#moveRows(Number(count || 1))
      else if (code === 'G') this.#moveTo(Number(count || 1) - 1)
      else if (code === 'K') this.#erase(false)
      else if (code === 'J') this.#erase(true)
      else if (code === undefined) this.#write(part)
    }
    done()
  }
}

const choices = [
  'Bank account “Bank account, SEPA” · Nordhafen Bank AG ****7339 · EUR by SEPA',
  'Bank account “Bank account, WIRE” · First Harbour Bank ****0484 · USD by WIRE',
  'Service wallet “Wallet on SOLANA” · on SOLANA',
].map((name) => ({name, value: name, short: name.slice(-12)}))

async function draw(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await setImmediate()
}

describe('a prompt on a terminal that is resized', () => {
  it('is redrawn where it was, and leaves nothing behind', async () => {
    const screen = new Screen(100)
    screen.write('svc: a line before\n')
    const input = new PassThrough()
    const answered = pickPrompt(
      {message: 'To which payment account?', source: choices},
      {input, output: openPromptOutput(screen)},
    )
    await draw()
    const atStart = screen.text()
    expect(atStart.slice(0, 2)).toEqual(['svc: a line before', '? To which payment account? (type to filter)'])
    for (const width of [60, 45, 33]) {
      screen.resize(width)
      await draw()
      const text = screen.text()
      expect(text[0]).toBe('svc: a line before')
      expect(text.filter((line) => line.includes('? To which'))).toHaveLength(1)
      expect(text.join('').split('Nordhafen')).toHaveLength(2)
    }
    input.write('wire')
    await draw()
    expect(screen.text().filter((line) => line.includes('? To which'))).toHaveLength(1)
    expect(screen.text().join(' ')).not.toContain('SEPA')
    screen.resize(100)
    await draw()
    expect(screen.text().filter((line) => line.includes('First Harbour'))).toHaveLength(1)
    input.write('\r')
    expect(await answered).toBe(choices[1]?.value)
    await draw()
    expect(screen.text().filter((line) => line !== '').length).toBeLessThanOrEqual(4)
    expect(screen.text().join(' ')).not.toContain('type to filter')
    expect(screen.listenerCount('resize')).toBe(0)
  })
})

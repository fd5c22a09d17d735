// Code whose characters beyond ASCII are escaped does the same.
import {runInNewContext} from 'node:vm'
import {expect, it} from 'vitest'
import {escapeCode} from '../../scripts/finish-code.ts'

it.each([
  '`it’s ${"…"} 😀`',
  String.raw`'\’ \\’ \\\’'`,
  String.raw`[/^[–—😀]$/u.test('😀'), /\’+/.exec('’’’')[0], /[✓-✗]/.test('✓'), 'ab'.split(/’/)]`,
  '(() => {const größe = {"ключ": 1, é: 2}; return [größe, größe.é]})()',
  '"plain"',
])('escapes %s', (code) => {
  const escaped = escapeCode(code)
  expect(escaped).toMatch(/^\p{ASCII}*$/u)
  expect(runInNewContext(escaped)).toEqual(runInNewContext(code))
})

it('leaves a template with a tag as it is, which may read what was written', () => {
  const code = 'String.raw`é`'
  expect(escapeCode(code)).toBe(code)
})

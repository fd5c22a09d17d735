// The look of the pages: colours that can be read in light and dark, and no style that no page uses.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {stylesheets} from '../../src/web/stylesheet.frozen.ts'
import {root} from '../support/svc.ts'

const readColours = (css: string) =>
  Object.fromEntries(
    [...css.matchAll(/--([a-z\d-]+): (#[\da-f]{6});/g)].map(([, name = '', value = '']) => [name, value]),
  )

const [, light = '', dark = ''] =
  /:root \{([^}]*)\}\s*@media \(prefers-color-scheme: dark\) \{([^}]*)\}/.exec(stylesheets.console) ?? []

// The contrast of WCAG 2.
function computeLuminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function computeContrast(one: string, other: string): number {
  const [low = 0, high = 0] = [computeLuminance(one), computeLuminance(other)].toSorted((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

const textOn: Record<string, readonly string[]> = {
  ground: ['ink', 'soft', 'accent'],
  card: ['ink', 'soft', 'accent', 'error', 'notice'],
  accent: ['on-accent'],
  wash: ['accent', 'ink'],
  'error-wash': ['error', 'ink', 'accent'],
  'notice-wash': ['notice', 'ink', 'accent'],
  'quiet-wash': ['soft', 'ink', 'accent'],
}
// Marks and the edges of fields need less than text.
const marksOn: Record<string, readonly string[]> = {card: ['edge', 'part-0', 'part-1', 'accent']}

const listPairs = (pairs: Record<string, readonly string[]>) =>
  Object.entries(pairs).flatMap(([ground, names]) => names.map((name) => [name, ground] as const))

describe.each([
  ['light', light],
  ['dark', dark],
])('the colours of %s pages', (_, css) => {
  const colours = readColours(css)
  const measure = (pairs: Record<string, readonly string[]>, min: number) =>
    listPairs(pairs).filter(([name, ground]) => computeContrast(colours[name] ?? '', colours[ground] ?? '') < min)

  it('can be read', () => {
    expect(Object.keys(colours)).toEqual(expect.arrayContaining(Object.keys(textOn)))
    expect(measure(textOn, 4.5)).toEqual([])
    expect(measure(marksOn, 3)).toEqual([])
  })
})

describe('the stylesheets', () => {
  const css = Object.values(stylesheets).join('')

  it('have no class that no page has', () => {
    const source = fs
      .globSync('src/**/*.ts', {cwd: root})
      .map((file) => fs.readFileSync(path.join(root, file), 'utf8'))
      .join('\n')
    // A class that ends with a number is written with one that is computed.
    const names = new Set([...css.matchAll(/\.([a-z][a-z-]*)/g)].map(([, name = '']) => name.replace(/-$/, '-$')))
    const isUsed = (name: string) => new RegExp(`["' \`]${name.replace('$', String.raw`\$`)}`).test(source)
    expect([...names].filter((name) => !isUsed(name))).toEqual([])
  })
})

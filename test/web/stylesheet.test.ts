// The look of the pages has no style that no page uses. That their colours can be read stands in the browser's tests.
import fs from 'node:fs'
import path from 'node:path'
import {expect, it} from 'vitest'
import {stylesheets} from '../../src/web/stylesheet.frozen.ts'
import {root} from '../support/svc.ts'

const css = Object.values(stylesheets).join('')

it('the stylesheets have no class that no page has', () => {
  const source = fs
    .globSync('src/**/*.ts', {cwd: root})
    .map((file) => fs.readFileSync(path.join(root, file), 'utf8'))
    .join('\n')
  // A class that ends with a number is written with one that is computed.
  const names = new Set([...css.matchAll(/\.([a-z][a-z-]*)/g)].map(([, name = '']) => name.replace(/-$/, '-$')))
  const isUsed = (name: string) => new RegExp(`["' \`]${name.replace('$', String.raw`\$`)}`).test(source)
  expect([...names].filter((name) => !isUsed(name))).toEqual([])
})

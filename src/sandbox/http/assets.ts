// The stylesheets and scripts of the pages. They are served without a credential.
import type {Reply} from './reply.ts'

const javascript = 'text/javascript; charset=utf-8'

// Imported on request, because most processes never serve a page.
const assets = {
  'page.css': {
    type: 'text/css; charset=utf-8',
    text: async () => (await import('../../web/stylesheet.frozen.ts')).stylesheets.form,
  },
  'console.css': {
    type: 'text/css; charset=utf-8',
    text: async () => (await import('../../web/stylesheet.frozen.ts')).stylesheets.console,
  },
  'console.js': {type: javascript, text: async () => (await import('../console/script.ts')).script},
} as const satisfies Record<string, {type: string; text: () => Promise<string>}>

export type AssetName = keyof typeof assets

const folder = '/assets/'

export const getAssetPath = (name: AssetName) => `${folder}${name}`

const isAsset = (name: string): name is AssetName => Object.hasOwn(assets, name)

export function findAsset(path: string): (() => Promise<Reply>) | undefined {
  const name = path.startsWith(folder) ? path.slice(folder.length) : ''
  if (!isAsset(name)) return undefined
  const {type, text} = assets[name]
  return async () => ({
    status: 200,
    headers: {
      'content-type': type,
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      // A newer svc serves another file under the same name.
      'cache-control': 'no-cache',
    },
    text: await text(),
    isUnlogged: true,
  })
}

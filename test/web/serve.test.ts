// What the servers of pages share.
import {gunzipSync} from 'node:zlib'
import {describe, expect, it} from 'vitest'
import {compressPage} from '../../src/web/serve.ts'

const text = 'Zoë Ångström waits. '.repeat(100)
const page = {headers: {'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store'}, text}

describe('a page', () => {
  it('is compressed for browsers that read it, with its other headers as they were', () => {
    const {headers, bytes} = compressPage(page, 'gzip, deflate, br') ?? {}
    expect(headers).toEqual({...page.headers, 'content-encoding': 'gzip', vary: 'accept-encoding'})
    expect(gunzipSync(bytes ?? Buffer.alloc(0)).toString()).toBe(text)
    expect(bytes?.length).toBeLessThan(200)
  })

  it('is sent as it is to everybody else, and so is what is short or no page', () => {
    for (const accepted of [undefined, '', 'br', 'identity', 'gzip;q=0', 'gzip; q=0.0, br', 'xgzip2']) {
      expect([accepted, compressPage(page, accepted)]).toEqual([accepted, undefined])
    }
    for (const accepted of ['gzip;q=0.5', 'br, gzip', 'deflate,gzip;q=1.0']) {
      expect([accepted, compressPage(page, accepted)?.headers['content-encoding']]).toEqual([accepted, 'gzip'])
    }
    expect(compressPage({...page, text: 'short'}, 'gzip')).toBeUndefined()
    expect(compressPage({...page, headers: {'content-type': 'application/json'}}, 'gzip')).toBeUndefined()
  })
})

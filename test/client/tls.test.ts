// HTTPS: a company's own authority is trusted when it is named, and nothing is said to a server that is not trusted.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {freshHome, run} from '../support/svc.ts'
import {createAuthority} from './certificates.ts'
import {expectFailure, serveSecurely, serveRaw} from './raw-service.ts'

const read = ['api', 'GET', '/x']

describe('a service behind an authority that is not trusted', () => {
  it('is not spoken to: 6, tried once, with the way to trust it', async () => {
    const service = await serveSecurely(createAuthority())
    const ended = await run(freshHome(), [...read, '--verbose'], {env: service.env})
    expect(ended).toMatchObject({code: 6, out: ''})
    expect(ended.err).toContain('SVC_CA_FILE')
    expect(ended.err.match(/^GET \/x → /gm)).toHaveLength(1)
    expect(service.heard).toEqual([])
  })

  it('is not written to either, and that is 6 since nothing was sent', async () => {
    const service = await serveSecurely(createAuthority())
    expectFailure(await run(freshHome(), ['api', 'POST', '/x', '--set', 'a=b'], {env: service.env}), 6)
    expect(service.heard).toEqual([])
  })

  it('is not spoken to where NODE_TLS_REJECT_UNAUTHORIZED=0 would let anybody listen', async () => {
    const service = await serveSecurely(createAuthority())
    const env = {...service.env, NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_NO_WARNINGS: '1'}
    expect(await run(freshHome(), read, {env})).toMatchObject({code: 6, out: ''})
    expect(service.heard).toEqual([])
  })

  it.each(['SVC_CA_FILE', 'NODE_EXTRA_CA_CERTS'])('is spoken to once %s names the authority', async (variable) => {
    const authority = createAuthority()
    const service = await serveSecurely(authority)
    const {code, out, err} = await run(freshHome(), read, {env: {...service.env, [variable]: authority.file}})
    expect({code, err, out: JSON.parse(out)}).toEqual({code: 0, err: '', out: {ok: true}})
    expect(service.authorizations).toEqual(['Bearer test-key'])
  })

  it('is a matter of settings where SVC_CA_FILE cannot be read', async () => {
    const service = await serveSecurely(createAuthority())
    const ended = await run(freshHome(), read, {env: {...service.env, SVC_CA_FILE: '/nowhere/ca.pem'}})
    expectFailure(ended, 2)
    expect(ended.err).toContain('/nowhere/ca.pem')
    expect(ended.err).toContain('ENOENT')
  })

  it('is not trusted because of a file that holds no certificate, or another one', async () => {
    const service = await serveSecurely(createAuthority())
    const home = freshHome()
    const garbage = path.join(home.folder, 'garbage.pem')
    fs.writeFileSync(garbage, 'no certificate\n')
    for (const file of [garbage, createAuthority().file])
      expect(await run(home, read, {env: {...service.env, SVC_CA_FILE: file}})).toMatchObject({code: 6, out: ''})
    expect(service.heard).toEqual([])
  })
})

describe('a trusted authority', () => {
  it('does not vouch for another name', async () => {
    const authority = createAuthority({host: 'other.example'})
    const service = await serveSecurely(authority)
    const ended = await run(freshHome(), read, {env: {...service.env, NODE_EXTRA_CA_CERTS: authority.file}})
    expectFailure(ended, 6)
    expect(ended.err).toContain('for another name')
    expect(service.heard).toEqual([])
  })

  it('does not vouch for a certificate that has expired', async () => {
    const authority = createAuthority({days: 0.5})
    const service = await serveSecurely(authority)
    const ended = await run(freshHome(), read, {env: {...service.env, SVC_CA_FILE: authority.file}})
    expectFailure(ended, 6)
    expect(ended.err).toContain('expired')
    expect(service.heard).toEqual([])
  })
})

describe('a server that speaks plain HTTP on an HTTPS address', () => {
  it('is one sentence, and the write that met it was not sent', async () => {
    const service = await serveRaw('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}')
    const env = {...service.env, SVC_BASE_URL: service.url.replace('http:', 'https:')}
    expectFailure(await run(freshHome(), ['api', 'POST', '/x', '--set', 'a=b'], {env}), 6)
    expect(service.heard.join('')).not.toContain('test-key')
  })
})

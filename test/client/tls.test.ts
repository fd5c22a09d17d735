// HTTPS: a company's own certificate authority is trusted if it is named, and nothing is sent to an untrusted server.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {freshHome, run} from '../support/svc.ts'
import {createAuthority} from './certificates.ts'
import {expectFailure, serveSecurely, serveRaw} from './raw-service.ts'

const read = ['api', 'GET', '/x']

describe('a service behind an authority that is not trusted', () => {
  it('gets no request: code 6, one attempt, and a hint how to trust it', async () => {
    const service = await serveSecurely(createAuthority())
    const ended = await run(freshHome(), [...read, '--verbose'], {env: service.env})
    expect(ended).toMatchObject({code: 6, out: ''})
    expect(ended.err).toContain('SVC_CA_FILE')
    expect(ended.err.match(/^GET \/x → /gm)).toHaveLength(1)
    expect(service.requests).toEqual([])
  })

  it('gets no write either, which is code 6, since nothing was sent', async () => {
    const service = await serveSecurely(createAuthority())
    expectFailure(await run(freshHome(), ['api', 'POST', '/x', '--set', 'a=b'], {env: service.env}), 6)
    expect(service.requests).toEqual([])
  })

  it('gets no request even with NODE_TLS_REJECT_UNAUTHORIZED=0', async () => {
    const service = await serveSecurely(createAuthority())
    const env = {...service.env, NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_NO_WARNINGS: '1'}
    expect(await run(freshHome(), read, {env})).toMatchObject({code: 6, out: ''})
    expect(service.requests).toEqual([])
  })

  it.each(['SVC_CA_FILE', 'NODE_EXTRA_CA_CERTS'])('gets requests once %s names the authority', async (variable) => {
    const authority = createAuthority()
    const service = await serveSecurely(authority)
    const {code, out, err} = await run(freshHome(), read, {env: {...service.env, [variable]: authority.file}})
    expect({code, err, out: JSON.parse(out)}).toEqual({code: 0, err: '', out: {ok: true}})
    expect(service.authorizations).toEqual(['Bearer test-key'])
  })

  it('is reported as wrong settings if SVC_CA_FILE cannot be read', async () => {
    const service = await serveSecurely(createAuthority())
    const ended = await run(freshHome(), read, {env: {...service.env, SVC_CA_FILE: '/nowhere/ca.pem'}})
    expectFailure(ended, 2)
    expect(ended.err).toContain('/nowhere/ca.pem')
    expect(ended.err).toContain('ENOENT')
  })

  it('is not trusted because of a file with no certificate or with another one', async () => {
    const service = await serveSecurely(createAuthority())
    const home = freshHome()
    const garbage = path.join(home.folder, 'garbage.pem')
    fs.writeFileSync(garbage, 'no certificate\n')
    for (const file of [garbage, createAuthority().file])
      expect(await run(home, read, {env: {...service.env, SVC_CA_FILE: file}})).toMatchObject({code: 6, out: ''})
    expect(service.requests).toEqual([])
  })
})

describe('a trusted authority', () => {
  it('does not make a certificate for another name valid', async () => {
    const authority = createAuthority({host: 'other.example'})
    const service = await serveSecurely(authority)
    const ended = await run(freshHome(), read, {env: {...service.env, NODE_EXTRA_CA_CERTS: authority.file}})
    expectFailure(ended, 6)
    expect(ended.err).toContain('for another name')
    expect(service.requests).toEqual([])
  })

  it('does not make an expired certificate valid', async () => {
    const authority = createAuthority({days: 0.5})
    const service = await serveSecurely(authority)
    const ended = await run(freshHome(), read, {env: {...service.env, SVC_CA_FILE: authority.file}})
    expectFailure(ended, 6)
    expect(ended.err).toContain('expired')
    expect(service.requests).toEqual([])
  })
})

describe('a server that speaks plain HTTP on an HTTPS address', () => {
  it('is reported in one sentence, and the write was not sent', async () => {
    const service = await serveRaw('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}')
    const env = {...service.env, SVC_BASE_URL: service.url.replace('http:', 'https:')}
    expectFailure(await run(freshHome(), ['api', 'POST', '/x', '--set', 'a=b'], {env}), 6)
    expect(service.requests.join('')).not.toContain('test-key')
  })
})

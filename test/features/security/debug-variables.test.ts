// Variables with which Node, its libraries and svc say more about what they do: no credential is printed with any of them, alone or
// together.
import {describe, expect, it} from 'vitest'
import {createAuthority} from '../../client/certificates.ts'
import {serveSecurely, startProxy} from '../../client/raw-service.ts'
import {usePostgres} from '../../support/postgres.ts'
import {reply, serve} from '../../support/service.ts'
import {type Home, freshHome, spawnSvc} from '../../support/svc.ts'

const getAddress = usePostgres()
const credential = 'hidden-api-key'

const native = [
  'HTTP',
  'HTTPCLIENTREQUEST',
  'HTTPINCOMINGMESSAGE',
  'TCPWRAP',
  'TLSWRAP',
  'CRYPTO',
  'PIPEWRAP',
  'MODULE',
]

const variables: ReadonlyArray<readonly [name: string, value: string]> = [
  ['NODE_DEBUG', '*'],
  ['NODE_DEBUG_NATIVE', native.join(',')],
  ['DEBUG', '*'],
  ['SVC_DEBUG', '1'],
  ['NODE_OPTIONS', '--trace-warnings --trace-uncaught --trace-exit --trace-env --trace-env-js-stack --trace-tls'],
]

const all = Object.fromEntries(variables)
const combinations = [all, ...variables.map((one) => Object.fromEntries([one]))]

async function printAll(home: Home, args: readonly string[], env: Record<string, string>): Promise<string> {
  const {out, err} = await spawnSvc(home, args, {env})
  return out + err
}

describe('debug variables', () => {
  it.each(combinations)('print no credential: %#', async (debug) => {
    const service = await serve(({path}, response) =>
      path === '/customers' ? reply(response, 200, {customers: []}) : reply(response, 500, {error: 'X'}),
    )
    const env = {...service.env, SVC_API_KEY: credential, ...debug}
    const [read, failed] = await Promise.all([
      printAll(freshHome(), ['customers', 'list', '--verbose'], env),
      printAll(freshHome(), ['api', 'POST', '/quotes', '--set', 'a=b', '--yes', '--verbose'], env),
    ])
    expect(service.requests.length).toBeGreaterThan(1)
    expect(read + failed).not.toContain(credential)
  })

  it('print neither the credential of a service over TLS nor that of the proxy', async () => {
    const authority = createAuthority()
    const service = await serveSecurely(authority)
    const proxy = await startProxy()
    const env = {...service.env, SVC_API_KEY: credential, SVC_CA_FILE: authority.file, ...all}
    const read = ['api', 'GET', '/x', '--verbose']
    const printed = await printAll(freshHome(), read, {...env, HTTPS_PROXY: proxy.url})
    expect(service.authorizations).toEqual([`Bearer ${credential}`])
    expect(printed).not.toContain('hidden')
    // Node itself prints it, so that nothing is sent.
    const HTTPS_PROXY = proxy.url.replace('://', '://me:hidden-proxy-password@')
    const refused = await spawnSvc(freshHome(), read, {env: {...env, HTTPS_PROXY}})
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('NODE_DEBUG would print the password')])
    expect(refused.out + refused.err).not.toContain('hidden')
    expect(service.authorizations).toHaveLength(1)
  })

  it('do not print the password of the database', async () => {
    const env = {...all, SVC_JOURNAL: getAddress(), PGPASSWORD: 'hidden-password'}
    const printed = await printAll(freshHome(), ['journal', 'list', '-p', 'sandbox'], env)
    expect(printed).toContain('journal init')
    expect(printed).not.toContain('hidden')
  })
})

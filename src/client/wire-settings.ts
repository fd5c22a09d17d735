// How connections are made, by the environment: the proxy, and the authorities whose certificates are accepted.
import {SvcError, badSettings, getSystemCode} from '../errors.ts'
import {readRegularFile} from '../storage/read-regular-file.ts'
import type {WireSettings} from './http.ts'

const proxyVariables = ['HTTPS_PROXY', 'https_proxy', 'NO_PROXY', 'no_proxy']

// The proxy settings of the environment, by variable name.
export function readProxySettings(): Record<string, string> {
  const proxy: Record<string, string> = {}
  for (const name of proxyVariables) {
    const value = process.env[name]
    if (value) proxy[name] = /^https_proxy$/i.test(name) ? parseProxy(value, name) : value
  }
  return proxy
}

export function readWireSettings(): WireSettings {
  const proxy = readProxySettings()
  return {...(Object.keys(proxy).length > 0 && {proxy}), authorities: loadAuthorities}
}

// Node silently ignores a proxy that it cannot use, and the request would then bypass the proxy. A host and port without a
// protocol is an HTTP proxy, as in other tools.
function parseProxy(value: string, name: string): string {
  const address = /^[a-z][a-z\d+.-]*:\/\//i.test(value) ? value : `http://${value}`
  if (/^https?:$/.test(URL.parse(address)?.protocol ?? '')) return address
  throw badSettings(
    `${name} does not name a proxy that svc can use`,
    'Give an address such as http://proxy.example.com:8080',
  )
}

// Node's own authorities, those of NODE_EXTRA_CA_CERTS, the system's store, and the file that SVC_CA_FILE names.
function loadAuthorities(): string[] {
  const tls = process.getBuiltinModule('node:tls')
  const known = [...tls.getCACertificates('default'), ...tls.getCACertificates('system')]
  const file = process.env['SVC_CA_FILE']
  if (!file) return known
  try {
    return [...known, readRegularFile(file).toString()]
  } catch (cause) {
    if (cause instanceof SvcError) throw cause
    throw badSettings(
      `The file ${file}, which SVC_CA_FILE names, cannot be read (${getSystemCode(cause)})`,
      'Check the path',
      cause,
    )
  }
}

// Checks of this machine: Node, settings, profile, credential, proxy and certificates.
import fs from 'node:fs'
import {readProxySettings} from '../client/http.ts'
import {SvcError, badSettings, getSystemCode} from '../errors.ts'
import {type Caller, findCaller, noCaller} from '../profiles/caller.ts'
import {readClaims} from '../profiles/credentials.ts'
import {folderFileName} from '../profiles/folder-profile.ts'
import {findProfile, getSettingsPath, readSettings, sandboxAddress} from '../profiles/profiles.ts'
import {assertSecretsReadable, getSecretsPath} from '../profiles/secrets.ts'
import {getConfigFolder, getStateFolder} from '../storage/folders.ts'
import {readRegularFile} from '../storage/read-regular-file.ts'
import {openEmbeddedSandbox} from '../transport.ts'
import {capitalize, quoteForShell} from '../values/text.ts'
import {type CheckContext, type CheckResult, failed, ok, warning} from './run-checks.ts'

// The same version as in bin/run.js, which rejects an older Node before anything else is loaded.
const nodeRequired = [24, 5] as const

// A token that expires within the life of a quote may expire in the middle of a payment.
const tokenLifeShortMs = 5 * 60_000

export function checkNodeVersion(): CheckResult {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const isOld = major < nodeRequired[0] || (major === nodeRequired[0] && minor < nodeRequired[1])
  if (!isOld) return ok(`Node ${process.versions.node}`)
  return failed(`Node ${process.versions.node}, older than ${nodeRequired.join('.')}`, 'Install a newer Node')
}

export function checkSettings(): CheckResult {
  const {schemaVersion, profiles} = readSettings()
  if (!fs.existsSync(getSettingsPath())) return ok(`None yet at ${getSettingsPath()}`)
  const count = Object.keys(profiles).length
  return ok(`${getSettingsPath()}, schema ${schemaVersion}, ${count} profile${count === 1 ? '' : 's'}`)
}

export function checkSecrets(): CheckResult {
  assertSecretsReadable()
  return ok(fs.existsSync(getSecretsPath()) ? getSecretsPath() : `No secrets file at ${getSecretsPath()}`)
}

export function checkProfile(context: CheckContext): CheckResult {
  const caller = findCaller(context.profileName)
  if (!caller) throw noCaller()
  context.caller = caller
  const chosen = caller.chosenBy?.endsWith(folderFileName) ? `, chosen by ${caller.chosenBy}` : ''
  return ok(`${capitalize(caller.label)}, ${caller.environment}${caller.readOnly ? ', read-only' : ''}${chosen}`)
}

// Every check that needs the caller runs after checkProfile.
export function requireCaller({caller}: CheckContext): Caller {
  if (!caller) throw new Error('a check needs a caller before there is one')
  return caller
}

export const isEmbedded = ({baseUrl}: Caller) => baseUrl === sandboxAddress

export async function checkCredential(context: CheckContext): Promise<CheckResult> {
  const caller = requireCaller(context)
  if (isEmbedded(caller)) return ok('The key of the embedded sandbox')
  const claims = await readClaims(await caller.credential(false, context.timeoutMs))
  const what = `${claims ? 'A JWT' : 'An API key'} ${describeStore(caller)}`
  if (!claims?.expiresAt) return ok(what)
  const leftMs = claims.expiresAt.getTime() - Date.now()
  const until = claims.expiresAt.toISOString()
  const next = caller.profileName ? `Log in again with \`svc login -p ${caller.profileName}\`` : 'Set a new one'
  if (leftMs <= 0) return failed(`${what}, which expired at ${until}`, next)
  if (leftMs < tokenLifeShortMs && !caller.renewable) return warning(`${what}, valid only until ${until}`, next)
  return ok(`${what}, valid until ${until}`)
}

function describeStore({profileName}: Caller): string {
  if (!profileName) return `from ${process.env['SVC_API_KEY'] ? 'SVC_API_KEY' : 'SVC_ACCESS_TOKEN'}`
  const {kind, storedIn} = findProfile(profileName)?.credential ?? {}
  if (kind === 'COMMAND') return 'from the credential command'
  return storedIn === 'keychain' ? 'in the keychain' : `in ${getSecretsPath()}`
}

export function checkNetwork(context: CheckContext): CheckResult {
  if (!requireCaller(context).baseUrl.startsWith('https:')) return ok('No proxy and no certificates are needed')
  const inUse = [...Object.entries(readProxySettings()).map(describeProxy), ...describeAuthorities()]
  return ok(inUse.length > 0 ? `In use: ${inUse.join(', ')}` : 'No proxy, no certificate authorities besides Node’s')
}

// A proxy URL may contain a password, so only the host is shown.
const describeProxy = ([name, value]: [string, string]) =>
  /^https_proxy$/i.test(name) ? `${name} ${URL.parse(value)?.host ?? ''}` : `${name} ${value}`

function describeAuthorities(): string[] {
  return ['SVC_CA_FILE', 'NODE_EXTRA_CA_CERTS'].flatMap((name) => {
    const file = process.env[name]
    if (!file) return []
    if (hasCertificate(file, name)) return [`${name} ${file}`]
    throw badSettings(`The file ${file}, which ${name} names, contains no certificate`, 'Give a PEM file')
  })
}

function hasCertificate(file: string, name: string): boolean {
  try {
    return readRegularFile(file).toString().includes('-----BEGIN CERTIFICATE-----')
  } catch (cause) {
    if (cause instanceof SvcError) {
      throw badSettings(`${name} names no certificate file: ${cause.sentence}`, 'Give a PEM file', cause)
    }
    throw badSettings(
      `The file ${file}, which ${name} names, cannot be read (${getSystemCode(cause)})`,
      'Check the path',
      cause,
    )
  }
}

export async function checkSandbox(context: CheckContext): Promise<CheckResult | undefined> {
  if (!context.caller || !isEmbedded(context.caller)) return undefined
  const embeddedSandbox = await openEmbeddedSandbox()
  try {
    const {file, schemaVersion, customers} = embeddedSandbox.status()
    const count = Object.values(customers).reduce((sum, each) => sum + each, 0)
    return ok(`${file}, schema ${schemaVersion}, ${count} customer${count === 1 ? '' : 's'}`)
  } finally {
    embeddedSandbox.close()
  }
}

const othersBits = 0o077

// Whether others can read what svc has stored. A state folder that was named with SVC_STATE_DIR may be shared on purpose.
export function checkFileModes(): CheckResult {
  const files = [getSettingsPath(), getSecretsPath()].filter((file) => fs.existsSync(file))
  const folders = [files.length > 0 && getConfigFolder(), !process.env['SVC_STATE_DIR'] && getStateFolder()]
  const stored = [...folders, ...files].filter((file) => file !== false && fs.existsSync(file)) as string[]
  const foreign = process.getuid ? stored.filter((file) => fs.statSync(file).uid !== process.getuid?.()) : []
  if (foreign.length > 0) return failed(`${foreign.join(', ')} belong to another user`, 'Make them your own')
  const open = process.getuid ? stored.filter((file) => (fs.statSync(file).mode & othersBits) !== 0) : []
  if (open.length > 0) {
    const commands = open.map((file) => `\`chmod ${files.includes(file) ? '600' : '700'} ${quoteForShell(file)}\``)
    return failed(`Others can read ${open.join(', ')}`, `Run ${commands.join(', then ')}`)
  }
  return ok(stored.length === 0 ? 'svc has stored nothing here yet' : 'Only you can read what svc has stored')
}

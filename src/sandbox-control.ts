// Gives the commands of the sandbox the operations of control: on the embedded sandbox in this process, or over HTTP at a
// running server, which --url names.
import {badUsage, noCredential} from './errors.ts'
import {type Caller, findCaller} from './profiles/caller.ts'
import {sandboxName} from './profiles/profiles.ts'
import type {CallOperation} from './sandbox/operations/operations.ts'
import {getSandboxFile} from './storage/folders.ts'
import {type Sandbox, openEmbeddedSandbox} from './transport.ts'
import {isLoopbackUrl} from './values/urls.ts'

export type {CallOperation, OperationOutput} from './sandbox/operations/operations.ts'

export interface ControlChoice {
  url?: string | undefined
}

interface ServerAddress {
  url: string
  controlToken: string
}

// Where programs control the running server.
interface ControlAddress {
  controlUrl: string
  controlToken: string
  controlOpenapiUrl: string
}

export interface Control {
  call: CallOperation
  // Who reads customers, accounts and transactions of this sandbox, to find what is meant by a name.
  caller: Caller | undefined
  // The running server of the sandbox, if there is one.
  findServer(): Promise<ControlAddress | undefined>
}

const tokenVariable = 'SVC_SANDBOX_CONTROL_TOKEN'

function parseServerUrl(text: string): string {
  const address = URL.parse(text)
  const isSafe = address?.protocol === 'https:' || (address?.protocol === 'http:' && isLoopbackUrl(text))
  if (address && isSafe && address.search === '' && address.username === '') {
    return address.href.replace(/\/(?:_sandbox\/v1\/?)?$/, '')
  }
  throw badUsage(
    `--url "${text}" is not the address of a sandbox`,
    'Give one such as http://127.0.0.1:4010; the token is sent to this machine, or over https',
  )
}

// Only looked for, so that no database is made.
const findOwnServer = async () => {
  if (!process.getBuiltinModule('node:fs').existsSync(getSandboxFile())) return undefined
  const sandbox = await openEmbeddedSandbox()
  try {
    return await sandbox.findServer()
  } finally {
    sandbox.close()
  }
}

async function findAddress(url: string): Promise<ServerAddress> {
  const asked = parseServerUrl(url)
  const token = process.env[tokenVariable]
  if (token) return {url: asked, controlToken: token}
  const own = await findOwnServer()
  if (own?.url === asked) return own
  throw noCredential(
    `The control token of ${asked} is not known`,
    `Set ${tokenVariable} to the controlToken that \`svc sandbox start --json\` printed; for the server of another database, SVC_SANDBOX_FILE naming it is enough`,
  )
}

// A caller that only reads. The server issues its credential.
const createReader = ({url}: ServerAddress, call: CallOperation): Caller => ({
  label: `the sandbox at ${url}`,
  baseUrl: url,
  service: url,
  environment: 'sandbox',
  readOnly: true,
  duplicateWindowMs: 0,
  credential: async () => (await call('token', {})).token,
  renewable: false,
})

async function describeAddress({url, controlToken}: ServerAddress): Promise<ControlAddress> {
  const {controlDocumentPath, controlPrefix} = await import('./sandbox/operations/constants.ts')
  return {controlUrl: url + controlPrefix, controlToken, controlOpenapiUrl: url + controlDocumentPath}
}

async function connectControl(address: ServerAddress): Promise<Control> {
  const {createRemoteCall} = await import('./sandbox/operations/remote.ts')
  const call = createRemoteCall({url: address.url, token: address.controlToken})
  return {call, caller: createReader(address, call), findServer: () => describeAddress(address)}
}

const createSandboxCall = async (sandbox: Sandbox): Promise<CallOperation> =>
  (await import('./sandbox/operations/call.ts')).createCall(sandbox)

export async function openControl({url}: ControlChoice): Promise<Control> {
  if (url !== undefined) return connectControl(await findAddress(url))
  const sandbox = await openEmbeddedSandbox()
  return {
    call: await createSandboxCall(sandbox),
    caller: findCaller(sandboxName),
    findServer: async () => {
      const server = await sandbox.findServer()
      return server && describeAddress(server)
    },
  }
}

// Serves the sandbox over HTTP on a loopback port.
import {controlDocumentPath, controlPrefix} from '../operations/constants.ts'
import type {HandleRequest} from './app.ts'
import {openSandbox, type SandboxOptions} from '../sandbox.ts'
import {createRouter} from './router.ts'
import {formsPath, publishAddress} from './server-address.ts'
import {fromNodeRequest, type ServerConnections, writeNodeResponse} from './node-http.ts'
import {hourMs} from '../../values/time.ts'
import {createEntrance} from '../../web/entrance.ts'
import {createToken, serveLocal} from '../../web/serve.ts'
import {getAssetPath} from './assets.ts'

export interface ServerOptions extends Pick<
  SandboxOptions,
  'file' | 'seed' | 'frameAncestors' | 'onFault' | 'onRequest' | 'openJournal'
> {
  // 0 picks a free one.
  port: number
  // Called with messages about webhooks.
  notice: (text: string) => void
}

export interface RunningServer {
  url: string
  formsUrl: string
  // A link that lets one browser into the console, once.
  consoleUrl: string
  createConsoleLink: () => string
  // Resolves when a browser was let in.
  consoleEntered: Promise<void>
  apiKey: string
  // The endpoints of control, the token that they need, and the document that describes them.
  controlUrl: string
  controlToken: string
  controlOpenapiUrl: string
  // Open requests are answered first.
  stop(): Promise<void>
}

// Unless other parents are named, pages that are developed on this machine may show the forms in a frame.
const frameAncestorsDefault = ['http', 'https'].flatMap((protocol) =>
  ['localhost', '*.localhost', '127.0.0.1'].map((host) => `${protocol}://${host}:*`),
)

const logBatchMs = 100
// A sandbox is started before the console is needed.
const consoleLinkLifeMs = hourMs

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const {onFault = () => {}, notice} = options
  const connections: ServerConnections = {stopping: false, hanging: new Set()}
  const opened = Promise.withResolvers<HandleRequest>()
  // The port comes first: links to forms contain it, and without a port no database should be created.
  const server = await serveLocal({
    port: options.port,
    // Another host gets an error in the format of the service, from the router.
    anyHost: true,
    onFault,
    handle: async (incoming) => {
      const handle = await opened.promise
      const sandboxResponse = await handle(fromNodeRequest(incoming))
      return (response) => writeNodeResponse(incoming, response, sandboxResponse, connections)
    },
  })
  const url = server.origin
  const formsUrl = url + formsPath
  // Random, because what a database derives from its seed can be known.
  const controlToken = createToken()
  const consoleEntrance = createEntrance({
    linkLifeMs: consoleLinkLifeMs,
    stylesheet: getAssetPath('page.css'),
    advice: 'It was used before, or is too old. svc console -p sandbox opens the console again.',
  })
  const createConsoleLink = () => url + consoleEntrance.createLink()
  const settings = {frameAncestors: frameAncestorsDefault, ...options, consoleEntrance}
  try {
    const sandbox = openSandbox({
      ...settings,
      url,
      formsUrl,
      batchMs: logBatchMs,
    })
    opened.resolve(createRouter({sandbox, url, token: controlToken, onFault}))
    const delivery = await sandbox.startDelivery(notice)
    const withdrawAddress = publishAddress(options.file, {url, controlToken})
    return {
      url,
      formsUrl,
      consoleUrl: createConsoleLink(),
      createConsoleLink,
      consoleEntered: consoleEntrance.entered,
      apiKey: sandbox.apiKey,
      controlUrl: url + controlPrefix,
      controlToken,
      controlOpenapiUrl: url + controlDocumentPath,
      async stop() {
        connections.stopping = true
        try {
          withdrawAddress()
        } finally {
          for (const response of connections.hanging) response.destroy()
          await Promise.all([server.stop(), delivery.stop()])
          sandbox.close()
        }
      },
    }
  } catch (error) {
    await server.stop()
    throw error
  }
}

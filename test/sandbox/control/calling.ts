// Calls the endpoints of control of a server in this process.
import {controlPrefix} from '../../../src/sandbox/control/constants.ts'
import {type Served, sendRequest} from '../server/serving.ts'

export async function control(
  server: Served,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
) {
  const {controlToken} = server.control
  const reply = await sendRequest({...server, apiKey: controlToken}, method, controlPrefix + path, {
    body,
    headers,
  })
  return {...reply, body: JSON.parse(reply.text) as Record<string, unknown>}
}

// Calls the endpoints of control of a server in this process.
import {controlPrefix} from '../../../src/sandbox/operations/constants.ts'
import {type Served, sendRequest} from '../http/serving.ts'

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

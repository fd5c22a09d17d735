// Keeps requests that must not be repeated off idle connections that the service has closed.
import type http from 'node:http'

// How many replies came on connections that had been used before, since the last failure.
const reuseCounts = new WeakMap<http.Agent, number>()
// After so many, the service is known to keep its connections open.
const reuseCountMin = 20

export function noteReply(agent: http.Agent, request: http.ClientRequest): void {
  if (request.reusedSocket) reuseCounts.set(agent, (reuseCounts.get(agent) ?? 0) + 1)
}

export function noteFailure(agent: http.Agent): void {
  reuseCounts.delete(agent)
}

// Lets Node notice that the service has closed an idle connection. While svc computes or writes, Node does not read its sockets, and
// a request on a closed one fails as if it may have arrived. Once a service has kept its connections, svc no longer waits for this.
export async function dropClosedConnections(agent: http.Agent): Promise<void> {
  if ((reuseCounts.get(agent) ?? 0) >= reuseCountMin || Object.keys(agent.freeSockets).length === 0) return
  // The event loop may read from its sockets only after the first turn, and the agent drops a closed one after the second.
  for (let turn = 1; turn <= 3; turn++) await new Promise(setImmediate)
}

// A thread that filters JSON for the `jq` of the scripts that tests run. It is no part of the test's own thread, because jq-wasm
// sets the exit code of the process, also while svc runs there. Its parent is told its port.
import net, {type AddressInfo, type Socket} from 'node:net'
import {parentPort} from 'node:worker_threads'

const failedCode = 5

async function filter(input: string, words: readonly string[]): Promise<string> {
  const {filterJson} = await import('./filter-json.ts')
  return filterJson(input, words)
}

// Reads the number of words, the words and the input, each ended by a zero byte. Answers with the exit code on a line of its
// own, and the output.
function answer(socket: Socket): void {
  let received = ''
  socket.setEncoding('utf8').on('data', (text: string) => {
    received += text
    const [count = '', ...parts] = received.split('\0')
    // What follows the last zero byte is a part too.
    if (parts.length < Number(count) + 2) return
    const words = parts.slice(0, Number(count))
    filter(parts[words.length] ?? '', words).then(
      (output) => socket.end(`0\n${output}`),
      (error: unknown) => socket.end(`${failedCode}\n${String(error)}\n`),
    )
  })
  // A script that was ended does not read the answer.
  socket.on('error', () => {})
}

const server = net.createServer(answer)
server.listen(0, '127.0.0.1', () => parentPort?.postMessage((server.address() as AddressInfo).port, []))

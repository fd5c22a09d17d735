// Reads one key from the terminal.

export type Choice = 'run' | 'skip' | 'quit' | 'interrupt'

const choices = new Map<string, Choice>([
  ['\r', 'run'],
  ['\n', 'run'],
  [' ', 'run'],
  ['s', 'skip'],
  ['S', 'skip'],
  ['q', 'quit'],
  ['Q', 'quit'],
  ['\u001B', 'quit'],
  ['\u0004', 'quit'],
  ['\u0003', 'interrupt'],
])

// Keys may arrive together. An arrow key is a sequence that begins like Esc, and means nothing here.
function findChoice(keys: string): Choice | undefined {
  if (keys.length > 1 && keys.startsWith('\u001B')) return undefined
  return Array.from(keys, (key) => choices.get(key)).find((choice) => choice !== undefined)
}

// Waits for a key that means something. A terminal that goes away quits.
export function readChoice(): Promise<Choice> {
  const {stdin} = process
  return new Promise((resolve) => {
    const end = (choice: Choice) => {
      stdin.off('data', onData).off('end', onEnd)
      stdin.setRawMode(false)
      stdin.pause()
      resolve(choice)
    }
    const onEnd = () => end('quit')
    const onData = (keys: Buffer) => {
      const choice = findChoice(keys.toString())
      if (choice) end(choice)
    }
    stdin.setRawMode(true)
    stdin.on('data', onData).on('end', onEnd)
    stdin.resume()
  })
}

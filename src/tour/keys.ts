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
      const choice = choices.get(keys.toString().slice(0, 1))
      if (choice) end(choice)
    }
    stdin.setRawMode(true)
    stdin.on('data', onData).on('end', onEnd)
    stdin.resume()
  })
}

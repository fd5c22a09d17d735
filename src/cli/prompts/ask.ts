// Questions to a person. They go to standard error, so that standard output stays data.

const toPerson = {output: process.stderr}

export async function askSecret(message: string): Promise<string> {
  const {password} = await import('@inquirer/prompts')
  return password({message, mask: '•'}, toPerson)
}

export async function askText(
  message: string,
  check: (text: string) => true | string,
  offered?: string,
): Promise<string> {
  const {input} = await import('@inquirer/prompts')
  return input({message, validate: check, ...(offered && {default: offered})}, toPerson)
}

export async function askChoice<T>(message: string, choices: Array<{name: string; value: T}>): Promise<T> {
  const {select} = await import('@inquirer/prompts')
  return select({message, choices}, toPerson)
}

// What moves money or cannot be undone is never done by pressing return alone, nor by any key but a typed yes.
export async function askYes(message: string): Promise<boolean> {
  const {yesPrompt} = await import('./yes-prompt.ts')
  return yesPrompt({message}, toPerson)
}

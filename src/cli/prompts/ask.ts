// Questions to a person. They go to standard error, so that standard output stays data.

const promptContext = {output: process.stderr}

export async function askSecret(message: string): Promise<string> {
  const {password} = await import('@inquirer/prompts')
  return password({message, mask: '•'}, promptContext)
}

export async function askText(
  message: string,
  check: (text: string) => true | string,
  initial?: string,
): Promise<string> {
  const {input} = await import('@inquirer/prompts')
  return input({message, validate: check, ...(initial && {default: initial})}, promptContext)
}

export async function askChoice<T>(message: string, choices: Array<{name: string; value: T}>): Promise<T> {
  const {select} = await import('@inquirer/prompts')
  return select({message, choices}, promptContext)
}

// What moves money or cannot be undone is never done by pressing return alone, nor by any key but a typed yes.
export async function askYes(message: string): Promise<boolean> {
  const {yesPrompt} = await import('./yes-prompt.ts')
  return yesPrompt({message}, promptContext)
}

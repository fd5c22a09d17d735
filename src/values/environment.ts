// The environment of the programs that svc starts: commands for notifications, credentials and passwords, the pager, OpenSSH, and
// the browser. They are programs of the user's, and need none of svc's secrets.

// Commands may contain a secret, so they count as one.
const secretName = /^(?:SVC_.*(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|COMMAND)|PGPASSWORD$)/i

// The address of a database or a receiver may have a password in it.
function hasPassword(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && (url.password !== '' || url.searchParams.has('password'))
}

const isSecret = ([name, value = '']: [name: string, value: string | undefined]) =>
  secretName.test(name) || (name.startsWith('SVC_') && hasPassword(value))

export const listSecretVariables = (env: NodeJS.ProcessEnv): string[] =>
  Object.entries(env)
    .filter(isSecret)
    .map(([name]) => name)

export const omitSecretVariables = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter((variable) => !isSecret(variable)))

// Logs in: checks a credential with a request, then stores it with its profile.
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../cli/command.ts'
import {SvcError, badUsage, noCredential, getExitCodes} from '../errors.ts'
import {type Login, storeLogin} from '../profiles/login.ts'
import {type Profile, validateProfileName, findProfile, getServiceName, summarizeProfile} from '../profiles/profiles.ts'
import {describePermissions, findOrganization} from '../profiles/organization.ts'
import {nameCommand, parseSecret, readClaims, runSecretCommand} from '../profiles/credentials.ts'
import {describeStatement} from '../profiles/service.ts'
import {assertSecretsReadable, getSecretsPath} from '../profiles/secrets.ts'
import {askYes} from '../cli/prompts/ask.ts'
import {askEnvironment, completeBaseUrl, readSecret} from '../cli/prompts/ask-login.ts'
import {organizationFlag} from '../cli/flags/shared.ts'
import {itemResult} from '../cli/output/result.ts'
import {profileView} from '../profiles/view.ts'
import {quoteForShell} from '../values/text.ts'

const nameDefault = 'default'

export default class LoginCommand extends SvcCommand {
  static override view = profileView
  static override summary = 'Log in to the service and store the credential'
  static override description =
    'Reads the secret from a hidden prompt or from standard input, never from an argument. It is checked with a request before anything is stored. The secret is kept in the system keychain if there is one, otherwise in a file that only you can read (mode 0600).'
  static override examples = [
    {description: 'Log in interactively', command: 'svc login'},
    {
      description: 'Log in from a script, with the secret on standard input',
      command: 'svc login -p acme --base-url https://api.example.com --live < key.txt',
    },
  ]
  static override exits = getExitCodes('usage', 'unauthenticated', 'unreachable')
  static override flags = {
    'base-url': Flags.string({summary: 'Base URL of the service', env: 'SVC_BASE_URL', helpValue: 'URL'}),
    live: Flags.boolean({
      summary: 'The profile moves real money: payments and rules need confirmation',
      exclusive: ['sandbox'],
    }),
    sandbox: Flags.boolean({summary: 'The profile is a sandbox, without real money'}),
    'credential-command': Flags.string({
      summary: 'Command that prints a token; run again before the token expires',
      helpValue: 'COMMAND',
    }),
    organization: organizationFlag('Default organization for lists'),
    'read-only': Flags.boolean({summary: 'Allow no writes with this profile'}),
    store: Flags.option({
      summary: 'Where to store the secret',
      options: ['keychain', 'file'] as const,
    })(),
    yes: Flags.boolean({summary: 'Move a profile to another service, or make a live one a sandbox'}),
  }

  async run() {
    const {flags} = await this.parse(LoginCommand)
    const name = validateProfileName(flags.profile ?? nameDefault)
    const existing = findProfile(name)
    assertSecretsReadable()
    const environment = flags.live ? 'live' : flags.sandbox ? 'sandbox' : existing?.environment
    const command = flags['credential-command']
    if (!this.isInteractive) {
      this.requireAll([
        !flags['base-url'] && !existing && '--base-url',
        !environment && '--live or --sandbox',
        process.stdin.isTTY && !command && 'the secret on standard input',
      ])
    }
    const baseUrl = await completeBaseUrl(flags['base-url'] ?? existing?.baseUrl)
    if (!flags.yes) {
      await this.#confirmMove(name, existing, baseUrl)
      await this.#confirmSandbox(name, existing, environment)
    }
    const login: Login = {
      name,
      baseUrl,
      environment: environment ?? (await askEnvironment()),
      secret: command
        ? parseSecret(await runSecretCommand(nameCommand(name), command, flags.timeout), 'What the command printed')
        : await readSecret(this.isInteractive),
      command,
      store: flags.store,
      organization: flags.organization,
      readOnly: flags['read-only'],
      replaces: flags.yes ? undefined : {profile: existing},
    }
    const {accepted, customers} = await this.#checkUntilAccepted(login)
    return this.#finish(accepted, await storeLogin(accepted), existing, customers)
  }

  // The limits of the profile would apply to another service, so a change of address needs a confirmation.
  async #confirmMove(name: string, existing: Profile | undefined, baseUrl: string): Promise<void> {
    if (!existing || existing.baseUrl === baseUrl) return
    const what = `profile "${name}" belongs to ${existing.baseUrl}`
    if (this.isInteractive && (await askYes(`The ${what}. Move it to ${baseUrl}?`))) return
    const move = `svc profiles set ${name} --base-url ${quoteForShell(baseUrl)}`
    throw badUsage(
      `The ${what}, not ${baseUrl}`,
      `Run \`${move}\` first if it is the same service, choose another name with -p, or pass --yes to move it to another service`,
    )
  }

  // Payments and rules of a sandbox are not asked about, so a live profile becomes one only on
  // purpose.
  async #confirmSandbox(name: string, existing: Profile | undefined, environment: string | undefined): Promise<void> {
    if (existing?.environment !== 'live' || environment !== 'sandbox') return
    const what = `profile "${name}" is live`
    if (this.isInteractive && (await askYes(`The ${what}. Make it a sandbox, which asks before no payment?`))) return
    throw badUsage(
      `The ${what}, and a sandbox asks before no payment`,
      'Leave out --sandbox, choose another name with -p, or pass --yes to make it a sandbox; nothing was changed',
    )
  }

  // A person whose key is refused types another one, and nothing else again.
  async #checkUntilAccepted(login: Login): Promise<{accepted: Login; customers: unknown}> {
    for (let accepted = login; ;) {
      try {
        return {accepted, customers: await this.#checkCredential(accepted)}
      } catch (error) {
        const isRefused = error instanceof SvcError && error.kind === 'unauthenticated'
        if (!isRefused || !this.isInteractive || login.command !== undefined) throw error
        this.notice(`${error.sentence}. Type another one, or stop with Ctrl-C; nothing was stored.`)
        accepted = {...login, secret: await readSecret(true)}
      }
    }
  }

  // Returns the first customer, which names the organization.
  async #checkCredential({name, baseUrl, environment, secret}: Login): Promise<unknown> {
    const client = await this.client({
      label: `profile "${name}"`,
      baseUrl,
      service: baseUrl,
      environment,
      readOnly: true,
      duplicateWindowMs: 0,
      credential: async () => secret,
      renewable: false,
    })
    const expiresAt = (await readClaims(secret))?.expiresAt
    if (expiresAt && expiresAt.getTime() < Date.now()) {
      throw noCredential(`The token expired at ${expiresAt.toISOString()}`, 'Get a new one; nothing was stored')
    }
    return (await client.customers.list({pageSize: 1})).customers
  }

  #finish({name, store, baseUrl}: Login, profile: Profile, existing: Profile | undefined, customers: unknown) {
    if (existing && existing.baseUrl !== baseUrl) {
      const statement = describeStatement(name, getServiceName(existing))
      this.notice(
        `Payment keys of "${name}" now belong to ${baseUrl}. If it is the same service as before, run \`${statement}\`.`,
      )
      if (existing.organization && !profile.organization)
        this.notice('The organization of the earlier service was dropped: name the new one with --organization.')
    }
    if (profile.credential.storedIn === 'file' && store !== 'file')
      this.notice(`No keychain is available: the secret is in ${getSecretsPath()}, which only you can read.`)
    this.notice(`You are now ${describeLogin(name, profile, customers)}.`)
    const summary = summarizeProfile(name, profile)
    if (!summary.current) this.notice(`Use it with -p ${name}, or always with \`svc profiles use ${name}\`.`)
    const next = `Next: \`svc status${summary.current ? '' : ` -p ${quoteForShell(name)}`}\` shows what needs attention.`
    return this.finishWrite(itemResult(summary, profileView), [next])
  }
}

// Such as: profile "acme" at https://api.example.com (live), organization 6f1c…; you may read and write; …
function describeLogin(name: string, profile: Profile, customers: unknown): string {
  const {baseUrl, environment, readOnly = false, limits: spending} = profile
  const {organization} = findOrganization(profile, customers)
  const of = organization ? `, organization ${organization}` : ''
  const may = describePermissions({environment, readOnly, spending})
  return `profile "${name}" at ${baseUrl} (${environment})${of}; you may ${may}`
}

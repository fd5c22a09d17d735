// Sets what a profile may write (caps, destinations, read-only), which service it belongs to, its journal, and who is
// told what needs a person.
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../cli/command.ts'
import {badUsage, getExitCodes} from '../../errors.ts'
import {parseWait} from '../../controls/limits.ts'
import {createProfileCaller} from '../../profiles/caller.ts'
import {
  changeJournal,
  changeLimits,
  changeNotify,
  changeService,
  parseSums,
  profileArgs,
} from '../../profiles/change.ts'
import {type Profile, requireProfile, summarizeProfile, updateProfile} from '../../profiles/profiles.ts'
import {deleteSecret, getSecretKey} from '../../profiles/secrets.ts'
import {parseListLagMax, parseServiceId, resendAnswers} from '../../profiles/service.ts'
import {isUuidPrefix} from '../../cli/ids/finder.ts'
import {itemResult} from '../../cli/output/result.ts'
import {profileView} from '../../profiles/view.ts'
import {readServiceTraits} from '../../transport.ts'
import {svc} from '../../values/text.ts'
import {parseBaseUrl} from '../../values/urls.ts'
import {parseDuration} from '../../values/time.ts'

const several = {multiple: true, multipleNonGreedy: true} as const

const capFlag = (summary: string) => Flags.string({summary, ...several, helpValue: 'CURRENCY=AMOUNT'})

// A payment is compared with the whole id, so the beginning of one would block every account. The interface does not define the
// format of these ids, so that only an empty one is wrong otherwise; a pending payment account has one.
function parseAccountId(text: string): string {
  if (text.trim() === '')
    throw badUsage('--allow is empty', 'Use the id that the service shows; a pending item has none')
  if (!isUuidPrefix(text)) return text
  throw badUsage(
    `--allow "${text}" is only the beginning of an id, and a limit needs the whole one`,
    `See it with ${svc`accounts list --customer ID --json`}; nothing was changed`,
  )
}

const allowances = {
  'payment-max': capFlag('Maximum amount of a single payment in a currency'),
  'day-max': capFlag('Maximum total of a day (UTC) in a currency'),
  allow: Flags.string({
    summary: 'Allow payments to this account, and block all others',
    ...several,
    helpValue: 'ACCOUNT',
    parse: async (text) => parseAccountId(text),
  }),
  'clear-limits': Flags.boolean({summary: 'Remove all caps and destinations first'}),
  resend: Flags.option({
    summary: 'Whether the service honours idempotency keys',
    options: resendAnswers,
  })(),
  'list-lag-max': Flags.custom<number>({
    summary: 'How late a new transaction may be listed (6m)',
    helpValue: 'DURATION',
    parse: async (text) => parseListLagMax(text),
  })(),
  'duplicate-window': Flags.string({
    summary: 'How long an equal payment is asked about (3d; 0: never)',
    helpValue: 'DURATION',
    parse: async (text) => parseWait(text, '--duplicate-window'),
  }),
  'read-only': Flags.boolean({
    summary: 'Allow no writes, or allow them again',
    allowNo: true,
  }),
}

const serviceFlags = {
  'base-url': Flags.string({
    summary: 'New address of the same service; the secret is removed',
    helpValue: 'URL',
    parse: async (text) => parseBaseUrl(text, '--base-url'),
  }),
  service: Flags.string({
    summary: 'Id of the service that payment keys belong to',
    helpValue: 'ID',
    parse: async (text) => parseServiceId(text, '--service'),
  }),
}

const journalFlags = {
  journal: Flags.string({
    summary: 'Journal: postgres://USER@HOST/DATABASE, a file, or ""',
    helpValue: 'ADDRESS',
  }),
  'journal-password-command': Flags.string({
    summary: 'Command that prints the password of the database',
    helpValue: 'COMMAND',
  }),
}

const notifyFlags = {
  notify: Flags.string({
    summary: 'Program that is told what needs a person; "" for none',
    helpValue: 'COMMAND',
  }),
  'notify-after': Flags.custom<number>({
    summary: 'How long an outcome may be unknown before that (30m)',
    helpValue: 'DURATION',
    parse: async (text) => parseDuration(text, '--notify-after'),
  })(),
}

export default class ProfilesSet extends SvcCommand {
  static override view = profileView
  static override summary = 'Set the limits, the address, the journal and the notify command of a profile'
  static override description = `Limits apply to every command that writes with the profile. A payment that a limit stops exits with code 10. A profile with caps pays only in their currencies, and counts what is in its journal (\`svc docs profiles\`).
Payment keys belong to a service, not to its address: --base-url changes the address of the same service, --service states which service it is.
Who changes limits is recorded in the journal. What binds every profile that uses it, such as approvals by others, is the policy (\`svc policy set\`).`
  static override examples = [
    {
      description: 'Allow at most 1000 USDC per payment and 5000 per day',
      command: 'svc profiles set acme --payment-max USDC=1000 --day-max USDC=5000',
    },
    {
      description: 'Allow payments to one account only',
      command: 'svc profiles set acme --allow e6086267-7e5a-4a91-b136-a94b38bbbfb8',
    },
  ]
  static override exits = getExitCodes('usage')
  static override args = profileArgs
  static override flags = {
    ...allowances,
    why: Flags.string({summary: 'Why the limits change, for the journal', helpValue: 'TEXT'}),
    ...serviceFlags,
    ...journalFlags,
    ...notifyFlags,
  }

  async run() {
    const {args, flags} = await this.parse(ProfilesSet)
    const {name} = args
    requireProfile(name)
    const settable = Object.keys(ProfilesSet.flags)
    if (!settable.some((flag) => flag in flags)) {
      const names = settable.map((flag) => `--${flag}`)
      throw badUsage('Nothing to set', `Give one of ${names.join(', ')}`)
    }
    const {before, after} = await updateProfile(name, async (found) => {
      const changed: Profile = {
        ...found,
        ...changeService(found, flags['base-url'], flags.service),
        limits: changeLimits(flags['clear-limits'] ? {} : found.limits, {
          paymentMax: parseSums(flags['payment-max'] ?? [], '--payment-max'),
          dayMax: parseSums(flags['day-max'] ?? [], '--day-max'),
          destinations: flags.allow,
        }),
        resend: flags.resend ?? found.resend,
        listLagMaxMs: flags['list-lag-max'] ?? found.listLagMaxMs,
        readOnly: (flags['read-only'] ?? found.readOnly) || undefined,
        duplicateWindow: flags['duplicate-window'] ?? found.duplicateWindow,
        journal: changeJournal(found.journal, flags.journal, flags['journal-password-command']),
        notify: changeNotify(found.notify, flags.notify, flags['notify-after']),
      }
      // Recorded before it holds: limits that changed are never without a record.
      const traits = await readServiceTraits(createProfileCaller(name, changed))
      const {recordLimits} = await import('../../payments/context/propose-policy.ts')
      await recordLimits(traits, {profile: name, before: found, after: changed, why: flags.why})
      return changed
    })
    await this.#announceMoves(name, before, after)
    return this.finishWrite(itemResult(summarizeProfile(name, after), profileView))
  }

  // Says what a new journal does not know, and removes the secret of an earlier address.
  async #announceMoves(name: string, before: Profile, {journal, baseUrl}: Profile): Promise<void> {
    if (journal?.address !== before.journal?.address) {
      this.notice(
        `Payments are recorded in ${journal?.address ?? 'the journal of this machine'} from now on, which does not know what was paid before: copy it with ${svc`journal copy`}.`,
      )
    }
    if (baseUrl === before.baseUrl) return
    // A secret is sent only to the address that accepted it. A credential command stays.
    await deleteSecret(getSecretKey(name, before.baseUrl), before.credential.storedIn)
    this.notice(
      before.credential.storedIn
        ? `The secret was accepted by ${before.baseUrl} and is not sent elsewhere, so it was removed: log in with \`svc login -p ${name}\`.`
        : `Tokens of the credential command are now sent to ${baseUrl}.`,
    )
  }
}

// People with SSH keys of their own, who approve what others run in one sandbox.
import {spawnSync} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {describeOperator} from '../../src/controls/operator.ts'
import {type Home, type RunResult, createHome, run, temporaryFolder} from './svc.ts'
import {runSql} from './postgres.ts'
import {copySeededSandbox} from './seeded-sandbox.ts'

export function runOpenSsh(args: readonly string[], input = ''): string {
  const {status, stdout, stderr} = spawnSync('ssh-keygen', args, {input, encoding: 'utf8'})
  if (status !== 0) throw new Error(`ssh-keygen ${args.join(' ')}: ${stderr}`)
  return stdout
}

export function createKey(file: string): string {
  fs.mkdirSync(path.dirname(file), {recursive: true, mode: 0o700})
  runOpenSsh(['-q', '-t', 'ed25519', '-N', '', '-C', 'test', '-f', file])
  return fs.readFileSync(`${file}.pub`, 'utf8').split(' ').slice(0, 2).join(' ')
}

export interface Person {
  name: string
  home: Home
  keyFile: string
  publicKey: string
}

export interface Team {
  folder: string
  signersFile: string
  alice: Person
  bob: Person
  carol: Person
  // Runs svc as a person, in the folder of the team.
  run(person: Person, args: readonly string[]): Promise<RunResult>
  approve(person: Person, file: string, ...flags: string[]): Promise<RunResult>
  writeSigners(lines: readonly string[]): void
}

const toSignerLine = ({name, publicKey}: Person) => `${name}@example.com ${publicKey}`

// Alice, Bob and Carol may approve. Each has a home, a key and a journal; the sandbox and the files are shared.
export function createTeam({env = {}}: {env?: Record<string, string>} = {}): Team {
  const folder = temporaryFolder()
  const sandbox = path.join(folder, 'sandbox.sqlite')
  copySeededSandbox(sandbox)
  const createPerson = (name: string): Person => {
    const home = createHome(path.join(folder, name))
    const keyFile = path.join(home.folder, '.ssh', 'id_ed25519')
    const publicKey = createKey(keyFile)
    return {name, home: {...home, env: {...home.env, SVC_SANDBOX_FILE: sandbox, ...env}}, keyFile, publicKey}
  }
  const [alice, bob, carol] = [createPerson('alice'), createPerson('bob'), createPerson('carol')]
  const signersFile = path.join(folder, 'allowed_signers')
  const writeSigners = (lines: readonly string[]) => fs.writeFileSync(signersFile, `${lines.join('\n')}\n`)
  writeSigners([alice, bob, carol].map((person) => toSignerLine(person)))
  const runAs = (person: Person, args: readonly string[]) =>
    run(person.home, [...args, '-p', 'sandbox'], {cwd: folder, env: {SVC_SANDBOX_FILE: sandbox}})
  return {
    folder,
    signersFile,
    alice,
    bob,
    carol,
    writeSigners,
    run: runAs,
    async approve(person, file, ...flags) {
      const result = await runAs(person, ['approve', file, '--yes', '--signers', signersFile, ...flags])
      signAtOwnDesk(person, path.resolve(folder, `${file}.approvals`))
      return result
    },
  }
}

// What is signed by the user and on the machine that run it does not count. All people of a test share both, so each of them signs
// again what svc wrote, as somebody at a desk of his own would have.
function signAtOwnDesk({name, keyFile}: Person, approvals: string): void {
  for (const file of fs.existsSync(approvals) ? fs.readdirSync(approvals) : []) {
    if (!file.endsWith('.approval')) continue
    const textFile = path.join(approvals, file)
    const text = fs.readFileSync(textFile, 'utf8')
    const moved = moveToDesk(name, text)
    if (moved === text) continue
    fs.writeFileSync(textFile, moved)
    fs.writeFileSync(`${textFile}.sig`, signWith(keyFile, moved))
  }
}

const {user, host} = describeOperator()

// Texts that somebody signed at his desk stay as they are.
const moveToDesk = (name: string, text: string) => text.replace(`\nuser: ${user}@${host}\n`, `\nuser: ${name}@desk\n`)

const signWith = (keyFile: string, text: string) =>
  runOpenSsh(['-Y', 'sign', '-q', '-n', 'svc-approval', '-f', keyFile], text)

// The same for approvals that are in the database of a journal.
async function signAgainInDatabase(address: string, {name, keyFile}: Person): Promise<void> {
  for (const row of await runSql(address, 'select id, statement from svc.approvals')) {
    const {id, statement} = row as {id: string; statement: string}
    const moved = moveToDesk(name, statement)
    if (moved === statement) continue
    const signature = signWith(keyFile, moved)
    await runSql(
      address,
      `update svc.approvals set statement = '${moved}', signature = '${signature}' where id = '${id}'`,
    )
  }
}

// A team whose journal is a database, which its tests share: each has people and a policy of its own. `owner` is the address of the
// one who may change everything there, if those of the team may not.
export async function createFleetTeam(address: string, owner = address): Promise<Team> {
  await runSql(owner, `delete from svc.history where service_id = '' and key like 'policy%'`)
  const team = createTeam({env: {SVC_JOURNAL: address}})
  return {
    ...team,
    async approve(person, ...rest) {
      const result = await team.approve(person, ...rest)
      await signAgainInDatabase(owner, person)
      return result
    },
  }
}

interface WantedPolicy {
  approvals?: number
  // In USDC.
  above?: string | undefined
  coolDown?: string
}

// Enters a policy whose approvers are those of the file of signers.
export async function setPolicy(team: Team, person: Person, {approvals, above, coolDown}: WantedPolicy) {
  const approvers = fs
    .readFileSync(team.signersFile, 'utf8')
    .trim()
    .split('\n')
    .map((line) => ({name: line.split(' ', 1)[0], keys: [line.slice(line.indexOf(' ') + 1)]}))
  const policy = {
    ...(approvals !== undefined && {approvers, approvals: {count: approvals, ...(above && {above: {USDC: above}})}}),
    ...(coolDown && {coolDown}),
  }
  fs.writeFileSync(path.join(team.folder, 'policy.json'), JSON.stringify(policy))
  const args = ['policy', 'set', 'policy.json', '--why', 'a test', '--quiet', '-p', 'sandbox']
  return run(person.home, args, {cwd: team.folder})
}

export async function requireApprovals(team: Team, person: Person, wanted: WantedPolicy): Promise<void> {
  const {code, err} = await setPolicy(team, person, wanted)
  if (code !== 0) throw new Error(err)
}

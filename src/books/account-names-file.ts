// Reads the file that says what the accounts are called in somebody's own books.
import {readDataFile} from '../cli/body/input-file.ts'
import {badUsage} from '../errors.ts'
import {type AccountNames, accountDefaults, isAccountName} from './ledger-names.ts'
import {isRecord} from '../values/records.ts'

const kinds = Object.keys(accountDefaults)

function findProblems(content: unknown): string[] {
  if (!isRecord(content)) return ['is not a list of names']
  const {accounts = {}, ...others} = content
  const unknown = Object.keys(others).filter((name) => !kinds.includes(name))
  const names = Object.entries({...others, ...(isRecord(accounts) && accounts)})
  const wrong = names.filter(([, name]) => typeof name !== 'string' || !isAccountName(name))
  return [
    ...unknown.map((name) => `${name} is none of accounts, ${kinds.join(', ')}`),
    ...(isRecord(accounts) ? [] : ['accounts is not a list of ids with names']),
    ...wrong
      .filter(([id]) => !unknown.includes(id))
      .map(([id, name]) => `${id}: "${String(name)}" is not a name of an account`),
  ]
}

export async function readAccountNames(file: string): Promise<AccountNames> {
  const content: unknown = await readDataFile(file)
  const [problem] = findProblems(content)
  if (problem === undefined) return content as AccountNames
  throw badUsage(
    `--accounts ${file}: ${problem}`,
    'A name is written like Expenses:Bank:Fees: it begins with Assets, Liabilities, Equity, Income or Expenses, and each part with a capital or a digit',
  )
}

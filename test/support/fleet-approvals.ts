// Approvals in the database of a fleet, each signed at a desk of its person: what is signed by the user and on the machine that run a
// file does not count, and all people of a test share both.
import {type Person, type Team, moveToDesk, signWith} from './approvals.ts'
import {runSql} from './postgres.ts'

async function signRowsAtOwnDesk(address: string, {name, keyFile}: Person): Promise<void> {
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

// `address` is that of the owner of the tables.
export const withDesks = (team: Team, address: string): Team => ({
  ...team,
  async approve(person, ...rest) {
    const result = await team.approve(person, ...rest)
    await signRowsAtOwnDesk(address, person)
    return result
  },
})

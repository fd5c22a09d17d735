// Organizations own customers. The interface only shows their ids.
import type {Database} from './database.ts'

export interface Organization {
  organizationId: string
  name: string
}

export function insertOrganization(database: Database, {organizationId, name}: Organization) {
  database.run('insert into organizations (organizationId, name) values (?, ?)', organizationId, name)
}

export const listOrganizations = (database: Database): Organization[] =>
  database
    .all<Organization>('select organizationId, name from organizations order by seq')
    .map(({organizationId, name}) => ({organizationId, name}))

// The number under which transactions are listed.
export const findOrganizationSeq = (database: Database, organizationId: string): number | undefined =>
  database.one<{seq: number}>('select seq from organizations where organizationId = ?', organizationId)?.seq

// The API key belongs to the first organization, as do the customers created with it.
export function getHomeOrganizationId(database: Database): string {
  const [first] = listOrganizations(database)
  if (!first) throw new Error('The database has no organization')
  return first.organizationId
}

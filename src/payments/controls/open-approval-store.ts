// Opens the store of approvals: the database of the journal if there is one, otherwise the folder beside the approved file.
import {type ApprovalStore, getApprovalFolder, openFileStore} from '../../controls/approval-store.ts'
import type {ApprovalSubject} from '../../controls/statement.ts'
import {SvcError, badUsage} from '../../errors.ts'
import {type JournalAddress, isDatabase} from '../../storage/journal-address.ts'

const standardInput = '-'

// `file` is undefined for what is in no file, such as a batch.
export async function withApprovalStore<T>(
  address: JournalAddress,
  {subject, file}: {subject: ApprovalSubject; file: string | undefined},
  work: (store: ApprovalStore) => Promise<T>,
): Promise<T> {
  if (!isDatabase(address)) {
    if (file === undefined || file === standardInput) {
      throw badUsage(
        'Approvals are kept beside a file, and this comes from standard input',
        'Write it to a file, and have that approved with `svc approve FILE`; nothing was sent',
      )
    }
    return work(openFileStore(getApprovalFolder(file)))
  }
  const [{openDatabaseStore}, {openJournalDatabase}, {describePostgresFailure}] = await Promise.all([
    import('../../controls/database-store.ts'),
    import('../journal/postgres/open-postgres-journal.ts'),
    import('../journal/postgres/failure.ts'),
  ])
  const database = openJournalDatabase(address)
  try {
    await database.connect()
    return await work(await openDatabaseStore(database, subject))
  } catch (error) {
    throw error instanceof SvcError ? error : describePostgresFailure(address.text, error)
  } finally {
    await database.close()
  }
}

// Grouped transactions: each write can fail alone, and no lost write is reported as written.
import {DatabaseSync} from 'node:sqlite'
import path from 'node:path'
import {describe, expect, it, onTestFinished} from 'vitest'
import {createTransactions} from '../../../src/payments/journal/group-commit.ts'
import {temporaryFolder} from '../../support/svc.ts'

function opened(file = path.join(temporaryFolder(), 'some.sqlite')): {database: DatabaseSync; file: string} {
  const database = new DatabaseSync(file, {timeout: 100})
  onTestFinished(() => {
    if (database.isOpen) database.close()
  })
  database.exec('pragma journal_mode = wal; create table if not exists kept (what text not null) strict')
  return {database, file}
}

const keep = (database: DatabaseSync, what: string) => database.prepare('insert into kept (what) values (?)').run(what)
const keptIn = (database: DatabaseSync) =>
  database
    .prepare('select what from kept')
    .all()
    .map(({what}) => what)
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

describe('the writes of one event loop turn', () => {
  it('become visible to others together when the turn ends', async () => {
    const {database, file} = opened()
    const {database: other} = opened(file)
    const transactions = createTransactions(database, true)
    transactions.run(() => keep(database, 'first'))
    transactions.run(() => keep(database, 'second'))
    expect([keptIn(database), keptIn(other)]).toEqual([['first', 'second'], []])
    await nextTurn()
    expect(keptIn(other)).toEqual(['first', 'second'])
    expect(database.isTransaction).toBe(false)
  })

  it('are rolled back one by one', async () => {
    const {database} = opened()
    const transactions = createTransactions(database, true)
    transactions.run(() => keep(database, 'first'))
    const halfDone = () => {
      keep(database, 'second')
      throw new Error('no further')
    }
    expect(() => transactions.run(halfDone)).toThrow('no further')
    transactions.run(() => keep(database, 'third'))
    transactions.commit()
    expect(keptIn(database)).toEqual(['first', 'third'])
    await nextTurn()
    expect(keptIn(database)).toEqual(['first', 'third'])
  })

  it('let another process write as soon as the turn ends', async () => {
    const {database, file} = opened()
    const {database: other} = opened(file)
    const transactions = createTransactions(database, true)
    transactions.run(() => keep(database, 'ours'))
    expect(() => keep(other, 'theirs')).toThrow('locked')
    await nextTurn()
    keep(other, 'theirs')
    expect(keptIn(database)).toEqual(['ours', 'theirs'])
  })

  it('fail for good once one of them is lost', async () => {
    const {database} = opened()
    database.exec('pragma foreign_keys = on; create table parents (id integer primary key) strict')
    database.exec('create table children (parent integer references parents (id) deferrable initially deferred) strict')
    const transactions = createTransactions(database, true)
    transactions.run(() => keep(database, 'first'))
    // The deferred constraint fails only at the commit, as a full disk does.
    transactions.run(() => database.exec('insert into children (parent) values (7)'))
    await nextTurn()
    expect(keptIn(database)).toEqual([])
    expect(() => transactions.run(() => keep(database, 'second'))).toThrow('FOREIGN KEY')
    expect(() => transactions.commit()).toThrow('FOREIGN KEY')
    expect(keptIn(database)).toEqual([])
  })
})

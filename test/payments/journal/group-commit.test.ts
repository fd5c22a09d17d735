// Several writes of one moment as one transaction: each stands or falls by itself, and none is taken for kept that is lost.
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

describe('the transactions of one turn', () => {
  it('are seen by others when the turn is over, and not one by one', async () => {
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

  it('are each undone alone', async () => {
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

  it('let another process write as soon as the turn is over', async () => {
    const {database, file} = opened()
    const {database: other} = opened(file)
    const transactions = createTransactions(database, true)
    transactions.run(() => keep(database, 'ours'))
    expect(() => keep(other, 'theirs')).toThrow('locked')
    await nextTurn()
    keep(other, 'theirs')
    expect(keptIn(database)).toEqual(['ours', 'theirs'])
  })

  it('are never built upon again once one of them is lost', async () => {
    const {database} = opened()
    database.exec('pragma foreign_keys = on; create table parents (id integer primary key) strict')
    database.exec('create table children (parent integer references parents (id) deferrable initially deferred) strict')
    const transactions = createTransactions(database, true)
    transactions.run(() => keep(database, 'first'))
    // It is refused only as it is committed, as what a full disk takes no more.
    transactions.run(() => database.exec('insert into children (parent) values (7)'))
    await nextTurn()
    expect(keptIn(database)).toEqual([])
    expect(() => transactions.run(() => keep(database, 'second'))).toThrow('FOREIGN KEY')
    expect(() => transactions.commit()).toThrow('FOREIGN KEY')
    expect(keptIn(database)).toEqual([])
  })
})

// Grouped transactions: each write can fail alone, and no lost write is reported as written.
import {DatabaseSync} from 'node:sqlite'
import path from 'node:path'
import {describe, expect, it, onTestFinished} from 'vitest'
import {createTransactions} from '../../../src/payments/journal/sqlite/group-commit.ts'
import {temporaryFolder} from '../../support/svc.ts'

function openDatabase(file = path.join(temporaryFolder(), 'some.sqlite')): {database: DatabaseSync; file: string} {
  const database = new DatabaseSync(file, {timeout: 100})
  onTestFinished(() => {
    if (database.isOpen) database.close()
  })
  database.exec('pragma journal_mode = wal; create table if not exists kept (what text not null) strict')
  return {database, file}
}

const insert = (database: DatabaseSync, what: string) =>
  database.prepare('insert into kept (what) values (?)').run(what)
const listRows = (database: DatabaseSync) =>
  database
    .prepare('select what from kept')
    .all()
    .map(({what}) => what)
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

describe('the writes of one event loop turn', () => {
  it('become visible to others together when the turn ends', async () => {
    const {database, file} = openDatabase()
    const {database: other} = openDatabase(file)
    const transactions = createTransactions(database, true)
    transactions.run(() => insert(database, 'first'))
    transactions.run(() => insert(database, 'second'))
    expect([listRows(database), listRows(other)]).toEqual([['first', 'second'], []])
    await nextTurn()
    expect(listRows(other)).toEqual(['first', 'second'])
    expect(database.isTransaction).toBe(false)
  })

  it('are rolled back one by one', async () => {
    const {database} = openDatabase()
    const transactions = createTransactions(database, true)
    transactions.run(() => insert(database, 'first'))
    const insertAndFail = () => {
      insert(database, 'second')
      throw new Error('no further')
    }
    expect(() => transactions.run(insertAndFail)).toThrow('no further')
    transactions.run(() => insert(database, 'third'))
    transactions.commit()
    expect(listRows(database)).toEqual(['first', 'third'])
    await nextTurn()
    expect(listRows(database)).toEqual(['first', 'third'])
  })

  it('without savepoints are kept if a later one refuses before it writes', async () => {
    const {database} = openDatabase()
    let changes = 0
    const transactions = createTransactions(database, true, {countChanges: () => changes})
    const insertCounted = (what: string) => {
      insert(database, what)
      changes++
    }
    transactions.runUnguarded(() => insertCounted('first'))
    const refuse = () => {
      throw new Error('refused')
    }
    expect(() => transactions.runUnguarded(refuse)).toThrow('refused')
    transactions.runUnguarded(() => insertCounted('second'))
    await nextTurn()
    expect(listRows(database)).toEqual(['first', 'second'])
  })

  it('without savepoints are all undone, and no more accepted, if one of them fails halfway', async () => {
    const {database} = openDatabase()
    let changes = 0
    const transactions = createTransactions(database, true, {countChanges: () => changes})
    transactions.runUnguarded(() => insert(database, 'first'))
    const insertAndFail = () => {
      insert(database, 'second')
      changes++
      throw new Error('halfway')
    }
    expect(() => transactions.runUnguarded(insertAndFail)).toThrow('halfway')
    expect(() => transactions.runUnguarded(() => insert(database, 'third'))).toThrow('halfway')
    expect(() => transactions.commit()).toThrow('halfway')
    await nextTurn()
    expect(listRows(database)).toEqual([])
  })

  it('let another process write as soon as the turn ends', async () => {
    const {database, file} = openDatabase()
    const {database: other} = openDatabase(file)
    const transactions = createTransactions(database, true)
    transactions.run(() => insert(database, 'ours'))
    expect(() => insert(other, 'theirs')).toThrow('locked')
    await nextTurn()
    insert(other, 'theirs')
    expect(listRows(database)).toEqual(['ours', 'theirs'])
  })

  it('fail for good once one of them is lost', async () => {
    const {database} = openDatabase()
    database.exec('pragma foreign_keys = on; create table parents (id integer primary key) strict')
    database.exec('create table children (parent integer references parents (id) deferrable initially deferred) strict')
    const transactions = createTransactions(database, true)
    transactions.run(() => insert(database, 'first'))
    // The deferred constraint fails only at the commit, as a full disk does.
    transactions.run(() => database.exec('insert into children (parent) values (7)'))
    await nextTurn()
    expect(listRows(database)).toEqual([])
    expect(() => transactions.run(() => insert(database, 'second'))).toThrow('FOREIGN KEY')
    expect(() => transactions.commit()).toThrow('FOREIGN KEY')
    expect(listRows(database)).toEqual([])
  })
})

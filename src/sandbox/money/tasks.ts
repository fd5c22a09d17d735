// What waits in the queue for money, and what each task does when it is due.
export {type SettlementTasks as MoneyTasks, settlementTasks as moneyTasks} from './settlement.ts'

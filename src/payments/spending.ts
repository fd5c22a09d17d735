// What a profile lets its payments cost, where they may go, and whether what was sent may be sent again.
import type {Caller} from '../profiles/caller.ts'
import type {PaymentContextSettings} from './open-context.ts'

type Allowances = Pick<PaymentContextSettings, 'spending' | 'mayResend'>

export const allowancesOf = ({spending, mayResend}: Caller & Allowances): Allowances => ({spending, mayResend})

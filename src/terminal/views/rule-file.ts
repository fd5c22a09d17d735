// Rules of a file, in what lists say of them: one, many. A file has no columns.
import type {View} from '../view.ts'

export const ruleFileView: View<object> = {one: 'rule', many: 'rules', columns: []}

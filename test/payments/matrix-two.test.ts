// The matrix with two payers at once: two processes with one journal, and two hosts with a journal each.
import {defineMatrixTests} from './matrix-tests.ts'

defineMatrixTests('two processes')
defineMatrixTests('two hosts')

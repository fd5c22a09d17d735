// The matrix with one journal at a time: one process, and a journal that is lost.
import {defineMatrixTests} from './matrix-tests.ts'

defineMatrixTests('one process')
defineMatrixTests('a lost journal')

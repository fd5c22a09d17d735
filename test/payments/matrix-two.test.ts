// The matrix with two payers at once: two processes with one journal, and two hosts with a journal each.
import {matrixTests} from './matrix-tests.ts'

matrixTests('two processes')
matrixTests('two hosts')

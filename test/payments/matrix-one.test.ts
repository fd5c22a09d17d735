// The matrix with one journal at a time: one process, and a journal that is lost.
import {matrixTests} from './matrix-tests.ts'

matrixTests('one process')
matrixTests('a lost journal')

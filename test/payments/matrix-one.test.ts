// One journal at a time: every fault, in every way a service may behave, and a journal that gets lost on the way.
import {matrixTests} from './matrix-tests.ts'

matrixTests('one process')
matrixTests('a lost journal')

// Two at once: every fault, in every way a service may behave, with one journal between them or one each.
import {matrixTests} from './matrix-tests.ts'

matrixTests('two processes')
matrixTests('two hosts')

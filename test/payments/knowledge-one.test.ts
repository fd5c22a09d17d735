// The matrix by what is known about the service, with one journal at a time.
import {defineKnowledgeTests} from './knowledge-tests.ts'

defineKnowledgeTests('one process')
defineKnowledgeTests('a lost journal')

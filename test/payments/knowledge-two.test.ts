// The matrix by what is known about the service, with several payers at the same time.
import {defineKnowledgeTests} from './knowledge-tests.ts'

defineKnowledgeTests('two processes')
defineKnowledgeTests('two hosts')

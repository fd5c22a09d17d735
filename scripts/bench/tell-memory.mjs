// Loaded before a program that is measured: when that ends, its highest use of memory goes to file descriptor 3, in kilobytes.
import fs from 'node:fs'
import {readPeakMemory} from './read-peak-memory.mjs'

process.on('exit', () => fs.writeSync(3, String(readPeakMemory())))

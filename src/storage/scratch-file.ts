// A file for what would fill memory. It has no name, so nobody else can open it, and it is gone when it is closed or the process ends.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

// A temporary folder of our own, which exists only until the file is open.
function openUnnamedFile(): number {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-'))
  const file = path.join(folder, 'scratch')
  try {
    return fs.openSync(file, 'wx+', 0o600)
  } finally {
    fs.rmSync(folder, {recursive: true, force: true})
  }
}

export class ScratchFile {
  #descriptor: number | undefined
  #isBroken = false
  size = 0

  // Whether the bytes are in the file. If there is no place for them, neither these nor any later ones are.
  append(bytes: Uint8Array): boolean {
    if (this.#isBroken) return false
    try {
      this.#descriptor ??= openUnnamedFile()
      for (let written = 0; written < bytes.length;)
        written += fs.writeSync(this.#descriptor, bytes, written, bytes.length - written, this.size + written)
      this.size += bytes.length
      return true
    } catch {
      this.#isBroken = true
      return false
    }
  }

  // Reads as many bytes as fit into the given ones, from this place of the file.
  read(bytes: Uint8Array, at: number): void {
    for (let done = 0; done < bytes.length;) {
      const count = fs.readSync(this.#descriptor ?? -1, bytes, done, bytes.length - done, at + done)
      if (count === 0) throw new Error('a scratch file is shorter than what was written to it')
      done += count
    }
  }

  close(): void {
    if (this.#descriptor !== undefined) fs.closeSync(this.#descriptor)
    this.#descriptor = undefined
    this.#isBroken = true
    this.size = 0
  }
}

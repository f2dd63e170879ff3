// The secret that the page and the command line share: one line in a file of ours that nobody else may read.
import { randomBytes } from 'node:crypto'
import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fromSystemError, systemCode } from './errors.ts'
import { replaceOwnFile } from './own-files.ts'
import { stateFolder } from './state.ts'

const TOKEN_BYTES = 24
const TOKEN = /^[A-Za-z0-9_-]{16,}$/

/** The one that is there, so that an open page goes on working after a restart; a new one where there is none, or not a good one. */
export function ownToken(state: string): { token: string; path: string } {
  const path = join(stateFolder(state), 'token')
  const known = readIfThere(path)
  if (known !== undefined && TOKEN.test(known)) {
    chmodSync(path, 0o600)
    return { token: known, path }
  }
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  replaceOwnFile(path, `${token}\n`)
  return { token, path }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw fromSystemError(error, path)
  }
}

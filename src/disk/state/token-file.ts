// The secret that the page and the command line share: one line in a file that only this user may read.
import { randomBytes } from 'node:crypto'
import { chmodSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { RethreadError } from '../../model/errors.ts'
import { fromSystemError, quote, systemCode } from '../files/system-errors.ts'
import { replaceOwnFile } from './own-files.ts'
import { stateFolder } from './state.ts'

const TOKEN_BYTES = 24
const TOKEN = /^[A-Za-z0-9_-]{16,}$/

/**
 * The existing token, so that an open page works after a restart. A new one where there is none or it is not
 * valid.
 */
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

/** A token file that the user created. `isShared`: other users may read it. */
export function readTokenFile(path: string): { token: string; isShared: boolean } {
  try {
    const stats = statSync(path)
    const isShared = process.platform !== 'win32' && stats.isFile() && (stats.mode & OF_OTHERS) !== 0
    const token = readFileSync(path, 'utf8').replace(/\r?\n$/, '')
    if (token.includes('\n') || token.length > MAX_TOKEN_CHARS) throw notOneLine(path)
    return { token, isShared }
  } catch (error) {
    throw systemCode(error) === 'ENOENT' ? noTokenFile(path, error) : fromSystemError(error, path)
  }
}

const OF_OTHERS = 0o077
const MAX_TOKEN_CHARS = 1000

function notOneLine(path: string): RethreadError {
  return new RethreadError({
    code: 'usage',
    text: `${path} is not a token file: it must be one line of at most ${MAX_TOKEN_CHARS} characters.`,
    hint: makeOne(path),
    path,
  })
}

function noTokenFile(path: string, cause: unknown): RethreadError {
  return new RethreadError({
    code: 'not-found',
    text: `The token file ${path} does not exist.`,
    hint: makeOne(path),
    path,
    cause,
  })
}

function makeOne(path: string): string {
  return `Make one: (umask 077; openssl rand -hex 16 > ${quote(path)})`
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw fromSystemError(error, path)
  }
}

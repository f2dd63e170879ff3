// Small sessions and plans for the tests of the writing half.
import { appendFileSync, readdirSync, readFileSync, statSync, utimesSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { identityOf } from '../../src/disk/files/read.ts'
import type { ApplyRequest } from '../../src/disk/vault/apply.ts'
import type { ByteEdit, Change } from '../../src/model/plan.ts'
import { put } from './home.ts'

export const FIRST = '{"n":1,"parent":"aaaa"}\n'
export const SECOND = '{"n":2,"parent":"bbbb"}\n'
export const THIRD = '{"n":3,"parent":"cccc"}\n'
export const LOG = FIRST + SECOND + THIRD
/** Long ago: not the time of any test, and with no nanoseconds that Node could not set again. */
export const LONG_AGO = new Date('2024-05-06T07:08:09Z')

export interface Session {
  home: string
  state: string
  file: string
  request(changes: readonly Change[]): ApplyRequest
}

/** A session file, written long ago, and a state folder that is not there yet. */
export function putSession(home: string, content: string | Buffer = LOG): Session {
  const file = put(home, 'agent/session.jsonl', content)
  utimesSync(file, LONG_AGO, LONG_AGO)
  const state = join(home, 'state')
  const request = (changes: readonly Change[]): ApplyRequest => ({
    state,
    agent: 'some-agent',
    sessionId: 'session-1',
    filePath: file,
    changes,
    planned: plannedFor(changes),
  })
  return { home, state, file, request }
}

export function plannedFor(changes: readonly Change[]): ApplyRequest['planned'] {
  return changes.flatMap(({ file }) => {
    const stats = statSync(file, { bigint: true, throwIfNoEntry: false })
    return stats === undefined ? [] : [{ file, identity: identityOf(stats) }]
  })
}

const WHY = { damage: 'some-damage', reason: 'because' }

/** Replaces the first occurrence of some text in the file as it is now. */
export function edit(file: string, text: string, by: string): ByteEdit {
  const start = readFileSync(file).indexOf(text)
  if (start < 0) throw new Error(`${text} is not in ${file}`)
  return { start, end: start + Buffer.byteLength(text), bytes: Buffer.from(by), old: Buffer.from(text), ...WHY }
}

/** Puts something behind the last byte of the file as it is now. */
export function addition(file: string, by: string): ByteEdit {
  const { size } = statSync(file)
  return { start: size, end: size, bytes: Buffer.from(by), old: Buffer.alloc(0), ...WHY }
}

export function patch(file: string, ...edits: ByteEdit[]): Change {
  return { type: 'patch', file, edits: edits.toSorted((a, b) => a.start - b.start) }
}

export function remove(file: string, isDatabase = false): Change {
  return { type: 'remove', file, isDatabase, ...WHY }
}

export function write(file: string, content: string): Change {
  return { type: 'write', file, bytes: Buffer.from(content), ...WHY }
}

export const text = (file: string): string => readFileSync(file, 'utf8')

export function append(file: string, line: string): void {
  appendFileSync(file, line)
}

/** Whatever lies beside the session that is not its own. */
export function strangersBeside(file: string): string[] {
  return readdirSync(dirname(file)).filter(name => name.includes('rethread'))
}

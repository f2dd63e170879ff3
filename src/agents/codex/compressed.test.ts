import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { expect, onTestFinished, test, vi } from 'vitest'
import { environmentOf, put, temporaryHome } from '../../../test/support/home.ts'
import { findSession, readFrom, said } from '../../../test/support/reading.ts'
import { collect } from '../../model/reading.ts'
import { codex } from './index.ts'

const SESSION = '0199aaaa-0000-7000-8000-000000000001'
const PLACE = `.codex/archived_sessions/rollout-2026-11-01T10-00-00-${SESSION}.jsonl`
const text = readFileSync(join(import.meta.dirname, 'fixtures', 'complete-0.166.jsonl'))

async function open(bytes: Buffer, suffix = '.zst') {
  const home = temporaryHome()
  put(home, PLACE + suffix, bytes)
  return findSession(codex, environmentOf(home), SESSION)
}

test('a compressed session reads like the plain one, at the places of its text and under its own name', async () => {
  const compressed = await open(zstdCompressSync(text))
  const { messages, end } = await collect(readFrom(codex, compressed))
  const plain = await collect(readFrom(codex, await open(text, '')))
  expect(messages).toEqual(
    plain.messages.map(message => ({ ...message, at: { ...message.at, file: compressed.filePath } })),
  )
  expect(end.type).toBe('complete')
  expect(end.checkpoint).toBeUndefined()
})

test('a cut compressed file gives the part that could be decompressed, and reports the rest', async () => {
  const half = text.indexOf('\n', text.length / 2) + 1
  const frames = [text.subarray(0, half), text.subarray(half)].map(part => zstdCompressSync(part))
  const session = await open(Buffer.concat(frames).subarray(0, -3))
  const { messages, end } = await collect(readFrom(codex, session))
  expect(said(messages).length).toBeGreaterThan(0)
  expect(end).toMatchObject({
    type: 'partial',
    error: { code: 'records-unreadable' },
    parsedUpTo: half - 1,
    recovered: true,
    counts: { skipped: 1 },
  })
  expect(end.findings).toMatchObject([
    { damage: 'compressed-file-damaged', severity: 'lost', at: { file: session.filePath, start: half } },
  ])
})

test('a file that is not compressed at all is an error', async () => {
  const session = await open(Buffer.from('not zstd'))
  await expect(collect(readFrom(codex, session))).rejects.toMatchObject({
    code: 'not-a-session',
    path: session.filePath,
  })
})

test('nothing is left behind, also by a reading that is given up early', async () => {
  const session = await open(zstdCompressSync(text))
  const temporary = temporaryHome()
  vi.stubEnv('TMPDIR', temporary)
  onTestFinished(() => {
    vi.unstubAllEnvs()
  })
  const reading = readFrom(codex, session)
  await reading.next()
  expect(readdirSync(temporary)).toHaveLength(1)
  await reading.return(undefined as never)
  expect(readdirSync(temporary)).toEqual([])
  await collect(readFrom(codex, session))
  expect(readdirSync(temporary)).toEqual([])
})

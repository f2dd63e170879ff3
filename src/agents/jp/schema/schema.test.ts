// The verdicts in fixtures/judged.json are JP's own (commit 4c1c39f): one value of a whole conversation set to
// another one, or removed, and what JP did with it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { quickHome } from '../../../../test/support/faults.ts'
import { putOne } from '../../../../test/support/jp/run.ts'
import { applyEdits } from '../../../bytes/edits.ts'
import { classifyCopy } from '../classify/index.ts'
import { folderAt } from '../conversations.ts'
import { putValue, removeMember, spanAt } from '../json-spans.ts'
import { ACTIVE } from '../names.ts'
import { checkWithDeltas } from './resolve.ts'

type Case = [file: string, keys: (string | number)[], value: string | null, verdict: string]

const STORED = readFileSync(join(import.meta.dirname, 'fixtures/judged.json'))
const { cases }: { cases: Case[] } = JSON.parse(STORED.toString('utf8'))

/** The bytes as they are stored: `1.0` must not become `1`. */
const WHOLE: Record<string, Buffer> = Object.fromEntries(
  ['metadata.json', 'base_config.json', 'events.json'].map(file => {
    const span = spanAt(STORED, ['files', file])
    return [file, STORED.subarray(span?.start, span?.end)]
  }),
)

const WORDS = { loads: 'loads', 'locked-out': 'fails', trashed: 'trash', blocked: 'blocked' }

function verdictOn([file, keys, value]: Case, home: string): string {
  const bytes = WHOLE[file] ?? Buffer.alloc(0)
  const edit = value === null ? removeMember(bytes, keys) : putValue(bytes, keys, Buffer.from(value))
  const path = putOne(home, { ...WHOLE, [file]: applyEdits(bytes, edit === undefined ? [] : [edit]) })
  return WORDS[classifyCopy(folderAt(path, ACTIVE)).judgement.type]
}

test('what JP loads is called healthy, and nothing else', () => {
  const home = quickHome()
  const wrong = cases.filter(one => verdictOn(one, home) !== (one[3] === 'query' ? 'fails' : one[3]))
  expect(wrong).toEqual([])
})

test('a delta that changes a tool needs the source of that tool in the base', () => {
  const base = {
    assistant: { model: { id: 'openai/x' } },
    conversation: { tools: { '*': { run: 'ask' }, read: { source: 'local' } } },
  }
  const delta = (name: string): unknown => ({ conversation: { tools: { [name]: { enable: { state: true } } } } })
  expect(checkWithDeltas(base, [delta('read')])).toEqual([])
  expect(checkWithDeltas(base, [delta('gone')])).toMatchObject([{ path: 'conversation.tools.gone.source' }])
  // JP takes a delta with one wrong value for an empty one.
  expect(checkWithDeltas(base, [{ ...Object(delta('gone')), style: 5 }])).toEqual([])
})

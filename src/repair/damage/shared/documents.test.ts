import { describe, expect, test } from 'vitest'
import { below, seededRandom } from '../../../../test/support/random.ts'
import type { DocumentRepair } from '../../../agents/repair.ts'
import { Pieces } from '../../../bytes/edits.ts'
import { isObject } from '../../../bytes/json.ts'
import { isPatch } from '../../../model/plan.ts'
import { cutDocument } from '../cut-document/index.ts'
import type { DocumentDamage, DocumentSubject, InflictTarget, Random } from '../damage.ts'
import { documentMark } from '../document-mark/index.ts'
import { documentRest } from '../document-rest/index.ts'
import { doubledDocument } from '../doubled-document/index.ts'
import { lostFields } from '../lost-fields/index.ts'
import { malformedDocument } from '../malformed-document/index.ts'
import { malformedText } from '../malformed-text/index.ts'
import { missingPunctuation } from '../missing-punctuation/index.ts'
import { nulTail } from '../nul-tail/index.ts'
import { trailingComma } from '../trailing-comma/index.ts'

const ALL = [
  ...[documentMark, nulTail, malformedText, trailingComma, missingPunctuation, lostFields],
  ...[malformedDocument, doubledDocument, cutDocument, documentRest],
]
const traits = {
  framing: 'json-document',
  linkedByParent: false,
  headerRecord: false,
  toolPairs: true,
  indexBeside: false,
  appendOnly: false,
} as const
const repair: DocumentRepair = {
  framing: 'json-document',
  lists: ['messages'],
  fields: ['id', 'env'],
  isMessage: value => typeof value === 'number' || (isObject(value) && 't' in value),
  idOf: value => (isObject(value) ? JSON.stringify(value['t']) : undefined),
  counter: () => () => 1,
  refuses: fields => (fields.has('id') ? undefined : 'it has no id'),
  restoreFields: (_, { fields, head }) =>
    new Map(fields.has('id') || !head.includes('known') ? [] : [['id', 'restored']]),
}
const session = {
  agent: 'toy',
  sessionId: 'S1',
  filePath: '/toy/s1.json',
  generation: 'document',
  storeRoot: '/toy',
  updatedAt: 0,
  fileSize: 0,
  identity: '',
}

function subjectOf(text: string | Buffer, isLive = false): DocumentSubject {
  const bytes = Buffer.from(text)
  const range = (start: number, end: number) => bytes.subarray(start, end)
  return { session, traits, repair, isLive, bytes: { size: bytes.length, range } }
}

/** What all damages together find, and make of it. */
async function treat(subject: DocumentSubject) {
  const found: string[] = []
  const refused: string[] = []
  const edits: { start: number; end: number; bytes: Buffer }[] = []
  for (const damage of ALL) {
    const detected = await damage.detect(subject)
    found.push(...detected.map(({ finding }) => `${finding.damage} ${finding.severity}`))
    const planned = damage.plan(subject, detected)
    refused.push(...planned.refused.map(({ reason }) => reason))
    edits.push(...planned.changes.filter(isPatch).flatMap(patch => patch.edits))
  }
  const whole = subject.bytes.range(0, subject.bytes.size)
  const pieces = Pieces.whole(whole.length).edit(edits.sort((a, b) => a.start - b.start))
  const parts = pieces.chunks(0, pieces.size, (start, end) => [whole.subarray(start, end)])
  return { found, refused, text: Buffer.concat([...parts]).toString('utf8') }
}

const treatText = (text: string) => treat(subjectOf(text))
const WHOLE = '{"id":"a", "messages":[{"t":"one"}, {"t":"two"}], "env":{"x":[1]}}\n'

test('a healthy document is left alone', async () => {
  expect(await treatText(WHOLE)).toEqual({ found: [], refused: [], text: WHOLE })
})

describe('a document that is cut', () => {
  test.each([
    ['inside a text', '{"id":"a","messages":[{"t":"one"}, {"t":"tw', '{"id":"a","messages":[{"t":"one"}]}'],
    ['inside a name', '{"id":"a","messages":[{"t":"one"}, {"t', '{"id":"a","messages":[{"t":"one"}]}'],
    ['behind a comma', '{"id":"a","messages":[{"t":"one"},', '{"id":"a","messages":[{"t":"one"}]}'],
    ['behind an element', '{"id":"a","messages":[{"t":"one"}', '{"id":"a","messages":[{"t":"one"}]}'],
    ['behind the list', '{"id":"a","messages":[{"t":"one"}]', '{"id":"a","messages":[{"t":"one"}]}'],
    ['in a later field', '{"id":"a","messages":[1],"n":1,"env":{"x":[1', '{"id":"a","messages":[1],"n":1}'],
    ['and ends in NULs', '{"id":"a","messages":[{"t":"one"},{"t":"t\0\0\0', '{"id":"a","messages":[{"t":"one"}]}'],
  ])('%s is closed behind its last complete element', async (_, text, closed) => {
    const treated = await treatText(text)
    expect(treated.found).toContain('cut-document lost')
    expect(treated.text).toBe(closed)
  })

  test.each([
    ['{"id":"a","mess', 'ends before the first message'],
    ['{"id":"a","messages":[{"t":"on', 'no message in it is complete'],
    ['{"messages":[{"t":"one"}', 'has no id'],
    ['{', 'ends before the first message'],
    ['\0\0\0\0', 'no message in it is complete'],
  ])('%j is refused with the reason', async (text, reason) => {
    const treated = await treatText(text)
    expect(treated.text).toBe(text)
    expect(treated.refused.join()).toContain(reason)
  })

  test('says that fields after the messages may be lost', async () => {
    const [detected] = await cutDocument.detect(subjectOf('{"id":"a","messages":[1,2,3'))
    expect(detected?.finding).toMatchObject({
      at: { file: '/toy/s1.json', start: 25, end: 27 },
      text: expect.stringMatching(/2 messages are left.*fields after the messages.*lost/),
      hint: 'Repair it: rethread repair S1',
    })
  })

  test('while the agent is writing it is not damage, and nothing is planned', async () => {
    const text = '{"id":"a","messages":[1,2\0\0'
    const treated = await treat(subjectOf(text, true))
    expect(treated).toEqual({ found: ['nul-tail updating', 'cut-document updating'], refused: [], text })
  })
})

describe('a whole document', () => {
  test.each([
    [
      'with commas that nothing follows',
      '{"id":"a","messages":[{"l":[1,]},],}',
      '{"id":"a","messages":[{"l":[1 ]} ] }',
    ],
    ['with NULs behind it', `${WHOLE}\0\0\0`, WHOLE],
    ['with NULs between values', '{"id":"a",\0\0"messages":[1\0,2]}', '{"id":"a",  "messages":[1 ,2]}'],
    ['behind a byte order mark', `\ufeff${WHOLE}`, `   ${WHOLE}`],
    ['before the rest of an older one', `${WHOLE}"older"}]}\n`, WHOLE],
  ])('%s is made readable with its own bytes', async (_, text, repaired) => {
    const treated = await treatText(text)
    expect(treated.found).toHaveLength(treated.found.filter(line => line.endsWith('survived')).length)
    expect(treated.text).toBe(repaired)
  })

  test('with everything at once is repaired at once', async () => {
    const { text, refused } = await treatText('\ufeff{"id":"a","messages":[\0{"t":[1,]},{"t":"x\0\0')
    expect(refused).toEqual([])
    expect(text).toBe('   {"id":"a","messages":[ {"t":[1 ]}]}')
  })

  test.each([
    ['before another copy', WHOLE + WHOLE, WHOLE],
    ['behind the beginning of itself', `{"id":"a", "messages":[{"t":"one"}, {"t":"tw${WHOLE}`, WHOLE],
    ['before the beginning of itself', `${WHOLE}{"id":"a", "messages":[{"t":"one"}, {"t":"tw`, WHOLE],
    ['before a newer one', `{"id":"a", "messages":[{"t":"one"}]}${WHOLE}`, WHOLE],
    ['before an older one', `${WHOLE}{"id":"a", "messages":[{"t":"one"}]}`, WHOLE],
  ])('%s is kept, and the other copy taken out', async (_, text, kept) => {
    const treated = await treatText(text)
    expect(treated.found).toEqual(['doubled-document survived'])
    expect(treated.refused).toEqual([])
    expect(treated.text).toBe(kept)
  })

  test('and another one, each with a message of its own, become one', async () => {
    const other = '{"id":"a", "messages":[{"t":"one"}, {"t":"three"}]}'
    const { text, refused } = await treatText(WHOLE + other)
    expect(refused).toEqual([])
    expect(JSON.parse(text).messages).toEqual([{ t: 'one' }, { t: 'two' }, { t: 'three' }])
  })
})

describe('a broken document', () => {
  test.each([
    ['{"id":"a","messages":[{"t":wrong},{"t":"two"}]}', '{"id":"a","messages":[{"t":"two"}]}'],
    ['{"id":"a","messages":[{"t":"one"}!,{"t":"two"}]}', '{"id":"a","messages":[{"t":"one"},{"t":"two"}]}'],
    [`{"id":"a","messages":[{"t":"o${'\0'.repeat(9)}e"},{"t":"two"}]}`, '{"id":"a","messages":[{"t":"two"}]}'],
    ['{"id":"a","messages":[{"t":"one"},{"t":"two"}],"x":\u00a0}', '{"id":"a","messages":[{"t":"one"},{"t":"two"}]}'],
    ['{"id":"a","messages":[{"t":"one"},{"t":[1,,{"t":"th', '{"id":"a","messages":[{"t":"one"}]}'],
    ['known","messages":[{"t":"one"},{"t":"two"}]}', '{"id":"restored","messages":[{"t":"one"},{"t":"two"}]}'],
  ])('%j keeps every message that is complete', async (text, kept) => {
    const treated = await treatText(text)
    expect(treated.refused).toEqual([])
    expect(JSON.parse(treated.text)).toEqual(JSON.parse(kept))
  })

  test.each([
    ['a raw newline', '{"id":"a","messages":[{"t":"o\ne"},{"t":"two"}]}', 'o\ne', 'survived'],
    ['a backslash that escapes nothing', '{"id":"a","messages":[{"t":"C:\\data\\x"}]}', 'C:\\data\\x', 'survived'],
    ['a control character', '{"id":"a","messages":[{"t":"a\u0001b"}]}', 'a\u0001b', 'survived'],
    ['a NUL', '{"id":"a","messages":[{"t":"a\0b"}]}', 'a b', 'lost'],
  ])('%s in a text is written as JSON wants it', async (_, text, said, severity) => {
    const treated = await treatText(text)
    expect(treated.found).toEqual([`malformed-text ${severity}`])
    expect(JSON.parse(treated.text).messages[0]).toEqual({ t: said })
  })

  test.each([
    ['{"id":"a","messages":[{"t":"one"} {"t":"two"}]}', '{"id":"a","messages":[{"t":"one"}, {"t":"two"}]}'],
    ['{"id":"a","messages":[{"t":"one"},{"t":"two"}}', '{"id":"a","messages":[{"t":"one"},{"t":"two"}]}'],
    ['{"id":"a","messages":[{"t":"one",{"t":"two"}]}', '{"id":"a","messages":[{"t":"one"},{"t":"two"}]}'],
    ['{"id":"a","messages":[{"t":[1,2,"u":3},{"t":"two"}]}', '{"id":"a","messages":[{"t":[1,2],"u":3},{"t":"two"}]}'],
    ['{"id":"a","messages":[{"t" "one"},{"t":"two"}]}', '{"id":"a","messages":[{"t": "one"},{"t":"two"}]}'],
    ['{"id":"a","messages":["t":"one"},{"t":"two"}]}', '{"id":"a","messages":[{"t":"one"},{"t":"two"}]}'],
  ])('%j lacks one mark, which is put in', async (text, whole) => {
    const treated = await treatText(text)
    expect(treated.found).toEqual(['missing-punctuation survived'])
    expect(JSON.parse(treated.text)).toEqual(JSON.parse(whole))
  })

  test('says what was taken out: where, how much, of which message, and how it begins', async () => {
    const text = `{"id":"a","messages":[{"t":"one"},{"id":"m-7","t":"x${'\0'.repeat(9)}y"},{"t":"two"}]}`
    const [detected, ...more] = await malformedDocument.detect(subjectOf(text))
    expect(more).toEqual([])
    expect(detected?.finding).toMatchObject({
      severity: 'lost',
      at: { start: text.indexOf('{"id":"m-7"'), end: text.indexOf('{"t":"two"') },
      text: expect.stringMatching(
        /31 bytes from byte 34 on, after message 1, of message m-7 \(\{"id":"m-7","t":"x y"\}/,
      ),
    })
  })

  test.each([
    ['{"id":"a","messages":[{"t":wrong}]}', 'no message in it is complete'],
    ['["id"]', 'no message in it is complete'],
    ['plain text', 'no message in it is complete'],
  ])('%j has nothing to keep, and is left as it is with just that reason', async (text, reason) => {
    const treated = await treatText(text)
    expect(treated.found).toContain('malformed-document lost')
    expect(treated.text).toBe(text)
    expect(new Set(treated.refused)).toEqual(new Set([`Not repaired: ${reason}.`]))
  })

  test.each([
    ['{"id":"a"}', 'no list of messages'],
    ['{"id":"a","messages":{}}', 'no list of messages'],
    ['{"messages":[]}', 'has no id'],
    ['{"messages":[{"t":"one"}]}', 'has no id'],
  ])('%j is valid JSON and yet of no use to the agent', async (text, reason) => {
    const [detected] = await malformedDocument.detect(subjectOf(text))
    expect(detected?.finding.text).toContain(reason)
  })
})

const randomOf = (seed: number): Random => {
  const next = seededRandom(seed)
  return { next, below: limit => below(next, limit) }
}

describe.each(ALL)('what $id inflicts', damage => {
  test('it finds, whatever the seed', async () => {
    for (let seed = 1; seed <= 40; seed++) {
      const { bytes, inflicted } = inflictOn(damage, seed)
      const what = `${inflicted?.what}: ${bytes}`
      expect((await damage.detect(subjectOf(bytes))).length, what).toBeGreaterThan(0)
      const { text, refused } = await treat(subjectOf(bytes))
      expect(refused.length > 0, what).toBe(inflicted?.isBeyondRepair ?? false)
      if (refused.length === 0) expect(JSON.parse(text).messages, what).toHaveLength(3 - (inflicted?.destroyed ?? 0))
    }
  })
})

function inflictOn(damage: DocumentDamage, seed: number) {
  let bytes = Buffer.from(
    '{"k":"known", "id":"a", "messages":[{"t":"one,\\n two"}, {"t":{"x":["C:\\\\data"]}}, {"t":"three, and more of it"}], "env":{"x":1}}\n',
  )
  const target: InflictTarget = {
    session,
    traits,
    repair,
    read: () => bytes,
    write: (_, written) => {
      bytes = Buffer.from(written)
    },
    remove: () => expect.unreachable(),
    sql: () => expect.unreachable(),
  }
  const inflicted = damage.inflict(target, randomOf(seed))
  return { bytes, inflicted }
}

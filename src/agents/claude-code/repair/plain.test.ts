// A log that is accepted as plain is healthy, with the numbers that the index of its records gives.
import { describe, expect, test } from 'vitest'
import { randomLog } from '../../../../test/support/claude-code/random-log.ts'
import { inFull } from '../../../../test/support/full.ts'
import { linkedLog, linkedSubject, uuid } from '../../../../test/support/linked-log.ts'
import { below, type Random, seededRandom } from '../../../../test/support/random.ts'
import { concludeHealthy } from '../../../repair/check/examine-log.ts'
import { detectAll } from '../../../repair/check/rounds.ts'
import { damagesOfLogs } from '../../../repair/damage/index.ts'
import { chooseScanner } from '../../../repair/scan/choose-scanner.ts'
import type { PlainCounts } from '../../repair.ts'
import { repair } from './index.ts'
import { makePlain } from './plain.ts'

const [OLD, MIDDLE, NEW] = ['2.0.14', '2.1.25', '2.1.325']
const VERSIONS = [OLD, MIDDLE, '2.1.90', '2.1.200', NEW]
const LOGS = inFull(60_000, 4000)

const plain = makePlain()

function readPlain(text: string, installed?: string): PlainCounts | undefined {
  const { session } = linkedSubject('')
  plain.begin(installed)
  const visit = chooseScanner('wasm').startVisit?.(repair, (facts, slots, slot) => plain.add(facts, slots, slot))
  const bytes = Buffer.from(text)
  return visit?.visitChunks([bytes], 0) === bytes.length ? plain.end(session) : undefined
}

/** Undefined for a log that is not healthy. */
async function readWhole(text: string, installed?: string): Promise<PlainCounts | undefined> {
  const subject = linkedSubject(text, installed)
  const { traits } = subject
  const applicable = damagesOfLogs.filter(damage => damage.appliesTo(traits, repair))
  if (subject.junk.length > 0 || (await detectAll(subject, applicable)).length > 0) return undefined
  const found = concludeHealthy(subject)
  if (found === undefined || found.orphanCount > 0) return undefined
  const { messageCount: messages, sent, chainDepth: depth } = found
  return { messages, sent: sent?.now ?? messages, depth }
}

/** Whether it is plain. */
async function compare(text: string, installed?: string): Promise<boolean> {
  const found = readPlain(text, installed)
  if (found !== undefined) expect(found, text).toEqual(await readWhole(text, installed))
  return found !== undefined
}

const lastPrompt = (leaf: string, more = {}): string =>
  `${JSON.stringify({ type: 'last-prompt', leafUuid: uuid(leaf), ...more })}\n`

describe('plain', () => {
  test.each([
    ['prompts and answers', 'u1 a1 u2 a2'],
    ['lines of one message', 'u1 k1#M a1#M c2#M r2<c2 a3'],
    ['a call and its result', 'u1 c1 r1=c1 a2'],
    ['calls of one message, each with its result', 'u1 c1#M r1=c1 c2#M r2=c2 a3'],
    ['two calls before their results', 'u1 c1#M c2#M r1=c1 r2=c2 a3'],
    ['notes of the agent', 'u1 s1 m2 a2 s3'],
    ['progress reports beside the chain', 'u1 c1 p1 p2 r1<c1 a2'],
    ['a prompt at the end', 'u1 a1 u2'],
    ['a conversation of a sub-agent', '~u1 ~a1 ~u2 ~a2'],
    ['a prompt of the agent itself', 'm1 u1 a1'],
    ['a note that is older than the prompt before it', 'u1@2 s1@1 a1@3'],
  ])('%s', async (_, words) => {
    for (const version of VERSIONS) {
      expect(await compare(linkedLog(words, { version }))).toBe(true)
      expect(await compare(linkedLog(words), version)).toBe(true)
    }
  })

  test('records beside the chain', async () => {
    const title = `${JSON.stringify({ type: 'ai-title', title: 'x', leafUuid: uuid('a1') })}\n`
    const snapshot = `${JSON.stringify({ type: 'file-history-snapshot', messageId: uuid('u1'), snapshot: {} })}\n`
    expect(await compare(`${snapshot}${linkedLog('u1 a1')}${title}`, NEW)).toBe(true)
  })

  test('records that the kernel leaves to JavaScript', async () => {
    const log = linkedLog('u1 c1 r1=c1 s2 a2').replaceAll('"uuid":', '"\\u0075uid":')
    for (const version of VERSIONS) expect(await compare(log, version)).toBe(true)
    for (const version of VERSIONS) expect(await compare(log.replace(uuid('c1'), uuid('c9')), version)).toBe(false)
  })

  test('an end that is noted where it is', async () => {
    expect(await compare(`${linkedLog('u1 a1')}${lastPrompt('a1')}`, NEW)).toBe(true)
    expect(await compare(`${lastPrompt('u1')}${linkedLog('u1 a1')}${lastPrompt('a1', { explicit: true })}`, NEW)).toBe(
      true,
    )
  })
})

describe('not plain', () => {
  test.each([
    ['a broken link', 'u1 a1<? u2 a2'],
    ['a second root', 'u1 a1 u2<- a2'],
    ['a rewind', 'u1 a1 u2 a2 u3<a1 a3'],
    ['a call without a result', 'u1 c1 u2 a2'],
    ['a call at the end', 'u1 c1'],
    ['a result without a call', 'u1 r1=c9 a2'],
    ['a second result', 'u1 c1 r1=c1 r2=c1 a2'],
    ['a result before its call', 'u1 r1=c1 c1 a2'],
    ['a repeated id', 'u1 a1 u1 a2'],
    ['only thinking', 'u1 k1 u2 a2'],
    ['only thinking at the end', 'u1 a1 u2 k2'],
    ['a compaction', 'u1 a1 b1 u2 a2'],
    ['a queued prompt', 'u1 a1 x2 a2'],
    ['a link through a progress report', 'u1 c1 p1 r1=c1 a2'],
    ['a progress report on nothing', 'u1 p1<? a1<u1'],
    ['records of a sub-agent between', 'u1 ~u2 ~a2 a1'],
    ['only notes', 's1 s2'],
  ])('%s', async (_, words) => {
    for (const version of VERSIONS) expect(await compare(linkedLog(words), version)).toBe(false)
  })

  test.each(['u1 c1 p1@900 r1<c1@10 a2@20', 'u1 a1 u2@900 a2@20'])(
    'the newest record is not the last, where the newest is the end: %s',
    async words => {
      for (const version of [OLD, MIDDLE]) expect(await compare(linkedLog(words), version)).toBe(false)
      expect(await compare(linkedLog(words), NEW)).toBe(true)
    },
  )

  test('a log without its last newline, an empty one, and one with a broken line', () => {
    const log = linkedLog('u1 a1')
    expect(readPlain(log.slice(0, -1), NEW)).toBeUndefined()
    expect(readPlain('', NEW)).toBeUndefined()
    expect(readPlain(`${log}{"type":\n`, NEW)).toBeUndefined()
  })

  test('an end that is noted elsewhere', () => {
    expect(readPlain(`${linkedLog('u1 a1 u2 a2')}${lastPrompt('a1', { explicit: true })}`, NEW)).toBeUndefined()
    expect(readPlain(`${linkedLog('u1 a1')}${JSON.stringify({ type: 'last-prompt', explicit: true })}\n`, NEW)).toBe(
      undefined,
    )
  })

  test('a version that changes, unless another one is installed', () => {
    const log = linkedLog('u1 a1', { version: OLD }) + linkedLog('u2<a1@90 a2@99', { version: NEW })
    expect(readPlain(log)).toBeUndefined()
    expect(readPlain(log, MIDDLE)).toBeDefined()
  })
})

/** Mostly plain, with one or two strange words in most of them. */
function randomWords(random: Random): string {
  const words: string[] = []
  const open: string[] = []
  const count = 2 + below(random, 14)
  let time = 0
  let group = 0
  for (let place = 0; place < count; place++) {
    time += random() < 0.9 ? 1 + below(random, 3) : 0
    if (random() < 0.4) group++
    const at = random() < 0.97 ? time : below(random, 30)
    const parent = random() < 0.96 ? '' : `<${words.length === 0 ? '-' : nameOf(words[below(random, words.length)])}`
    const [tail, lines] = [`@${at}`, `#G${group}`]
    const kind = below(random, 14)
    if (open.length > 0 && kind < 7) words.push(`r${place}${parent}=${take(open, random)}${tail}`)
    else if (kind < 3) words.push(`u${place}${parent}${tail}`)
    else if (kind < 6) words.push(`a${place}${parent}${lines}${tail}`)
    else if (kind < 8) words.push(`k${place}${parent}${lines}${tail}`)
    else if (kind < 10) words.push(`c${place}${parent}${lines}${tail}`) && open.push(`c${place}`)
    else if (kind === 10) words.push(`s${place}${parent}${tail}`)
    else if (kind === 11) words.push(`m${place}${parent}${tail}`)
    else if (kind === 12 && words.length > 0) words.push(...reported(words, place, tail, random))
    else words.push(`${random() < 0.9 ? 'u' : ['x', 'b', '~u'][below(random, 3)]}${place}${parent}${tail}`)
  }
  for (const call of open) if (random() < 0.9) words.push(`r9${call}=${call}@${++time}`)
  if (random() < 0.8) words.push(`a99@${++time}`)
  return words.join(' ')
}

/** A progress report, and mostly a note that follows what was before it. */
function reported(words: readonly string[], place: number, tail: string, random: Random): string[] {
  const report = `p${place}${tail}`
  return random() < 0.1 ? [report] : [report, `s0${place}<${nameOf(words.at(-1))}${tail}`]
}

function nameOf(word = ''): string {
  return /\w+/.exec(word)?.[0] ?? '-'
}

/** Mostly the first open call. */
function take(open: string[], random: Random): string {
  const place = random() < 0.8 ? 0 : below(random, open.length)
  const [call = ''] = random() < 0.95 ? open.splice(place, 1) : [open[place]]
  return call
}

test('logs of linked records in any order', async () => {
  let count = 0
  for (let seed = 1; seed <= LOGS; seed++) {
    const random = seededRandom(seed)
    const version = VERSIONS[below(random, VERSIONS.length)] ?? NEW
    const installed = random() < 0.5 ? VERSIONS[below(random, VERSIONS.length)] : undefined
    const log = linkedLog(randomWords(random), { version })
    if (await compare(log, installed)) count++
  }
  expect(count).toBeGreaterThan(LOGS / 10)
})

test.each([true, false])('logs of any records, in one branch (%s)', async isLinear => {
  for (let seed = 1; seed <= LOGS; seed++) {
    const random = seededRandom(seed)
    await compare(randomLog(random, isLinear), VERSIONS[below(random, VERSIONS.length)])
  }
})

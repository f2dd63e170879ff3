// A session that is read in parts gives what it gives when it is read in one.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { damagesOf, inflict, makeHome, repairableKinds } from '../../../test/support/damaged.ts'
import { inFull } from '../../../test/support/full.ts'
import { temporaryHome } from '../../../test/support/home.ts'
import {
  comparePartsOf,
  type Outcome,
  randomSizes,
  readInParts,
  sorted,
  TOO_SHORT,
} from '../../../test/support/parts.ts'
import { seededRandom } from '../../../test/support/random.ts'
import { agentNamed } from '../../../test/support/reading.ts'
import type { PartSizes } from '../../agents/parts.ts'
import { findStore, storeOf } from '../../agents/store.ts'
import type { Context } from '../../catalog/context.ts'
import { agentOf, isKept, readSession } from '../../catalog/reading.ts'
import { collect } from '../../model/reading.ts'
import type { SessionRef } from '../../model/session.ts'
import { escapeRaw } from './clean.ts'
import { JsonWriter } from './json-writer.ts'
import { planParts } from './print-in-threads.ts'
import { messageText, printedText, SEPARATOR } from './rendered-part.ts'
import { printRest } from './session-json.ts'

const SEEDS = inFull([1, 2, 3, 4, 5, 6, 7, 8], [1, 2])
const CUTS = inFull(20, 4)
const SESSION_BYTES = 60_000

const kinds = (await repairableKinds()).filter(
  ({ agent, store }) => findStore(agentNamed(agent), { generation: store })?.parts !== undefined,
)

async function compare(context: Context, session: SessionRef, sizes: PartSizes): Promise<Outcome | undefined> {
  return await comparePartsOf(storeOf(agentOf(context, session), session), session, sizes)
}

const logs = kinds.filter(
  ({ agent, store }) => findStore(agentNamed(agent), { generation: store })?.traits.framing === 'json-lines',
)

/** All of it as one part. */
const UNCUT: PartSizes = { part: Number.MAX_SAFE_INTEGER, warmUp: 0, warmUpLines: 1 }

/**
 * Where the cuts are makes no difference. (A short log with unusual repeats is not compared with its reading: that
 * prefers other copies than the reading of a long one.)
 */
async function compareCuts(context: Context, session: SessionRef, sizes: PartSizes): Promise<void> {
  const parts = await storeOf(agentOf(context, session), session).parts?.()
  if (parts === undefined) throw new Error('The store does not read in parts.')
  const uncut = readInParts(parts, session, UNCUT)
  const cut = readInParts(parts, session, sizes)
  expect(cut === undefined).toBe(uncut === undefined)
  if (cut === undefined || uncut === undefined) return
  const count = Math.min(cut.messages.length, uncut.messages.length)
  expect(cut.messages.slice(0, count)).toEqual(uncut.messages.slice(0, count))
  if (cut.end === undefined || uncut.end === undefined) return
  expect(cut.messages).toHaveLength(uncut.messages.length)
  expect(sorted(cut.end)).toBe(sorted(uncut.end))
}

test('two stores or more read in parts', () => {
  expect(kinds.length).toBeGreaterThanOrEqual(2)
})

test.each(kinds)('$agent $store: cut anywhere, the parts give what the whole gives', async kind => {
  for (const seed of SEEDS) {
    const random = seededRandom(seed)
    const { context, session } = await makeHome(temporaryHome(), kind, seed, SESSION_BYTES)
    for (let cut = 0; cut < CUTS; cut++) {
      const outcome = await compare(context, session, randomSizes(random))
      expect(outcome?.end).toBeDefined()
    }
  }
})

test('a part whose reader cannot know its state is read again', async () => {
  let again = 0
  for (const kind of kinds) {
    const { context, session } = await makeHome(temporaryHome(), kind, 1, SESSION_BYTES)
    again += (await compare(context, session, TOO_SHORT))?.again ?? 0
  }
  expect(again).toBeGreaterThan(0)
})

test.each(kinds.flatMap(kind => damagesOf(kind).map(damage => ({ kind, damage, name: kind.agent, id: damage.id }))))(
  '$name, $id: the parts give what the whole gives, or the beginning of it',
  async ({ kind, damage }) => {
    for (const seed of SEEDS) {
      const random = seededRandom(seed)
      const { context, session } = await makeHome(temporaryHome(), kind, seed, SESSION_BYTES)
      inflict(session, kind, damage, seed)
      for (let cut = 0; cut < CUTS; cut++) await compare(context, session, randomSizes(random))
    }
  },
)

test.each(logs)('$agent $store: lines twice, left out or in another order', async kind => {
  for (const seed of SEEDS) {
    const random = seededRandom(seed)
    const { context, session } = await makeHome(temporaryHome(), kind, seed, SESSION_BYTES)
    const lines = readFileSync(session.filePath, 'utf8').trimEnd().split('\n')
    for (let cut = 0; cut < CUTS; cut++) {
      const changed = [...lines]
      for (let change = 0; change < 3; change++) {
        const [from, to] = [Math.floor(random() * changed.length), Math.floor(random() * changed.length)]
        const [line = ''] = random() < 0.5 ? changed.slice(from, from + 1) : changed.splice(from, 1)
        if (random() < 0.8) changed.splice(to, 0, line)
      }
      writeFileSync(session.filePath, `${changed.join('\n')}\n`)
      await compareCuts(context, session, randomSizes(random))
    }
  }
})

function makeWriter() {
  const printed: Buffer[] = []
  const writer = new JsonWriter({
    isTerminal: false,
    columns: 80,
    write: async text => void printed.push(Buffer.from(text)),
    writeBytes: async bytes => void printed.push(Buffer.from(bytes)),
    remark() {},
    style: (_, text) => text,
  })
  return { writer, printed }
}

test.each(kinds)(
  '$agent $store: the rest is printed after what is its beginning, and after nothing else',
  async kind => {
    const { context, session } = await makeHome(temporaryHome(), kind, 1, SESSION_BYTES)
    const read = () => storeOf(agentOf(context, session), session).read(session)
    const { messages } = await collect(read())
    const texts = messages.map(messageText)
    const printedUpTo = (count: number, last = texts[count - 1] ?? '') => ({
      messages: count,
      last: printedText(last),
      end: undefined,
    })
    for (const count of [0, 1, texts.length - 1, texts.length]) {
      const { writer, printed } = makeWriter()
      await printRest(writer, session, read(), undefined, printedUpTo(count))
      await writer.flush()
      const rest = texts.slice(count).map((text, at) => (at + count === 0 ? text : `${SEPARATOR}${text}`))
      expect(Buffer.concat(printed).toString()).toBe(escapeRaw(rest.join('')))
    }
    for (const other of [printedUpTo(2, texts[0]), printedUpTo(texts.length + 1, texts[0])])
      await expect(printRest(makeWriter().writer, session, read(), undefined, other)).rejects.toMatchObject({
        code: 'busy',
      })
  },
)

test.each(kinds)('$agent $store: two threads print what one prints', async kind => {
  const { context, session } = await makeHome(temporaryHome(), kind, 1, 4 * SESSION_BYTES)
  const sizes = { part: 8000, warmUp: 1000, warmUpLines: 4 }
  const print = await planParts(context, session, { worth: 0, sizes })
  const { writer, printed } = makeWriter()
  const outcome = await print?.(writer)
  await writer.flush()
  const { messages } = await collect(storeOf(agentOf(context, session), session).read(session))
  expect(outcome?.messages).toBe(messages.length)
  expect(outcome?.end).toBeDefined()
  expect(outcome?.last.toString()).toBe(escapeRaw(messages.slice(-1).map(messageText).join('')))
  expect(Buffer.concat(printed).toString()).toBe(escapeRaw(messages.map(messageText).join(SEPARATOR)))
  if (!isKept(context, session)) return
  const printedFile = keptIn(context)
  rmSync(join(context.state, 'last-good'), { recursive: true })
  await collect(readSession(context, session))
  expect(printedFile).toEqual(keptIn(context))
})

/** The lines of the only reading that was kept. */
function keptIn({ state }: Context): unknown[] {
  const folder = join(state, 'last-good')
  const [name = '', ...others] = readdirSync(folder)
  expect(others).toEqual([])
  const lines = readFileSync(join(folder, name), 'utf8').trimEnd().split('\n')
  return lines.map(line => JSON.parse(line.replace(/,$/, '')))
}

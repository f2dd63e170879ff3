// Documents broken in every way that a disk, a crash or an editor breaks them, and what must hold of each whatever was done to it.
import { readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'vitest'
import type { DocumentRepair } from '../../src/agents/repair.ts'
import { applyEdits } from '../../src/bytes/edits.ts'
import type { Span } from '../../src/bytes/json.ts'
import { endOfContainer } from '../../src/bytes/json.ts'
import { isPatch } from '../../src/model/plan.ts'
import { examineDocument } from '../../src/repair/check/examine-document.ts'
import type { Damage, DocumentDamage } from '../../src/repair/damage/damage.ts'
import { damages } from '../../src/repair/damage/index.ts'
import type { Kind, MadeHome } from './damaged.ts'
import { readMessages } from './damaged.ts'
import { inFull } from './full.ts'
import { below, seededRandom } from './random.ts'

/** A few places in a usual run, every one in `npm run test:full`. */
export const STRIDE = inFull(1, 4001)

export interface Broken {
  what: string
  bytes: Buffer
  /** The messages whose bytes nothing was done to, by their number. */
  untouched: number[]
}

/** A healthy document, and where its messages are. */
export class WholeDocument {
  readonly bytes: Buffer
  readonly spans: Span[]

  constructor(bytes: Buffer, list: string) {
    this.bytes = bytes
    this.spans = []
    const name = bytes.indexOf(`"${list}"`, bytes.indexOf('\n  "') === -1 ? 0 : bytes.indexOf(`\n  "${list}"`))
    for (let at = bytes.indexOf('[', name) + 1; ; ) {
      const start = bytes.indexOf('{', at)
      const close = bytes.indexOf(']', at)
      if (start === -1 || (close !== -1 && close < start)) break
      const end = endOfContainer(bytes, start)
      this.spans.push({ start, end })
      at = end
    }
  }

  message(number: number): string {
    const { start, end } = this.spans[number] ?? { start: 0, end: 0 }
    return JSON.stringify(JSON.parse(this.bytes.subarray(start, end).toString()))
  }

  #outside(from: number, to: number): number[] {
    return [...this.spans.entries()].flatMap(([number, { start, end }]) => (end <= from || start >= to ? [number] : []))
  }

  #all(): number[] {
    return [...this.spans.keys()]
  }

  *cuts(stride = STRIDE): Generator<Broken, void, void> {
    for (let at = 1; at < this.bytes.length; at += stride) {
      yield { what: `cut at ${at}`, bytes: this.bytes.subarray(0, at), untouched: this.#outside(at, this.bytes.length) }
      yield { what: `begun at ${at}`, bytes: this.bytes.subarray(at), untouched: this.#outside(0, at) }
    }
  }

  *singleBytes(stride = STRIDE, marks = '"{}],:\\\n\0x'): Generator<Broken, void, void> {
    for (let at = 0; at < this.bytes.length; at += stride) {
      const untouched = this.#outside(at, at + 1)
      const before = this.bytes.subarray(0, at)
      yield { what: `without byte ${at}`, bytes: Buffer.concat([before, this.bytes.subarray(at + 1)]), untouched }
      const mark = Buffer.from(marks.charAt((at / stride) % marks.length))
      const name = JSON.stringify(mark.toString())
      yield { what: `${name} at ${at}`, bytes: Buffer.concat([before, mark, this.bytes.subarray(at + 1)]), untouched }
      const inserted = Buffer.concat([before, mark, this.bytes.subarray(at)])
      yield { what: `${name} before ${at}`, bytes: inserted, untouched: this.#outside(at, at) }
    }
  }

  *ranges(count: number): Generator<Broken, void, void> {
    const random = seededRandom(11)
    for (let number = 0; number < count; number++) {
      const from = below(random, this.bytes.length)
      const to = Math.min(this.bytes.length, from + 1 + below(random, [6, 60, 600, 4000][below(random, 4)] ?? 6))
      const how = ['NULs', 'newlines', 'garbage', 'gone'][number % 4] ?? 'gone'
      const bytes = Buffer.from(this.bytes)
      if (how === 'NULs' || how === 'newlines') bytes.fill(how === 'NULs' ? 0 : 0x0a, from, to)
      if (how === 'garbage') for (let at = from; at < to; at++) bytes[at] = below(random, 256)
      const without = Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)])
      const what = `${from} to ${to} ${how}`
      yield { what, bytes: how === 'gone' ? without : bytes, untouched: this.#outside(from, to) }
    }
  }

  *copies(stride = 3 * STRIDE): Generator<Broken, void, void> {
    const { bytes } = this
    for (let at = 0; at <= bytes.length; at += stride) {
      const half = bytes.subarray(0, at)
      yield { what: `${at} bytes and the whole`, bytes: Buffer.concat([half, bytes]), untouched: this.#all() }
      yield { what: `the whole and ${at} bytes`, bytes: Buffer.concat([bytes, half]), untouched: this.#all() }
      const rest = Buffer.concat([bytes, bytes.subarray(at)])
      yield { what: `the whole and the rest from ${at} on`, bytes: rest, untouched: this.#all() }
    }
  }
}

const isOfDocuments = (damage: Damage): damage is DocumentDamage => damage.framing === 'json-document'
const OF_DOCUMENTS = damages.filter(isOfDocuments)

export interface Stage {
  made: MadeHome
  kind: Kind & { repair: DocumentRepair }
  whole: WholeDocument
}

export async function examine({ made: { session }, kind: { traits, repair } }: Stage) {
  return await examineDocument(session, traits, repair, OF_DOCUMENTS, { isLive: false })
}

/** The repaired document has every message that nothing was done to, and none that was not there; and nothing is found in it any more. */
export async function expectKept(stage: Stage, broken: Broken): Promise<void> {
  const { made, whole, kind } = stage
  const { what } = broken
  const file = made.session.filePath
  writeFileSync(file, broken.bytes)
  const found = await examine(stage)
  if (found.changes.length === 0 && found.refusals.length > 0) {
    expect(broken.untouched, `${what}: ${found.refusals[0]?.reason}`).toEqual([])
    return
  }
  const shown = await said(made)
  const edits = found.changes.filter(isPatch).flatMap(patch => patch.edits)
  writeFileSync(file, applyEdits(broken.bytes, edits))
  const document: Record<string, unknown[]> = JSON.parse(readFileSync(file, 'utf8'))
  const name = kind.repair.lists.find(list => document[list] !== undefined) ?? ''
  const messages = (document[name] ?? []).map(message => JSON.stringify(message))
  const left = [...messages]
  for (const number of broken.untouched) {
    const place = left.indexOf(whole.message(number))
    expect(place, `${what}: message ${number} is gone`).not.toBe(-1)
    left.splice(place, 1)
  }
  expect(left.length, `${what}: ${left}`).toBeLessThanOrEqual(whole.spans.length - broken.untouched.length + 1)
  const again = await examine(stage)
  expect(again.findings, what).toEqual([])
  expect(again.loads.now, what).toBe(found.loads.afterRepair)
  expect(await said(made), what).toEqual(shown)
}

async function said(made: MadeHome): Promise<string[]> {
  return (await readMessages(made)).map(({ parts }) => JSON.stringify(parts))
}

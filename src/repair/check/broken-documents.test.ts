import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Broken, Stage } from '../../../test/support/broken-documents.ts'
import { examine, expectKept, WholeDocument } from '../../../test/support/broken-documents.ts'
import type { Kind } from '../../../test/support/damaged.ts'
import { makeHome, repairableKinds } from '../../../test/support/damaged.ts'
import { inFull } from '../../../test/support/full.ts'
import { temporaryHome } from '../../../test/support/home.ts'
import { hostileDocument } from '../../../test/support/hostile-document.ts'
import type { DocumentRepair } from '../../agents/repair.ts'
import { undoReceipt } from '../../disk/vault/undo.ts'
import { repairSession } from '../repair.ts'

const isDocument = (kind: Kind): kind is Kind & { repair: DocumentRepair } => kind.repair.framing === 'json-document'
const kinds = (await repairableKinds()).filter(isDocument)
const BYTES = 12_000
const RANGES = inFull(4000, 8)
const TIMEOUT_MS = inFull(3_600_000, 120_000)

async function stageOf(kind: Kind & { repair: DocumentRepair }): Promise<Stage> {
  const made = await makeHome(temporaryHome(), kind, 2, BYTES)
  const whole = new WholeDocument(readFileSync(made.session.filePath), 'messages')
  expect(whole.spans.length).toBeGreaterThan(3)
  return { made, kind, whole }
}

async function expectAll(stage: Stage, all: Iterable<Broken>): Promise<void> {
  for (const broken of all) await expectKept(stage, broken)
}

describe.each(kinds)('a document of $agent', kind => {
  test('that is cut anywhere, at its end or its beginning, keeps every complete message', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const stage = await stageOf(kind)
    await expectAll(stage, stage.whole.cuts())
  })

  test('of which a byte is gone, changed or one too many keeps every other message', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const stage = await stageOf(kind)
    await expectAll(stage, stage.whole.singleBytes())
  })

  test('with a stretch wiped out, overwritten or gone keeps every other message', { timeout: TIMEOUT_MS }, async () => {
    const stage = await stageOf(kind)
    await expectAll(stage, stage.whole.ranges(RANGES))
  })

  test('that stands there twice, or in part twice, keeps each message once', { timeout: TIMEOUT_MS }, async () => {
    const stage = await stageOf(kind)
    await expectAll(stage, stage.whole.copies())
  })

  test('is given back byte by byte by an undo', async () => {
    const stage = await stageOf(kind)
    const { made, whole } = stage
    const cases = [...whole.cuts(4001), ...whole.singleBytes(4001), ...whole.ranges(4), ...whole.copies(9001)]
    for (const { bytes, what } of cases) {
      writeFileSync(made.session.filePath, bytes)
      const { report } = await repairSession(made.context, made.session, { force: true })
      if (report.receipt === undefined) continue
      await undoReceipt(made.context.state, report.receipt, {})
      expect(readFileSync(made.session.filePath).equals(bytes), what).toBe(true)
    }
  })
})

describe.each(
  kinds.flatMap(kind =>
    [2, 0].map(indent => ({ kind, indent, name: `${kind.agent}, ${indent === 0 ? 'on one line' : 'on lines'}` })),
  ),
)('messages about messages ($name)', ({ kind, indent }) => {
  /** What was said, called with or given back has the shape of messages and of whole documents. */
  async function hostileStage(): Promise<Stage> {
    const stage = await stageOf(kind)
    const original: unknown = JSON.parse(stage.whole.bytes.toString())
    const bytes = Buffer.from(JSON.stringify(hostileDocument(original), null, indent))
    return { ...stage, whole: new WholeDocument(bytes, 'messages') }
  }

  test('are never taken for messages, wherever the document is broken', { timeout: TIMEOUT_MS }, async () => {
    const stage = await hostileStage()
    const { whole, made } = stage
    // On one line, a stretch that takes brackets with it leaves no trace of what was inside of what.
    const ranges = indent === 0 ? [] : whole.ranges(RANGES)
    for (const broken of [...whole.cuts(), ...whole.singleBytes(), ...whole.copies(), ...ranges]) {
      await expectKept(stage, broken)
      const { changes } = await examine(stage)
      expect(changes, broken.what).toEqual([])
      const text = readFileSync(made.session.filePath, 'utf8')
      if (!isJson(text)) continue
      const { messages } = JSON.parse(text)
      const fakes = messages.filter((message: Record<string, unknown>) =>
        /^fake/.test(String(message['id'] ?? message['messageId'])),
      )
      expect(fakes, broken.what).toEqual([])
    }
  })
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

// Tiny journals written by hand, and what they are projected to, byte for byte. RETHREAD_TEST_GOLDEN=write writes what is there now: look at the difference.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { envelopeOf } from '../../journal/conversation/samples.ts'
import type { Envelope } from '../../journal/store.ts'
import { everythingIn, type Projected, project } from './samples.ts'

const FOLDER = new URL('./golden/', import.meta.url)
const ENDING = '.journal.jsonl'
const isWriting = process.env['RETHREAD_TEST_GOLDEN'] === 'write'

const line = z.object({ sender: z.enum(['client', 'agent']), message: z.unknown() })

const names = readdirSync(FOLDER).flatMap(name => (name.endsWith(ENDING) ? [name.slice(0, -ENDING.length)] : []))

test.each(names)('the journal "%s" gives the view and the events that it gave before', name => {
  const projected = project(readJournal(name))
  compare(`${name}.events.jsonl`, linesOf(projected.events))
  compare(`${name}.view.jsonl`, linesOf(describe(projected)))
})

function readJournal(name: string): Envelope[] {
  const lines = readFileSync(new URL(`${name}${ENDING}`, FOLDER), 'utf8')
    .trimEnd()
    .split('\n')
  return lines.map(text => {
    const { sender, message } = line.parse(JSON.parse(text))
    return envelopeOf(sender, message)
  })
}

/** One line for each thing, so that a difference can be read. */
function describe({ view }: Projected): unknown[] {
  return Object.entries(everythingIn(view) as object).flatMap(([name, value]) =>
    name === 'messages' ? view.messages().flatMap(({ info, parts }) => [info, ...parts]) : [{ [name]: value }],
  )
}

function linesOf(values: readonly unknown[]): string {
  return values.map(value => `${JSON.stringify(value)}\n`).join('')
}

function compare(name: string, text: string): void {
  const file = new URL(name, FOLDER)
  if (isWriting) writeFileSync(file, text)
  expect(text).toBe(readFileSync(file, 'utf8'))
}

// Tries one kind of broken line on a log of the simplest kind: what repairs it, and what a reader of the log says.
import { openLog } from '../../src/agents/stores/json-lines.ts'
import type { Edit } from '../../src/bytes/edits.ts'
import { Pieces } from '../../src/bytes/edits.ts'
import type { Finding } from '../../src/model/finding.ts'
import { Findings } from '../../src/model/finding.ts'
import { isPatch } from '../../src/model/plan.ts'
import type { LineDamage } from '../../src/repair/damage/lines/line-damage.ts'
import { makeLineDamage } from '../../src/repair/damage/shared/make-line-damage.ts'
import { put, temporaryHome } from './home.ts'
import { toyRepair, toySubject } from './toy-log.ts'

export const A = '{"id":"a","text":"one\\ntwo"}'
export const B = '{"id":"b","text":"three"}'
export const C = '{"id":"c","text":"four"}'

export const spaces = (count: number): string => ' '.repeat(count)

export async function repairLines(
  line: LineDamage,
  log: string | Buffer,
  isLive = false,
): Promise<{ found: string[]; bytes: string }> {
  const whole = Buffer.from(log)
  const damage = makeLineDamage(line)
  const subject = toySubject(whole, isLive)
  const detected = await damage.detect(subject)
  const { changes } = damage.plan(subject, detected)
  const edits: Edit[] = changes.filter(isPatch).flatMap(patch => patch.edits)
  const pieces = Pieces.whole(whole.length).edit(edits)
  const parts = [...pieces.chunks(0, pieces.size, (start, end) => [whole.subarray(start, end)])]
  const found = detected.map(({ finding }) => `${finding.damage} ${finding.severity}`)
  return { found, bytes: Buffer.concat(parts).toString('latin1') }
}

/** The ids of the records, or a field of them, and the findings of the reader. */
export function readLines(log: string | Buffer, field = 'id'): { read: unknown[]; findings: readonly Finding[] } {
  const home = temporaryHome()
  const opened = openLog(put(home, 'toy.jsonl', Buffer.from(log)), home, toyRepair.isRecord)
  const findings = new Findings()
  const read = [...opened.records(findings)].map(({ value }) => value[field])
  opened.close()
  return { read, findings: findings.list }
}

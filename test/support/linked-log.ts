// Linked sessions in shorthand, one word a record: `u1 a1 c2#M r2 a3<?` is a prompt, an answer, a call, its result and an answer whose parent is nowhere.
//
// `~` another lane · first letter: u prompt, a answer, k thinking, c call, r result, s system, x queued prompt, p progress, b compaction, m meta · `<id` parent
// (`<-` root, `<?` nowhere; else the record before on the same lane) · `#G` lines of one message · `=c1` result of that call · `@5` seconds since the first record.
import { claudeCode } from '../../src/agents/claude-code/index.ts'
import { repair } from '../../src/agents/claude-code/repair/index.ts'
import { Pieces } from '../../src/bytes/edits.ts'
import type { ByteEdit } from '../../src/model/plan.ts'
import { isPatch } from '../../src/model/plan.ts'
import { mergeEdits } from '../../src/repair/check/rounds.ts'
import type { LogDamage, LogSubject } from '../../src/repair/damage/damage.ts'
import type { RecordIndex } from '../../src/repair/records/record-index.ts'
import { indexLog } from '../../src/repair/scan/scan-log.ts'

const SESSION = '11111111-1111-4111-8111-111111111111'
const BEGIN = Date.UTC(2026, 10, 15, 7)
const WORD = /^(~?)(([a-z])\w*)(?:<(-|\?\w*|\w+))?(?:#(\w+))?(?:=(\w+))?(?:@(-?[\d.]+))?$/

export function uuid(id: string): string {
  return `00000000-0000-4000-8000-${Buffer.from(id).toString('hex').padStart(12, '0')}`
}

/** `gap`: seconds between two records. */
export function linkedLog(words: string, { gap = 60, version = '2.1.25' } = {}): string {
  const last = new Map<string, string>()
  return words
    .trim()
    .split(/\s+/)
    .map((word, place) => {
      const [, lane = '', id = '', letter = '', parent, group, call, at] = WORD.exec(word) ?? []
      if (id === '') throw new Error(`not a record in shorthand: ${word}`)
      const before = letter === 'b' && parent === undefined ? '-' : (parent ?? last.get(lane) ?? '-')
      last.set(lane, id)
      const time = new Date(BEGIN + (at === undefined ? place * gap : Number(at)) * 1000).toISOString()
      const head = { parentUuid: before === '-' ? null : uuid(before), isSidechain: lane !== '', cwd: '/home/dev/shop' }
      const tail = { uuid: uuid(id), timestamp: time }
      return JSON.stringify({
        ...head,
        sessionId: SESSION,
        version,
        ...bodyOf(letter, id, before, group, call),
        ...tail,
      })
    })
    .map(line => `${line}\n`)
    .join('')
}

function bodyOf(letter: string, id: string, parent: string, group: string | undefined, call: string | undefined) {
  const answer = (block: object) => ({
    type: 'assistant',
    message: { id: `msg_${group ?? id}`, role: 'assistant', content: [block] },
  })
  switch (letter) {
    case 'u':
      return { type: 'user', message: { role: 'user', content: id } }
    case 'm':
      return { type: 'user', isMeta: true, message: { role: 'user', content: id } }
    case 'a':
      return answer({ type: 'text', text: id })
    case 'k':
      return answer({ type: 'thinking', thinking: id, signature: 'c2ln' })
    case 'c':
      return answer({ type: 'tool_use', id: `toolu_${id}`, name: 'Bash', input: { command: 'ls' } })
    case 'r': {
      const block = { type: 'tool_result', tool_use_id: `toolu_${call ?? parent}`, content: id }
      return { type: 'user', message: { role: 'user', content: [block] } }
    }
    case 's':
      return { type: 'system', subtype: 'informational', content: id }
    case 'b':
      return {
        type: 'system',
        subtype: 'compact_boundary',
        content: 'Conversation compacted',
        logicalParentUuid: uuid('gone'),
      }
    case 'x':
      return { type: 'attachment', attachment: { type: 'queued_command', prompt: id } }
    case 'p':
      return { type: 'progress', data: { type: 'hook_progress', hookEvent: 'PostToolUse' } }
    default:
      throw new Error(`no such kind of record: ${letter}`)
  }
}

const [{ traits } = {}] = claudeCode.stores

/** What a check would see of these bytes, with this version of the agent installed. */
export function linkedSubject(text: string | Buffer, installedVersion?: string): LogSubject {
  const bytes = Buffer.from(text)
  const { index, junk } = indexLog([bytes], repair)
  if (traits === undefined) throw new Error('the agent has no sessions of this kind')
  return {
    session: {
      agent: 'claude-code',
      sessionId: SESSION,
      filePath: `/nowhere/${SESSION}.jsonl`,
      generation: 'projects',
      storeRoot: '/nowhere',
      updatedAt: 0,
      fileSize: bytes.length,
      identity: '',
    },
    traits,
    repair,
    index,
    visible: index.onlyWhole(),
    junk,
    bytes: { size: bytes.length, range: (start, end) => bytes.subarray(start, end) },
    isLive: false,
    ...(installedVersion === undefined ? {} : { installedVersion }),
  }
}

/** The shorthand ids of what a resume loads, in order. */
export function loadedIds(subject: LogSubject): string {
  const { chain } = subject.repair.load(subject)
  return Array.from(chain, record => idOf(subject, subject.visible, record)).join(' ')
}

function idOf({ bytes }: LogSubject, index: RecordIndex, record: number): string {
  const { uuid: id } = JSON.parse(bytes.range(index.start(record), index.end(record)).toString())
  return Buffer.from(
    String(id)
      .slice(-12)
      .replace(/^(?:00)+/, ''),
    'hex',
  ).toString()
}

/** All parents in shorthand, such as `u1<- a1<u1`: in the order of the file. */
export function parentsOf(text: string): string {
  const name = (id: unknown): string =>
    typeof id === 'string' ? Buffer.from(id.slice(-12).replace(/^(?:00)+/, ''), 'hex').toString() : '-'
  return text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
    .map(record => `${name(record.uuid)}<${name(record.parentUuid)}`)
    .join(' ')
}

export interface Repaired {
  /** What was found in all rounds, each with the offset of its record. */
  found: string[]
  refused: string[]
  text: string
}

/** Finds and repairs as a check plans it: round after round, until nothing is left to do. */
export async function repairLinks(text: string, damages: readonly LogDamage[], version?: string): Promise<Repaired> {
  const repaired: Repaired = { found: [], refused: [], text }
  for (let round = 0; round < 4; round++) {
    const subject = linkedSubject(repaired.text, version)
    const edits: ByteEdit[] = []
    for (const damage of damages) {
      const detected = await damage.detect(subject)
      for (const { finding } of detected) repaired.found.push(finding.damage)
      const planned = damage.plan(subject, detected)
      for (const change of planned.changes) if (isPatch(change)) edits.push(...change.edits)
      repaired.refused.push(...planned.refused.map(({ reason }) => reason))
    }
    if (edits.length === 0) break
    const whole = Buffer.from(repaired.text)
    const pieces = Pieces.whole<ByteEdit>(whole.length).edit(mergeEdits(edits))
    repaired.text = Buffer.concat([
      ...pieces.chunks(0, pieces.size, (from, to) => [whole.subarray(from, to)]),
    ]).toString()
  }
  return repaired
}

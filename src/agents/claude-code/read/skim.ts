// What a summary needs of a session. Only a log without damage and branches is skimmed: the kernel of the scanner
// proves every line, and lines that say something about the session are parsed.
import { parseObject } from '../../../bytes/json.ts'
import type { ReadOnceFile } from '../../../disk/files/read-once.ts'
import type { Message } from '../../../model/message.ts'
import type { Usage } from '../../../model/usage.ts'
import type { SkimmedSession } from '../../store.ts'
import type { ProvedLine } from '../../stores/prove-lines.ts'
import { proveLines } from '../../stores/prove-lines.ts'
import { asTime } from '../../stores/values.ts'
import type { FactNotes } from './facts.ts'
import { factsFrom, noteFacts, noteTime } from './facts.ts'
import { interpret } from './messages.ts'
import { LinkedRecords } from './skim-links.ts'
import type { LinePlan, UsageSlots } from './skim-plan.ts'
import { FIELDS, knownBits, planOf } from './skim-plan.ts'
import { SkimTally } from './skim-tally.ts'

/** Undefined for a session that has to be read. */
export function skim(file: ReadOnceFile): SkimmedSession | undefined {
  return file.identity.size > MAX_BYTES ? undefined : new Skimmer(file).run()
}

/** A longer log is read step by step, so that an interrupt is noticed. */
const MAX_BYTES = 64 * 1024 * 1024

/** One for all logs: they are skimmed one after the other. */
const links = new LinkedRecords()

class Skimmer {
  readonly #file: ReadOnceFile
  readonly #notes: FactNotes = { summaries: {} }
  readonly #tally = new SkimTally()
  /** Bits of what the notes hold. */
  #known = 0
  /** The latest time of a line that is not parsed. */
  #latest = Number.NEGATIVE_INFINITY

  /** Of the last line with one. */
  #group = ''
  #groupHash = Number.NaN

  constructor(file: ReadOnceFile) {
    this.#file = file
  }

  run(): SkimmedSession | undefined {
    links.clear()
    if (!proveLines(this.#file, FIELDS, line => this.#add(line))) return undefined
    // Times in the form that the kernel reads have the same order as numbers and as texts.
    const latest = this.#latest === Number.NEGATIVE_INFINITY ? undefined : asTime(this.#latest)
    if (latest !== undefined) noteTime(this.#notes, latest)
    const facts = factsFrom(this.#notes, () => false)
    const usage = this.#tally.finish(facts.cost)
    const { messageCount } = this.#tally
    return usage === undefined ? { facts, messageCount } : { facts, messageCount, usage }
  }

  /** False for a line that may begin a branch. */
  #add(line: ProvedLine): boolean {
    const plan = planOf(line.shape)
    if (!links.add(line, plan.links)) return false
    if (plan.isParsed || (plan.tells & ~this.#known) !== 0) return this.#addParsed(line, plan)
    const notes = this.#notes
    if (plan.version !== undefined) notes.version = plan.version
    if (plan.model !== undefined) notes.model = plan.model
    const time = plan.time === undefined ? null : line.number(plan.time)
    if (time !== null && plan.time !== undefined) {
      notes.startedAt ??= line.text(plan.time)
      if (time > this.#latest) this.#latest = time
    }
    this.#count(line, plan, time)
    return true
  }

  #count(line: ProvedLine, plan: LinePlan, time: number | null): void {
    const { role } = plan
    if (role === undefined) return
    const tally = this.#tally
    const usage = plan.usage && usageIn(line, plan.usage)
    if (plan.group !== undefined) {
      const group = this.#groupOf(line, plan.group)
      if (tally.isOpen(group)) tally.extend(usage)
      else tally.open(group, idOf(line, plan), timeOf(line, plan), usage)
    } else if (role === 'tool') tally.addResult(time)
    else if (usage === undefined) tally.add(role, time)
    else tally.addWithUsage(idOf(line, plan), timeOf(line, plan), usage)
  }

  /** The lines of a message usually follow each other. */
  #groupOf(line: ProvedLine, slot: number): string {
    const hash = line.hash(slot)
    if (hash !== this.#groupHash) {
      this.#groupHash = hash
      this.#group = line.text(slot)
    }
    return this.#group
  }

  #addParsed(line: ProvedLine, plan: LinePlan): boolean {
    const bytes = line.bytes()
    const value = parseObject(bytes)
    if (value === undefined) return false
    noteFacts(this.#notes, value)
    this.#known = knownBits(this.#notes)
    if (!plan.isParsed) {
      this.#count(line, plan, plan.time === undefined ? null : line.number(plan.time))
      return true
    }
    const interpreted = interpret({ value, bytes, at: { file: this.#file.path, start: line.start, end: line.end } })
    if (interpreted.type !== 'bookkeeping')
      this.#countParsed(interpreted.message, interpreted.type === 'message' ? interpreted.group : undefined)
    return true
  }

  #countParsed({ id, role, time, usage }: Message, group: string | undefined): void {
    const tally = this.#tally
    if (group !== undefined && tally.isOpen(group)) tally.extend(usage)
    else if (role === 'tool') tally.addResult(time)
    else if (group !== undefined) tally.open(group, id, time, usage)
    else if (usage === undefined) tally.add(role, time)
    else tally.addWithUsage(id, time, usage)
  }
}

function idOf(line: ProvedLine, { links: { id } }: LinePlan): string {
  return id === undefined ? `@${line.start}` : line.text(id)
}

function timeOf(line: ProvedLine, { time }: LinePlan): string | null {
  return time === undefined ? null : line.text(time)
}

function usageIn(line: ProvedLine, { input, output, cacheRead, cacheWrite }: UsageSlots): Usage {
  const usage: Usage = {}
  if (input !== undefined) usage.input = line.number(input)
  if (output !== undefined) usage.output = line.number(output)
  if (cacheRead !== undefined) usage.cacheRead = line.number(cacheRead)
  if (cacheWrite !== undefined) usage.cacheWrite = line.number(cacheWrite)
  return usage
}

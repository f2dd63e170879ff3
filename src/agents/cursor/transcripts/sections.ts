// One stretch of a text transcript as a message: what was thought, said and called in it.
import type { Message, Part } from '../../../model/message.ts'
import { isOnlyContext } from '../context.ts'

export type Speaker = 'user' | 'assistant' | 'tool' | 'nobody'

export interface Section {
  speaker: Speaker
  /** Without the line that names the speaker; of a tool, with it, for it names the tool. */
  lines: string[]
  start: number
  end: number
}

const TOOL_RESULT = /^\[Tool result\] ?(.*)$/
const TOOL_CALL = /^\[Tool call\] ?(.*)$/
const THINKING = /^\[Thinking\] ?(.*)$/

/** Who speaks from this line on; undefined where it is a line like any other. */
export function speakerOf(line: string): Speaker | undefined {
  switch (line.trimEnd()) {
    case 'user:':
      return 'user'
    case 'assistant:':
    case 'A:':
      return 'assistant'
    default:
      return TOOL_RESULT.test(line) ? 'tool' : undefined
  }
}

/** Turns sections into messages; remembers which calls still wait for their result. */
export class Speech {
  readonly #file: string
  #waiting: { id: string; name: string }[] = []

  constructor(file: string) {
    this.#file = file
  }

  /** Undefined for a stretch in which nothing stands. */
  messageOf(section: Section): Message | undefined {
    const { speaker, lines } = section
    const text = lines.join('\n').trim()
    if (text === '' && speaker === 'nobody') return undefined
    switch (speaker) {
      case 'user':
        this.#waiting = []
        if (isOnlyContext(text)) return this.#message(section, 'system', [{ type: 'notice', text }])
        return this.#message(section, 'user', text === '' ? [] : [{ type: 'text', text }])
      case 'assistant':
        return this.#message(section, 'assistant', this.#spoken(section))
      case 'tool':
        return this.#message(section, 'tool', [this.#result(section)])
      case 'nobody':
        return this.#message(section, 'system', [
          { type: 'unknown', recordType: 'text without a speaker', value: text },
        ])
    }
  }

  #message(section: Section, role: Message['role'], parts: Part[]): Message {
    const at = { file: this.#file, start: section.start, end: section.end }
    return { id: `@${section.start}`, role, time: null, parts, at }
  }

  /** What a tool was given stands behind the call, in as many lines as it took. It cannot be told from YAML in it, so it stays text. */
  #spoken(section: Section): Part[] {
    const parts: Part[] = []
    let lines: string[] = []
    let called: string | undefined
    const flush = () => {
      const text = lines.join('\n').trim()
      if (called !== undefined) {
        const id = `@${section.start}.${parts.length}`
        parts.push({ type: 'tool-call', id, name: called, input: text })
        this.#waiting.push({ id, name: called })
      } else if (text !== '') parts.push({ type: 'text', text })
      lines = []
      called = undefined
    }
    for (const line of section.lines) {
      const call = TOOL_CALL.exec(line)?.[1]
      const thought = THINKING.exec(line)?.[1]
      if (call === undefined && thought === undefined) lines.push(line)
      else flush()
      if (call !== undefined) called = call.trim()
      // Where a thought ends is not marked. Its first line is one for certain; what follows may be the answer, and must not be hidden.
      if (thought !== undefined && thought !== '') parts.push({ type: 'thinking', text: thought })
    }
    flush()
    return parts
  }

  /** Results name their tool, and mostly nothing else. */
  #result(section: Section): Part {
    const name = TOOL_RESULT.exec(section.lines[0] ?? '')?.[1]?.trim() ?? ''
    const index = this.#waiting.findIndex(call => call.name === name)
    const call = index === -1 ? undefined : this.#waiting.splice(index, 1)[0]
    const output = section.lines.slice(1).join('\n').trim()
    return { type: 'tool-result', id: call?.id ?? `@${section.start}.0`, output, isError: false }
  }
}

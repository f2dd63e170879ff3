// One section of a text transcript as a message: its thinking, text and calls.
import type { Message, Part } from '../../../model/message.ts'
import { isOnlyContext } from '../context.ts'

export type Speaker = 'user' | 'assistant' | 'tool' | 'unknown'

export interface Section {
  speaker: Speaker
  /** Without the line that names the speaker, except for a tool, where that line names the tool. */
  lines: string[]
  start: number
  end: number
}

const TOOL_RESULT = /^\[Tool result\] ?(.*)$/
const TOOL_CALL = /^\[Tool call\] ?(.*)$/
const THINKING = /^\[Thinking\] ?(.*)$/

/** The speaker from this line on. Undefined for an ordinary line. */
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

/** Converts sections to messages. Remembers which calls still wait for their result. */
export class Speech {
  readonly #file: string
  #waiting: { id: string; name: string }[] = []

  constructor(file: string) {
    this.#file = file
  }

  /** Undefined for an empty section. */
  messageOf(section: Section): Message | undefined {
    const { speaker, lines } = section
    const text = lines.join('\n').trim()
    if (text === '' && speaker === 'unknown') return undefined
    switch (speaker) {
      case 'user':
        this.#waiting = []
        if (isOnlyContext(text)) return this.#message(section, 'system', [{ type: 'notice', text }])
        return this.#message(section, 'user', text === '' ? [] : [{ type: 'text', text }])
      case 'assistant':
        return this.#message(section, 'assistant', this.#assistantParts(section))
      case 'tool':
        return this.#message(section, 'tool', [this.#result(section)])
      case 'unknown':
        return this.#message(section, 'system', [
          { type: 'unknown', recordType: 'text without a speaker', value: text },
        ])
    }
  }

  #message(section: Section, role: Message['role'], parts: Part[]): Message {
    const at = { file: this.#file, start: section.start, end: section.end }
    return { id: `@${section.start}`, role, time: null, parts, at }
  }

  /**
   * The input of a tool follows the call, over several lines. It may contain YAML, which cannot be separated,
   * so it stays text.
   */
  #assistantParts(section: Section): Part[] {
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
      // The end of a thought is not marked. Only its first line is certain. The following lines may be the
      // answer and must not be hidden.
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

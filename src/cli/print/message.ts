// Prints one message: role, time and parts. Thinking is dimmed, tool output is folded.
import { toJson } from '../../bytes/json.ts'
import type { Message, Part } from '../../model/message.ts'
import { cleanLine, cleanText } from './clean.ts'
import { fitTo, wrapLine } from './layout.ts'
import type { Output } from './output.ts'
import { plural } from './words.ts'

/** Lines shown of folded tool output. */
const FOLDED_LINES = 4
const FOLDED_THINKING_LINES = 8
const FOLDED_NOTICE_LINES = 1
const MAX_INPUT_CHARACTERS = 300

export type MessagePrinter = (message: Message) => string

export function makeMessagePrinter(output: Output, agentTitle: string, isFull: boolean): MessagePrinter {
  let day = ''
  return message => {
    const lines: string[] = []
    const own = message.time === null ? day : localDay(message.time)
    if (own !== day) lines.push('', output.style('dim', `── ${own} ──`))
    day = own
    if (message.role !== 'tool') lines.push('', headline(output, message, agentTitle))
    for (const part of message.parts) lines.push(...printPart(output, part, isFull))
    return `${lines.join('\n')}\n`
  }
}

function headline(output: Output, message: Message, agentTitle: string): string {
  const facts = [
    ...(message.time === null ? [] : [localTime(message.time)]),
    ...(message.model === undefined ? [] : [cleanLine(message.model)]),
  ]
  const detail = facts.length === 0 ? '' : `  ${output.style('dim', facts.join(' · '))}`
  // The agent reports in the name of the person, who did not type this.
  const isOnlyNotice = message.parts.length > 0 && message.parts.every(({ type }) => type === 'notice')
  switch (message.role) {
    case 'user':
      return (isOnlyNotice ? output.style('dim', 'note') : output.style('user', 'You')) + detail
    case 'assistant':
      return output.style('accent', agentTitle) + detail
    case 'system':
      return output.style('dim', 'note') + detail
    case 'tool':
      return output.style('dim', 'result') + detail
  }
}

function printPart(output: Output, part: Part, isFull: boolean): string[] {
  const dim = (line: string): string => output.style('dim', line)
  switch (part.type) {
    case 'text':
      return indent(output, part.text, 0)
    case 'thinking':
      return indent(output, `✻ ${part.text.trim() || '(thinking)'}`, isFull ? 0 : FOLDED_THINKING_LINES).map(dim)
    case 'tool-call':
      return [`  ${output.style('bold', `▸ ${cleanLine(part.name)}`)}  ${shortInput(part.input, isFull)}`.trimEnd()]
    case 'tool-result':
      return printResult(output, part, isFull)
    case 'file':
      return [dim(`  ▣ ${cleanLine([part.name ?? part.reference, part.mime].filter(Boolean).join(', ') || 'a file')}`)]
    case 'notice':
      return indent(output, part.text, isFull ? 0 : FOLDED_NOTICE_LINES).map(dim)
    case 'unknown':
      return [dim(`  ? unknown (${cleanLine(part.recordType)}): ${shortInput(part.value, isFull)}`)]
  }
}

function printResult(output: Output, part: Part & { type: 'tool-result' }, isFull: boolean): string[] {
  const lines = cleanText(part.output).replace(/\n+$/, '').split('\n')
  const mark = part.isError ? output.style('bad', '✗') : output.style('good', '✓')
  if (lines.length === 1 && lines[0] === '') return [`    ${mark} ${output.style('dim', '(no output)')}`]
  return fold(lines, isFull ? 0 : FOLDED_LINES).map(
    (line, index) =>
      `    ${index === 0 ? mark : ' '} ${output.style('dim', isFull ? line : fitTo(line, Math.max(40, output.columns - 6)))}`,
  )
}

/** The first lines, and how many more there are. A `most` of 0 means all. */
function fold(lines: string[], most: number): string[] {
  // A line that says "1 more line" would be as long as the line itself.
  if (most === 0 || lines.length <= most + 1) return lines
  return [...lines.slice(0, most), `… ${plural(lines.length - most, 'more line')} (--full)`]
}

function indent(output: Output, text: string, most: number): string[] {
  const lines = fold(cleanText(text).replace(/\n+$/, '').split('\n'), most)
  // Piped text is not wrapped: the next program needs the lines as they are.
  const shown = output.isTerminal ? lines.flatMap(line => wrapLine(line, output.columns - 2)) : lines
  return shown.map(line => `  ${line}`.trimEnd())
}

/** Input fields that identify a call. Without any of them its whole input is shown as JSON. */
const IDENTIFYING_FIELDS = [
  'command',
  'cmd',
  'file_path',
  'filePath',
  'path',
  'pattern',
  'query',
  'url',
  'prompt',
  'description',
]

function shortInput(input: unknown, isFull: boolean): string {
  const text = identifyingInput(input)
  if (isFull) return cleanLine(typeof input === 'string' ? input : toJson(input ?? {}))
  return cleanLine(fitTo(text.slice(0, 2 * MAX_INPUT_CHARACTERS), MAX_INPUT_CHARACTERS))
}

function identifyingInput(input: unknown): string {
  if (typeof input === 'string') return input
  if (typeof input !== 'object' || input === null) return toJson(input ?? {})
  const value = IDENTIFYING_FIELDS.map(name => (input as Record<string, unknown>)[name]).find(
    field => field !== undefined && field !== '',
  )
  if (typeof value === 'string') return value
  return Array.isArray(value) ? value.join(' ') : toJson(input)
}

function localDay(time: string): string {
  const date = new Date(time)
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

function localTime(time: string): string {
  const date = new Date(time)
  return `${two(date.getHours())}:${two(date.getMinutes())}`
}

function two(number: number): string {
  return String(number).padStart(2, '0')
}

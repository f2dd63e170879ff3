// How a conversation of the demo is written down: what was asked, what was answered, and what the calls in between gave back.
import type { Call, Turn } from '../agents/samples/conversation.ts'

export interface Story {
  title: string
  /** The name of the project it was held in. */
  project: string
  turns: UntimedTurn[]
  /** One question and its answer: too small to be damaged in an interesting way. */
  isShort?: boolean
}

export type UntimedTurn = WithoutTime<Turn>
type WithoutTime<T> = T extends Turn ? Omit<T, 'time'> : never

export function ask(...paragraphs: string[]): UntimedTurn {
  return { type: 'prompt', text: paragraphs.join('\n\n') }
}

export function answer(...paragraphs: string[]): UntimedTurn {
  return { type: 'step', thinking: undefined, text: paragraphs.join('\n\n'), calls: [] }
}

/** What the model does before it answers. */
export function work(said: { thinking?: string; text?: string }, ...calls: Call[]): UntimedTurn {
  return { type: 'step', thinking: said.thinking, text: said.text, calls }
}

export function shell(command: string, ...output: string[]): Call {
  return { tool: 'shell', input: { command }, output: output.join('\n'), isError: false }
}

export function failingShell(command: string, ...output: string[]): Call {
  return { ...shell(command, ...output), isError: true }
}

export function read(path: string, ...lines: string[]): Call {
  return { tool: 'read', input: { path }, output: lines.join('\n'), isError: false }
}

export function search(pattern: string, path: string, ...hits: string[]): Call {
  return { tool: 'search', input: { pattern, path }, output: hits.join('\n'), isError: false }
}

export function edit(path: string, before: string[], after: string[]): Call {
  const input = { path, before: before.join('\n'), after: after.join('\n') }
  return { tool: 'edit', input, output: `${path} was updated.`, isError: false }
}

/** A block of code in Markdown. */
export function code(language: string, ...lines: string[]): string {
  return [`\`\`\`${language}`, ...lines, '```'].join('\n')
}

const paint = (number: number) => (text: string) => `\u001b[${number}m${text}\u001b[39m`
export const red = paint(31)
export const green = paint(32)
export const yellow = paint(33)
export const blue = paint(34)
export const grey = paint(90)
export const bold = (text: string): string => `\u001b[1m${text}\u001b[22m`

export function passing(file: string, tests: number, ms: number): string {
  return ` ${green('✓')} ${file} ${grey(`(${tests} tests)`)} ${green(`${ms}ms`)}`
}

export function failing(file: string, test: string): string {
  return ` ${red('❯')} ${file} ${grey('>')} ${test}`
}

export function total(passed: number, failed = 0): string {
  const bad = failed === 0 ? '' : `${bold(red(`${failed} failed`))} ${grey('|')} `
  return `${grey('      Tests ')} ${bad}${bold(green(`${passed} passed`))} ${grey(`(${passed + failed})`)}`
}

// Turns the stories of the demo, which are plain text in stories/, into conversations.
//
// A story is a title and a script. It is used once for each of its cases; `{{name}}`
// stands for a field of the case. An empty line in a script ends a turn. The first
// character of every other line says what the line is:
//
//   ?  text of the user             #  thinking of the model        >  text of the model
//   $  a command that succeeds      !  a command that fails         <  a file that is read
//   /  a search: PATTERN in FOLDER  @  a file that is edited        - +  a line removed, a line added
//   |  output of the command, content of the file, or a hit of the search above
//
// Output is coloured by tags such as `<red>…</red>`. Three short forms stand for the lines of a test runner:
// `PASS file tests ms`, `FAIL file test` and `TESTS passed [failed]`.
import type { Call, Turn } from '../agents/samples/conversation.ts'

export interface StoryTemplate {
  title: string
  cases: readonly StoryCase[]
  script: readonly string[]
  /** One question and its answer: too small to be damaged in an interesting way. */
  isShort?: boolean
}

type StoryCase = { project: string } & Readonly<Record<string, string | number>>

export interface Story {
  title: string
  /** The name of the project's folder. */
  project: string
  turns: UntimedTurn[]
  isShort?: boolean
}

export type UntimedTurn = WithoutTime<Turn>
type WithoutTime<T> = T extends Turn ? Omit<T, 'time'> : never

/** Returns one story for each case. */
export function storiesOf({ title, cases, script, isShort }: StoryTemplate): Story[] {
  return cases.map(one => ({
    title: fill(title, one),
    project: one.project,
    turns: splitTurns(script.map(line => fill(line, one))).map(turnOf),
    ...(isShort === undefined ? {} : { isShort }),
  }))
}

function fill(text: string, values: StoryCase): string {
  return text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`A case of the project ${values.project} has no field "${name}".`)
    return String(value)
  })
}

function splitTurns(lines: readonly string[]): string[][] {
  const turns: string[][] = [[]]
  for (const line of lines) {
    if (line === '') turns.push([])
    else turns.at(-1)?.push(line)
  }
  return turns
}

function turnOf(lines: readonly string[]): UntimedTurn {
  const prompt = textAfter('?', lines)
  if (prompt !== undefined) return { type: 'prompt', text: prompt }
  return { type: 'step', thinking: textAfter('#', lines), text: textAfter('>', lines), calls: callsOf(lines) }
}

/** The lines with this mark, joined; undefined if there are none. */
function textAfter(mark: string, lines: readonly string[]): string | undefined {
  const found = lines.filter(line => line.startsWith(mark)).map(contentOf)
  return found.length === 0 ? undefined : found.join('\n')
}

function contentOf(line: string): string {
  return line.slice(2)
}

const CALL_MARKS = '$!</@'

function callsOf(lines: readonly string[]): Call[] {
  const starts = lines.flatMap((line, index) => (CALL_MARKS.includes(line.charAt(0)) ? [index] : []))
  return starts.map((start, index) => callOf(lines.slice(start, starts[index + 1])))
}

function callOf([first = '', ...rest]: readonly string[]): Call {
  const subject = contentOf(first)
  const output = textAfter('|', rest) ?? ''
  switch (first.charAt(0)) {
    case '$':
      return { tool: 'shell', input: { command: subject }, output: format(output), isError: false }
    case '!':
      return { tool: 'shell', input: { command: subject }, output: format(output), isError: true }
    case '<':
      return { tool: 'read', input: { path: subject }, output, isError: false }
    case '/': {
      const border = subject.lastIndexOf(' in ')
      const input = { pattern: subject.slice(0, border), path: subject.slice(border + ' in '.length) }
      return { tool: 'search', input, output, isError: false }
    }
    default: {
      const input = { path: subject, before: textAfter('-', rest) ?? '', after: textAfter('+', rest) ?? '' }
      return { tool: 'edit', input, output: `${subject} was updated.`, isError: false }
    }
  }
}

const COLOURS = { red: [31, 39], green: [32, 39], yellow: [33, 39], blue: [34, 39], grey: [90, 39], bold: [1, 22] }

function format(output: string): string {
  return Object.entries(COLOURS).reduce(
    (text, [name, [on, off]]) =>
      text.replaceAll(`<${name}>`, `\u001b[${on}m`).replaceAll(`</${name}>`, `\u001b[${off}m`),
    output.split('\n').map(testRunnerLine).join('\n'),
  )
}

function testRunnerLine(line: string): string {
  const [form, first = '', second = '', third = ''] = line.split(' ')
  switch (form) {
    case 'PASS':
      return ` <green>✓</green> ${first} <grey>(${second} tests)</grey> <green>${third}ms</green>`
    case 'FAIL':
      return ` <red>❯</red> ${first} <grey>></grey> ${line.split(' ').slice(2).join(' ')}`
    case 'TESTS': {
      const [passed, failed] = [Number(first), Number(second)]
      const bad = failed === 0 ? '' : `<bold><red>${failed} failed</red></bold> <grey>|</grey> `
      return `<grey>      Tests </grey> ${bad}<bold><green>${passed} passed</green></bold> <grey>(${passed + failed})</grey>`
    }
    default:
      return line
  }
}

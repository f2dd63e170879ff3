// Terminal output as runs of styled text. Colours and weights are kept, every other control sequence is
// dropped, and nothing can hide text.
import { cleanText } from '../../common/clean.ts'

export type Hue = 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan' | 'grey'

export interface Style {
  hue?: Hue
  ground?: Hue
  bold?: true
  dim?: true
  italic?: true
  underline?: true
  struck?: true
  inverse?: true
}

export interface StyledRun {
  text: string
  style: Style
}

/** Beyond this many runs the text has no colours: thousands of short runs would be slow to draw. */
const MAX_RUNS = 4000
/**
 * CSI; OSC, DCS, SOS, PM and APC up to their end on the same line; then two-character escapes. An unfinished
 * one stays visible.
 */
const SEQUENCE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are what is looked for
  /(?:\u001b\[|\u009b)([0-9:;<=>?]{0,64})[ -/]{0,8}([@-~])|(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c\n]{0,4096}(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]{0,4}[0-OQ-WYZ\\`-~]/g
const HUES: readonly (Hue | undefined)[] = [undefined, 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', undefined]

export function renderAnsi(output: string): StyledRun[] {
  const runs: StyledRun[] = []
  let style: Style = {}
  let from = 0
  for (const match of output.matchAll(SEQUENCE)) {
    push(runs, output.slice(from, match.index), style)
    from = match.index + match[0].length
    // `<=>?` start private sequences, which mean something else.
    if (match[2] === 'm' && !/[<=>?]/.test(match[1] ?? '')) style = applyCodes(style, match[1] ?? '')
    if (runs.length >= MAX_RUNS - 1) {
      push(runs, output.slice(from).replace(SEQUENCE, ''), {})
      return runs
    }
  }
  push(runs, output.slice(from), style)
  return runs
}

/** A carriage return starts a new line, so that overwritten text stays visible. */
function push(runs: StyledRun[], text: string, style: Style): void {
  if (text === '') return
  const clean = cleanText(text.replace(/\r+\n/g, '\n').replace(/\r/g, '\n'))
  const last = runs.at(-1)
  if (last !== undefined && last.style === style) last.text += clean
  else runs.push({ text: clean, style })
}

function applyCodes(before: Style, codes: string): Style {
  const numbers = codes.split(/[;:]/).map(code => (code === '' ? 0 : Number(code)))
  let style: Style = { ...before }
  for (let at = 0; at < numbers.length; at++) {
    const code = numbers[at] ?? 0
    if (code === 38 || code === 48) {
      const { hue, used } = extendedHue(numbers.slice(at + 1))
      style = withHue(style, code === 38 ? 'hue' : 'ground', hue)
      at += used
    } else style = applyCode(style, code)
  }
  return style
}

function applyCode(style: Style, code: number): Style {
  if (code >= 30 && code <= 37) return withHue(style, 'hue', HUES[code - 30])
  if (code >= 40 && code <= 47) return withHue(style, 'ground', HUES[code - 40])
  if (code >= 90 && code <= 97) return withHue(style, 'hue', code === 90 ? 'grey' : HUES[code - 90])
  if (code >= 100 && code <= 107) return withHue(style, 'ground', code === 100 ? 'grey' : HUES[code - 100])
  const { bold, dim, italic, underline, struck, inverse, ...rest } = style
  const weight = { ...(bold && { bold }), ...(dim && { dim }) }
  const marks = { ...(italic && { italic }), ...(underline && { underline }), ...(struck && { struck }) }
  const turned = { ...(inverse && { inverse }) }
  switch (code) {
    case 0:
      return {}
    case 1:
      return { ...style, bold: true }
    case 2:
      return { ...style, dim: true }
    case 3:
      return { ...style, italic: true }
    case 4:
    case 21:
      return { ...style, underline: true }
    case 7:
      return { ...style, inverse: true }
    case 9:
      return { ...style, struck: true }
    case 22:
      return { ...rest, ...marks, ...turned }
    case 23:
      return { ...rest, ...weight, ...turned, ...without(marks, 'italic') }
    case 24:
      return { ...rest, ...weight, ...turned, ...without(marks, 'underline') }
    case 27:
      return { ...rest, ...weight, ...marks }
    case 29:
      return { ...rest, ...weight, ...turned, ...without(marks, 'struck') }
    case 39:
      return withHue(style, 'hue', undefined)
    case 49:
      return withHue(style, 'ground', undefined)
    default:
      // 8 would hide the text, so it is ignored.
      return style
  }
}

function without<Key extends keyof Style>(style: Style, key: Key): Style {
  const { [key]: _dropped, ...rest } = style
  return rest
}

function withHue(style: Style, which: 'hue' | 'ground', hue: Hue | undefined): Style {
  const rest = without(style, which)
  return hue === undefined ? rest : { ...rest, [which]: hue }
}

/**
 * `5;n` of the 256 colours, or `2;r;g;b`: the nearest of our hues, so that the text stays readable on the
 * page.
 */
function extendedHue(rest: number[]): { hue: Hue | undefined; used: number } {
  const [kind, one = 0, two = 0, three = 0] = rest
  if (kind === 2) return { hue: nearestHue(one, two, three), used: 4 }
  if (kind !== 5) return { hue: undefined, used: rest.length }
  if (one < 8) return { hue: HUES[one], used: 2 }
  if (one < 16) return { hue: one === 8 ? 'grey' : HUES[one - 8], used: 2 }
  if (one >= 232) return { hue: one < 250 ? 'grey' : undefined, used: 2 }
  const cube = one - 16
  return { hue: nearestHue(Math.floor(cube / 36) * 51, (Math.floor(cube / 6) % 6) * 51, (cube % 6) * 51), used: 2 }
}

function nearestHue(red: number, green: number, blue: number): Hue | undefined {
  const most = Math.max(red, green, blue)
  const least = Math.min(red, green, blue)
  if (most - least < 40) return most > 60 && most < 200 ? 'grey' : undefined
  const isHigh = (value: number) => value > (most + least) / 2
  const key = `${isHigh(red) ? 'r' : ''}${isHigh(green) ? 'g' : ''}${isHigh(blue) ? 'b' : ''}`
  const named: Record<string, Hue> = {
    r: 'red',
    g: 'green',
    b: 'blue',
    rg: 'yellow',
    rb: 'magenta',
    gb: 'cyan',
  }
  return named[key]
}

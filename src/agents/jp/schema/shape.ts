// The language in which JP's shapes are written down: what its deserializer accepts for a value, with the
// leniencies of serde. config.ts and conversation.ts hold the shapes; check.ts compares a value with one.

export type Shape =
  /** Every value, even null. */
  | { type: 'any' }
  | { type: 'text'; format?: Format }
  | { type: 'flag' }
  /** An integer. JP refuses `5.0`. */
  | { type: 'whole'; min: bigint; max: bigint }
  | { type: 'decimal' }
  /** An enum: a name, or an object with one name and the value of that variant (null for a plain name). */
  | { type: 'choice'; names: readonly string[]; variants: Readonly<Record<string, Shape>> }
  | { type: 'list'; of: Shape }
  | { type: 'map'; of: Shape }
  | Struct
  /** The first alternative that fits. */
  | { type: 'either'; of: readonly Shape[]; isBuffered?: boolean }
  /**
   * An enum whose variant is named by a member of the object or by the first item of a list. Where JP reads
   * it from a buffer, the number of the variant does as well.
   */
  | { type: 'tagged'; tag: string; variants: Readonly<Record<string, Struct>>; isNumbered?: true }
  /** Null stands for a missing value. */
  | { type: 'optional'; of: Shape }
  /** A shape that contains itself. */
  | { type: 'lazy'; of: () => Shape }

export interface Struct {
  type: 'struct'
  fields: Readonly<Record<string, Shape>>
  /** Without these the value is refused as a whole. */
  needed: readonly string[]
  /** These may come from another layer, but the resolved config must have them. */
  required: readonly string[]
  /** Members with other names. `refused` makes the whole value unusable. */
  others: 'refused' | 'ignored' | Shape
  /** A list of the values in the order of the fields is accepted too. */
  takesList: boolean
  /** JP never resolves the value, so nothing in it is required. */
  isOpen?: true
}

/** A test of a text. `wanted` completes "should be …". */
interface Format {
  wanted: string
  test: (text: string) => boolean
}

type Fields = Readonly<Record<string, Shape>>

export const ANY: Shape = { type: 'any' }
export const TEXT: Shape = { type: 'text' }
export const FLAG: Shape = { type: 'flag' }
export const DECIMAL: Shape = { type: 'decimal' }
export const U8 = unsigned(8n)
export const U16 = unsigned(16n)
export const U32 = unsigned(32n)
export const U64 = unsigned(64n)
export const I32: Shape = { type: 'whole', min: -(2n ** 31n), max: 2n ** 31n - 1n }
export const I64: Shape = { type: 'whole', min: -(2n ** 63n), max: 2n ** 63n - 1n }

function unsigned(bits: bigint): Shape {
  return { type: 'whole', min: 0n, max: 2n ** bits - 1n }
}

export function text(wanted: string, test: RegExp | ((text: string) => boolean)): Shape {
  return { type: 'text', format: { wanted, test: test instanceof RegExp ? value => test.test(value) : test } }
}

/** One of these texts, and nothing else. */
export function word(...words: string[]): Shape {
  return text(`one of ${words.join(', ')}`, value => words.includes(value))
}

export function choice(...names: string[]): Shape {
  return { type: 'choice', names, variants: {} }
}

export function choiceWith(names: readonly string[], variants: Record<string, Shape>): Shape {
  return { type: 'choice', names, variants }
}

export function list(of: Shape): Shape {
  return { type: 'list', of }
}

export function map(of: Shape): Shape {
  return { type: 'map', of }
}

export function optional(of: Shape): Shape {
  return { type: 'optional', of }
}

export function either(...of: Shape[]): Shape {
  return { type: 'either', of }
}

/** JP reads the value into a buffer first. The buffer has no lists for structs and no null. */
export function buffered(...of: Shape[]): Shape {
  return { type: 'either', of, isBuffered: true }
}

/** A section of the config: every member may be missing, and an unknown one is refused. */
export function section(fields: Fields, required: readonly string[] = []): Struct {
  return { type: 'struct', fields, needed: [], required, others: 'refused', takesList: true }
}

/** A plain struct of serde: unknown members are ignored. */
export function struct(fields: Fields, needed: readonly string[]): Struct {
  return { type: 'struct', fields, needed, required: [], others: 'ignored', takesList: true }
}

/** A struct with a reader of its own, which takes objects only. */
export function table(fields: Fields, others: 'refused' | 'ignored' = 'ignored'): Struct {
  return { type: 'struct', fields, needed: [], required: [], others, takesList: false }
}

/** The members of a config are optional values, apart from nested sections, lists and maps. */
export function values(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, shape]) => [name, optional(shape)]))
}

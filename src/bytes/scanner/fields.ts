// Which fields of a record a store asks the scanner for. Declared as data, and written into the memory of the
// kernel as a graph: the kernel knows no field by name.

/**
 * What is kept of a string or a number:
 * - `word`: itself, such as the name of a kind; few different ones are met in one log
 * - `id`: a hash of the text
 * - `time`: an ISO time, as milliseconds
 * - `text`: whether it is empty, blank, or neither
 * - `count`: that it is a whole number
 * - `whole`: nothing; a record with this field has to be parsed
 * - `number`: a whole number of up to 15 digits, itself; a record with another number has to be parsed
 *
 * Without one, only the type of the value is kept. `true`, `false` and `null` are always kept.
 */
export type Leaf = 'word' | 'id' | 'time' | 'text' | 'count' | 'whole' | 'number'

/** One value, and the values below it. A field may be part of itself: so is a value of any depth declared. */
export interface Field {
  readonly leaf?: Leaf
  /** If it is an object: its named fields, and all others. */
  readonly fields?: Readonly<Record<string, Field>>
  readonly others?: Field
  /** If it is an array: its elements. Without this, an array is kept as an empty one. */
  readonly elements?: Field
  /**
   * Leaves no trace unless something below it is kept. Then neither its name nor its place in a list is kept.
   * `others` are either this, or have nothing below: then only that there are some is kept, without a name.
   */
  readonly isPruned?: true
}

/** The graph in the form of the kernel: counts, nodes, keys; and the names, with quotes and colon. */
export interface FieldProgram {
  words: Uint16Array
  names: Uint8Array
}

const LEAVES: readonly (Leaf | undefined)[] = [undefined, 'word', 'id', 'time', 'text', 'count', 'whole', 'number']
const NO_NODE = 0xffff
/** The kernel has one bit for each key of a node, and room for this much. */
const MAX_KEYS_OF_NODE = 32
const MAX_WORDS = 1024
const MAX_NAME_BYTES = 4096

export function compileFields(root: Field): FieldProgram {
  const nodes = nodesFrom(root)
  const numbers = new Map(nodes.map((node, number) => [node, number]))
  const numberOf = (field: Field | undefined): number =>
    field === undefined ? NO_NODE : (numbers.get(field) ?? NO_NODE)
  const nodeWords: number[] = []
  const keyWords: number[] = []
  let names = ''
  let keyCount = 0
  for (const node of nodes) {
    const keys = Object.entries(node.fields ?? {})
    if (keys.length > MAX_KEYS_OF_NODE) throw new Error('Too many fields of one object for the scanner.')
    if (node.others !== undefined && !(node.others.isPruned === true || isBare(node.others)))
      throw new Error('Other fields must be pruned or bare for the scanner.')
    const isPruned = node.isPruned === true ? 1 : 0
    nodeWords.push(LEAVES.indexOf(node.leaf), isPruned, keyCount, keys.length)
    nodeWords.push(numberOf(node.others), numberOf(node.elements))
    for (const [name, field] of keys) {
      if (!/^[\w$-]+$/.test(name)) throw new Error('The name of a field must be plain for the scanner.')
      const rendered = `${JSON.stringify(name)}:`
      keyWords.push(names.length, rendered.length, numberOf(field))
      names += rendered
    }
    keyCount += keys.length
  }
  const words = Uint16Array.from([nodes.length, keyCount, ...nodeWords, ...keyWords])
  if (words.length > MAX_WORDS || names.length > MAX_NAME_BYTES) throw new Error('Too many fields for the scanner.')
  return { words, names: Buffer.from(names) }
}

/** Whether only the type of its value is kept. */
function isBare(field: Field): boolean {
  return Object.keys(field).length === 0
}

/** Every field once, the record itself first. */
function nodesFrom(root: Field): Field[] {
  const found = new Set([root])
  // A set that grows is walked to its end.
  for (const { fields, others, elements } of found)
    for (const below of [...Object.values(fields ?? {}), others, elements]) if (below !== undefined) found.add(below)
  return [...found]
}

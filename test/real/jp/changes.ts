// Changes of single fields, bytes and structures in the files of a conversation, from a seed.

export interface Change {
  /** The changed file. */
  file: string
  bytes: Buffer
}

type Files = Readonly<Record<string, string>>
/** A JSON value that keeps every member, even two of one name, and takes any text as a value. */
type Node = { raw: string } | { items: Node[] } | { members: [key: string, value: Node][] }
type Holder = Exclude<Node, { raw: string }>
interface Spot {
  holder: Holder
  at: number
}

const WORDS = [
  ...['ask', 'unattended', 'skip', 'deny', 'auto', 'none', 'required', 'off', 'full', 'osc8', 'strip', 'omit', 'sres'],
  ...[
    'high',
    'max',
    'replace',
    'append',
    'merge',
    'keep',
    'inherit',
    'true',
    'on',
    'always',
    'explicit',
    'never',
    'any',
  ],
  ...[
    'builtin',
    'local',
    'local.x',
    'mcp.a',
    'mcp.',
    'LOCAL',
    'anthropic',
    'openai/x',
    'test/x',
    'anthropic/',
    'a/b/c',
  ],
  ...[
    'last',
    'last-compaction',
    '@1',
    '@0',
    '-1',
    '+5',
    '2 weeks',
    '1.5h',
    '3ms',
    '0',
    '1y',
    '',
    '#fff',
    '#aabbcc',
    '256',
  ],
  ...[
    'vi',
    'sha1',
    'md5',
    'stdio',
    'before',
    'line',
    'hidden',
    'timer',
    'prompt',
    'reply',
    'restart',
    'user',
    'assistant',
  ],
  ...[
    'tool',
    'other',
    'boolean',
    'select',
    'turn_start',
    'chat_request',
    'tool_call_request',
    'config_delta',
    'compaction',
  ],
  ...['unknown_type', 'short', 'last-activated', 'read_it', 'nosuch', 'file:x', 'not a url', '//x', ' ', 'é', '🍎'],
  ...[
    '2026-05-29 19:42:36',
    '2026-05-29T19:42:36Z',
    '2026-05-29T19:42:36',
    '2026-05-29 23:59:60.0',
    '2026-02-29 00:00:00.0',
  ],
  ...[
    '+2026-05-29 19:42:36.0',
    '2026-5-9 1:2:3.4',
    '2026-05-29 19:42:36.4 ',
    '2026-05-29T19:42:36.5+24:00',
    '2026-05-29',
  ],
]
const RAW = [
  ...[
    'null',
    'true',
    'false',
    '[]',
    '{}',
    '[null]',
    '[[]]',
    '{"x": 1}',
    '["a", 1]',
    '{"value": [], "strategy": "replace"}',
  ],
  ...[
    '0',
    '-1',
    '-0',
    '5.0',
    '-0.0',
    '1e2',
    '1e999',
    '256',
    '65536',
    '4294967296',
    '2147483648',
    '9223372036854775807',
  ],
  ...[
    '9223372036854775808',
    '18446744073709551615',
    '18446744073709551616',
    '007',
    '1.',
    'NaN',
    '123456789012345678901234',
  ],
  ...[
    '"\\u0000"',
    '"\\ud800"',
    '"\\ud83d\\ude00"',
    '"\\x41"',
    '"tab\tinside"',
    '"new\nline"',
    '{"ask": null}',
    '{"off": null}',
  ],
  ...['{"truncate": {"lines": 3}}', '{"absolute": 5}', '{"secs": 1, "nanos": 2}', '{"secs": 1, "nanos": 1000000000}'],
  ...[
    '{"program": "a"}',
    '{"provider": "anthropic"}',
    '["anthropic", "x"]',
    '{"state": true}',
    '{"state": false, "x": 1}',
  ],
  ...[
    '{"source": "tool", "name": "n"}',
    '["tool", "n"]',
    '[0, "n"]',
    '{"type": "boolean"}',
    '{"policy": "omit"}',
    '["omit"]',
  ],
  ...['{"effort": "high"}', '["high", true]', '{"type": "http", "url": "u"}', '{"id": "anthropic/x"}', '{"lines": 3}'],
]
const NAMES = [
  'x',
  'value',
  'strategy',
  'type',
  'timestamp',
  '0',
  '__proto__',
  'metadata',
  'data',
  'message',
  'base',
  'delta',
]
const INSERTED = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  '\0',
  '\n',
  '\ufeff',
  '//',
  '5',
  'e',
  '-',
  ' ',
  '\x0b',
  '\u00a0',
]
const TAILS = ['x', '}', ']', '{}', 'null', '// c', '\x1a', ',', '\0\0\0']

export function* makeChanges(seed: number, conversations: readonly Files[]): Generator<Change & { files: Files }> {
  const random = new Random(seed)
  for (;;) {
    const files = random.pick(conversations)
    const [file, text] = random.pick(Object.entries(files))
    const isStructural = random.below(4) > 0
    const bytes = isStructural ? changedField(text, random) : changedBytes(text, random)
    yield { files, file, bytes }
  }
}

class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit)
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)]
    if (item === undefined) throw new Error('There is nothing to pick.')
    return item
  }
}

function changedField(text: string, random: Random): Buffer {
  const root: Holder = { items: [nodeOf(JSON.parse(text))] }
  const all = spotsIn(root)
  random.pick(OPERATIONS)(random.pick(all), random, all)
  return Buffer.from(`${root.items.map(item => textOf(item, '')).join('')}\n`)
}

type Operation = (spot: Spot, random: Random, all: readonly Spot[]) => void

const replace: Operation = (spot, random) => put(spot, { raw: someRaw(random) })
const OPERATIONS: Operation[] = [
  ...[replace, replace, replace, replace],
  ({ holder, at }) => void ('items' in holder ? holder.items.splice(at, 1) : holder.members.splice(at, 1)),
  (spot, random) => rename(spot, JSON.stringify(random.pick(NAMES))),
  (spot, random) => repeat(spot, random),
  (spot, random) => {
    const value = get(spot)
    if ('members' in value) value.members.push([JSON.stringify(random.pick(NAMES)), { raw: someRaw(random) }])
  },
  spot => {
    const value = get(spot)
    if ('members' in value) put(spot, { items: value.members.map(([, inner]) => inner) })
    else if ('items' in value) put(spot, { members: value.items.map((item, at) => [JSON.stringify(String(at)), item]) })
  },
  (spot, random) => {
    const value = get(spot)
    put(spot, random.below(2) === 0 ? { items: [value] } : { members: [[JSON.stringify(random.pick(NAMES)), value]] })
  },
  (spot, random, all) => put(spot, structuredClone(get(random.pick(all)))),
]

function someRaw(random: Random): string {
  return random.below(2) === 0 ? random.pick(RAW) : JSON.stringify(random.pick(WORDS))
}

function rename({ holder, at }: Spot, key: string): void {
  const member = 'members' in holder ? holder.members[at] : undefined
  if (member !== undefined) member[0] = key
}

/** A second member of the same name, sometimes written with an escape. */
function repeat({ holder, at }: Spot, random: Random): void {
  const member = 'members' in holder ? holder.members[at] : undefined
  if (!('members' in holder) || member === undefined) return
  const [key, value] = member
  const escaped = key.replace(/[a-z]/, letter => `\\u00${letter.charCodeAt(0).toString(16)}`)
  const second: Node = random.below(2) === 0 ? structuredClone(value) : { raw: someRaw(random) }
  holder.members.splice(random.below(holder.members.length + 1), 0, [random.below(5) === 0 ? escaped : key, second])
}

function nodeOf(value: unknown): Node {
  if (Array.isArray(value)) return { items: value.map(nodeOf) }
  if (typeof value !== 'object' || value === null) return { raw: JSON.stringify(value) }
  return { members: Object.entries(value).map(([key, inner]) => [JSON.stringify(key), nodeOf(inner)]) }
}

function textOf(node: Node, indent: string): string {
  if ('raw' in node) return node.raw
  const inner = `${indent}  `
  const [open, close, parts] =
    'items' in node
      ? ['[', ']', node.items.map(item => textOf(item, inner))]
      : ['{', '}', node.members.map(([key, value]) => `${key}: ${textOf(value, inner)}`)]
  return parts.length === 0 ? open + close : `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${indent}${close}`
}

function spotsIn(node: Node): Spot[] {
  if ('raw' in node) return []
  const inner = 'items' in node ? node.items : node.members.map(([, value]) => value)
  return inner.flatMap((value, at) => [{ holder: node, at }, ...spotsIn(value)])
}

function get({ holder, at }: Spot): Node {
  const found = 'items' in holder ? holder.items[at] : holder.members[at]?.[1]
  return found ?? { raw: 'null' }
}

function put({ holder, at }: Spot, value: Node): void {
  if ('items' in holder) holder.items[at] = value
  else if (holder.members[at] !== undefined) holder.members[at][1] = value
}

function changedBytes(text: string, random: Random): Buffer {
  const bytes = Buffer.from(text)
  const at = random.below(bytes.length)
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)]
  const deep = (depth: number): string => `{"zz": ${'['.repeat(depth)}${']'.repeat(depth)},`
  const ways: (() => Buffer)[] = [
    () => Buffer.concat([before, Buffer.from([(bytes[at] ?? 0) ^ (1 << random.below(8))]), after.subarray(1)]),
    () => Buffer.concat([before, Buffer.from([random.below(256)]), after.subarray(1)]),
    () => Buffer.concat([before, after.subarray(1)]),
    () => Buffer.concat([before, Buffer.from(random.pick(INSERTED)), after]),
    () => before,
    () => Buffer.concat([before, after.subarray(1 + random.below(40))]),
    () => Buffer.concat([before, Buffer.alloc(after.length)]),
    () => Buffer.concat([Buffer.from('\ufeff'), bytes]),
    () => Buffer.from(`\ufeff${text}`, 'utf16le'),
    () => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
    () => Buffer.concat([bytes, Buffer.from(random.pick(TAILS))]),
    () => Buffer.concat([bytes, bytes]),
    () => Buffer.from(text.replaceAll('\n', '\r\n')),
    () => Buffer.from(text, 'latin1'),
    () => Buffer.from(text.replace('{', deep(118 + random.below(15)))),
    () => Buffer.from(random.pick(['', ' ', '\0', 'null', '[]', '{}', '"x"', '[null]', '[[]]'])),
  ]
  return random.pick(ways)()
}

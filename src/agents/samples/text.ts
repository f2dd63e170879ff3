// Made-up prose, code and output, cut from a pool that is generated once.
import { Random } from './random.ts'

/** Long enough that sessions do not repeat each other, short enough to generate quickly. */
const POOL_CHARACTERS = 512 * 1024

const WORDS =
  `the a of to and in is it that for this with we on not be as are file test function when value returns error call should
  cart price order total currency cents rounding customer session request response server client database index query cache parse write read
  because before after instead already however maybe add remove rename check run build deploy fails passes missing broken unexpected null empty`.split(
    /\s+/,
  )
/**
 * Rare in English, common in pasted text: accents, other scripts, emoji beyond 16 bits, a separator that is
 * not a newline.
 */
const UNUSUAL = [
  'naïve café',
  'Größe',
  '価格を追加する',
  'Добавь поле',
  'التسعير',
  '🤖 done',
  '—',
  '“quoted”',
  '\u2028',
  '∑ ≤ ∞',
]
const NAMES = [
  'total',
  'price',
  'items',
  'cart',
  'result',
  'options',
  'index',
  'row',
  'cents',
  'state',
  'entry',
  'input',
]
const TYPES = ['number', 'string', 'boolean', 'Item[]', 'Map<string, Item>', 'Promise<void>']
const FOLDERS = ['src', 'src/cart', 'src/orders', 'test', 'lib/money', 'web/components']

export interface TextSource {
  prose(characters: number): string
  code(characters: number): string
  output(characters: number): string
  title(): string
  path(): string
}

interface Pools {
  prose: string
  code: string
  output: string
  /** With the numbers that follow those the pools were made from. */
  random: Random
}

const poolsOfSeed = new Map<string, Pools>()
/** Each set of pools takes some megabytes. */
const MAX_KEPT_POOLS = 8

/** From the same pools each time: they take longer to make than most libraries. */
export function makeTextOf(seed: string): TextSource {
  const pools = poolsOfSeed.get(seed) ?? makePools(new Random(seed))
  if (poolsOfSeed.size === MAX_KEPT_POOLS) poolsOfSeed.clear()
  poolsOfSeed.set(seed, pools)
  return cutFrom({ ...pools, random: pools.random.copy() })
}

export function makeText(random: Random): TextSource {
  return cutFrom(makePools(random))
}

function cutFrom({ prose, code, output, random }: Pools): TextSource {
  return {
    prose: characters => cut(prose, characters, random),
    code: characters => cut(code, characters, random),
    output: characters => cut(output, characters, random),
    title: () => capital(words(random, random.between(3, 8))),
    path: () => path(random),
  }
}

function makePools(random: Random): Pools {
  const prose = makePool(() => proseLine(random))
  const code = makePool(() => codeLine(random))
  const output = makePool(() => outputLine(random))
  return { prose, code, output, random }
}

function makePool(line: () => string): string {
  const lines: string[] = []
  for (let characters = 0; characters < POOL_CHARACTERS; ) {
    const next = line()
    lines.push(next)
    characters += next.length + 1
  }
  return lines.join('\n')
}

/** A piece of the pool from the start of a word, in whole characters. A longer piece repeats the pool. */
function cut(pool: string, characters: number, random: Random): string {
  const length = Math.max(1, Math.round(characters))
  if (length > pool.length / 2) return pool + cut(pool, length - pool.length, random)
  const start = pool.indexOf(' ', random.below(pool.length / 2)) + 1
  const end = isSecondHalf(pool, start + length) ? start + length + 1 : start + length
  const piece = pool.slice(start, end)
  // A piece of white space alone would not be a message.
  return piece.trim() === '' ? 'ok' : piece
}

function isSecondHalf(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00
}

function proseLine(random: Random): string {
  const sentences = Array.from({ length: random.between(1, 4) }, () => {
    const unusual = random.chance(0.1) ? ` ${random.pick(UNUSUAL)}` : ''
    return `${capital(words(random, random.between(4, 18)))}${unusual}.`
  })
  return (random.chance(0.15) ? '- ' : '') + sentences.join(' ')
}

function codeLine(random: Random): string {
  const indent = (random.chance(0.3) ? '\t' : '  ').repeat(random.below(4))
  const [a, b] = [random.pick(NAMES), random.pick(NAMES)]
  switch (random.below(6)) {
    case 0:
      return `${indent}const ${a} = ${b}.map(entry => entry["${random.pick(NAMES)}"] ?? ${random.below(1000)})`
    case 1:
      return `${indent}if (${a} === ${b} && !/\\d+\\s"/.test(${a})) throw new Error(\`${words(random, 5)}: \${${b}}\`)`
    case 2:
      return `${indent}export function ${a}(${b}: ${random.pick(TYPES)}): ${random.pick(TYPES)} {`
    case 3:
      return `${indent}// ${words(random, random.between(4, 12))}`
    case 4:
      return `${indent}return { ${a}: '${words(random, 2)}', "${b}": [${random.below(100)}, ${random.below(100)}] }`
    default:
      return `${indent}}`
  }
}

function outputLine(random: Random): string {
  switch (random.below(5)) {
    case 0:
      return `-rw-r--r-- 1 dev dev ${String(random.below(99999)).padStart(6)} Nov ${random.between(1, 30)} ${path(random)}`
    case 1:
      return `${path(random)}:${random.below(400)}:${random.below(80)} - error TS${random.between(1000, 9999)}: ${words(random, 8)}`
    case 2:
      return `\u001b[32m ✓ \u001b[39m${path(random)} (${random.between(1, 40)} tests) ${random.below(900)}ms`
    case 3:
      return codeLine(random)
    default:
      return `${random.hex(40)} ${words(random, random.between(2, 9))}`
  }
}

function words(random: Random, count: number): string {
  return Array.from({ length: count }, () => random.pick(WORDS)).join(' ')
}

function path(random: Random): string {
  return `${random.pick(FOLDERS)}/${random.pick(NAMES)}-${random.pick(NAMES)}.ts`
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

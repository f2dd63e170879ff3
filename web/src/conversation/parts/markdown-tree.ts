// Changes the tree of a Markdown text before it is drawn: HTML tags become text, unsafe links lose their
// address, and nesting is limited.
interface Node {
  type: string
  value?: string
  url?: string
  children?: Node[]
}

/** Deeper parts are shown as plain text: thousands of nested boxes make a browser slow or crash it. */
const MAX_DEPTH = 60
const SAFE = /^(?:https?|mailto):/i
const INLINE_PARENTS = new Set([
  'paragraph',
  'heading',
  'emphasis',
  'strong',
  'delete',
  'link',
  'linkReference',
  'tableCell',
])
/** Many quote or list markers at the start of a line. Such a text is not parsed at all. */
const DEEP = /^(?:[ \t]{0,8}(?:>|[-*+][ \t]|\d{1,9}[.)][ \t])){40}/m
/**
 * Delimiters that the parser has to search back for, in one run or over the whole text. This many take
 * seconds.
 */
const TANGLED = /[[\]*_~`<!]{400}/
const OPENERS = /[[*_~<`]/g
const MAX_OPENERS = 2500
const MAX_PIPES = 3000

export function isTooTangled(text: string): boolean {
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0
  return DEEP.test(text) || TANGLED.test(text) || count(OPENERS) > MAX_OPENERS || count(/\|/g) > MAX_PIPES
}

export function isSafeAddress(address: string): boolean {
  return SAFE.test(address)
}

/** A plugin of the Markdown renderer. */
export function harmless() {
  return (tree: Node): void => walk(tree, 0)
}

function walk(node: Node, depth: number): void {
  if (depth > MAX_DEPTH) throw new RangeError('The text is nested too deeply.')
  if (node.children === undefined) return
  node.children = node.children.flatMap(child => {
    if (child.type === 'html') return [asText(child, INLINE_PARENTS.has(node.type))]
    if (child.type === 'link' && !isSafeAddress(child.url ?? '')) return withAddress(child)
    return [child]
  })
  for (const child of node.children) walk(child, depth + 1)
}

function asText({ value = '' }: Node, isInline: boolean): Node {
  const text: Node = { type: 'text', value }
  return isInline ? text : { type: 'paragraph', children: [text] }
}

/** The text of the link, and its address as code if it differs. */
function withAddress({ children = [], url = '' }: Node): Node[] {
  const words = children.map(child => child.value ?? '').join('')
  if (url === '' || words === url || url.startsWith('#')) return children
  return [...children, { type: 'text', value: ' ' }, { type: 'inlineCode', value: url }]
}

// The Markdown of a message as elements: cleaned, sanitised and highlighted. Elements are cached, so that
// scrolling back is fast.
import type { ReactElement } from 'react'
import { memo } from 'react'
import Markdown from 'react-markdown'
import rehypeHighlight from 'rehype-highlight'
import rehypeSanitize from 'rehype-sanitize'
import remarkGfm from 'remark-gfm'
import { cleanText } from '../../common/clean.ts'
import { MARKDOWN_ELEMENTS } from './markdown-elements.tsx'
import { harmless, isSafeAddress, isTooTangled } from './markdown-tree.ts'
import '../conversation.css'

const MAX_CACHED = 400
/** Longer texts are rarely seen twice and need the most memory. */
const MAX_CACHED_CHARS = 20_000
const cache = new Map<string, ReactElement>()

interface Props {
  text: string
  /** The text is still growing, so it is not cached. */
  isGrowing?: boolean
}

export const MarkdownText = memo(function MarkdownText({ text, isGrowing = false }: Props) {
  return <div className="md max-w-[72ch]">{isGrowing ? draw(cleanText(text)) : drawn(text)}</div>
})

function drawn(text: string): ReactElement {
  const known = cache.get(text)
  if (known !== undefined) {
    cache.delete(text)
    cache.set(text, known)
    return known
  }
  const element = draw(cleanText(text))
  if (text.length <= MAX_CACHED_CHARS) cache.set(text, element)
  for (const oldest of cache.keys()) if (cache.size > MAX_CACHED) cache.delete(oldest)
  return element
}

function draw(text: string): ReactElement {
  if (isTooTangled(text)) return <Plain text={text} />
  try {
    // Called as a plain function, which has no hooks, so that its elements can be cached.
    return Markdown({
      children: text,
      remarkPlugins: [remarkGfm, harmless],
      rehypePlugins: [rehypeSanitize, [rehypeHighlight, { detect: false }]],
      components: MARKDOWN_ELEMENTS,
      urlTransform: address => (isSafeAddress(address) ? address : ''),
    })
  } catch {
    // Nested too deep, or a defect of the parser: the plain text is shown instead.
    return <Plain text={text} />
  }
}

function Plain({ text }: { text: string }) {
  return <pre className="whitespace-pre-wrap font-sans [overflow-wrap:anywhere]">{text}</pre>
}

// Markdown of a message as elements: cleaned first, sanitised, highlighted. What was drawn once is kept, so that scrolling back costs nothing.
import type { ReactElement } from 'react'
import { memo } from 'react'
import Markdown from 'react-markdown'
import rehypeHighlight from 'rehype-highlight'
import rehypeSanitize from 'rehype-sanitize'
import remarkGfm from 'remark-gfm'
import { cleanText } from '../common/clean.ts'
import { MARKDOWN_ELEMENTS } from './markdown-elements.tsx'
import { harmless, isSafeAddress, isTooTangled } from './markdown-tree.ts'
import './conversation.css'

const MAX_KEPT = 400
/** Texts that are longer are seldom seen twice and cost the most room. */
const MAX_KEPT_CHARS = 20_000
const kept = new Map<string, ReactElement>()

interface Props {
  text: string
  /** Another one in a moment: not worth keeping. */
  isGrowing?: boolean
}

export const MarkdownText = memo(function MarkdownText({ text, isGrowing = false }: Props) {
  return <div className="md max-w-[72ch]">{isGrowing ? draw(cleanText(text)) : drawn(text)}</div>
})

function drawn(text: string): ReactElement {
  const known = kept.get(text)
  if (known !== undefined) {
    kept.delete(text)
    kept.set(text, known)
    return known
  }
  const element = draw(cleanText(text))
  if (text.length <= MAX_KEPT_CHARS) kept.set(text, element)
  for (const oldest of kept.keys()) if (kept.size > MAX_KEPT) kept.delete(oldest)
  return element
}

function draw(text: string): ReactElement {
  if (isTooTangled(text)) return <Plain text={text} />
  try {
    // Called as what it is, a function without hooks: the elements can then be kept.
    return Markdown({
      children: text,
      remarkPlugins: [remarkGfm, harmless],
      rehypePlugins: [rehypeSanitize, [rehypeHighlight, { detect: false }]],
      components: MARKDOWN_ELEMENTS,
      urlTransform: address => (isSafeAddress(address) ? address : ''),
    })
  } catch {
    // Nested too deep, or a defect of the parser: the words matter more than their look.
    return <Plain text={text} />
  }
}

function Plain({ text }: { text: string }) {
  return <pre className="whitespace-pre-wrap font-sans [overflow-wrap:anywhere]">{text}</pre>
}

// Marks words in the messages that are on the screen, without changing them: the browser paints the ranges.
import type { RefObject } from 'react'
import { useEffect } from 'react'
import { markedWords } from '../state/search-state.ts'

/** The name in `conversation.css`. */
const NAME = 'found'
const MAX_RANGES = 2000

export function useMarks(pane: RefObject<HTMLElement | null>, text: string): void {
  useEffect(() => {
    const words = markedWords(text)
    const root = pane.current
    if (root === null || words.length === 0 || typeof Highlight === 'undefined') return
    let frame = 0
    const mark = () => {
      frame = 0
      CSS.highlights.set(NAME, new Highlight(...rangesIn(root, words)))
    }
    const again = () => {
      if (frame === 0) frame = requestAnimationFrame(mark)
    }
    mark()
    const observer = new MutationObserver(again)
    observer.observe(root, { subtree: true, childList: true, characterData: true })
    return () => {
      observer.disconnect()
      cancelAnimationFrame(frame)
      CSS.highlights.delete(NAME)
    }
  }, [pane, text])
}

function rangesIn(root: HTMLElement, words: readonly string[]): Range[] {
  const ranges: Range[] = []
  for (const item of root.querySelectorAll('[data-index]')) {
    const walker = document.createTreeWalker(item, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const text = (node.nodeValue ?? '').toLowerCase()
      for (const word of words)
        for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + word.length)) {
          if (at + word.length > (node.nodeValue ?? '').length) break
          const range = document.createRange()
          range.setStart(node, at)
          range.setEnd(node, at + word.length)
          if (ranges.push(range) >= MAX_RANGES) return ranges
        }
    }
  }
  return ranges
}

// How many columns a text takes in a terminal.
import { createRequire } from 'node:module'

const PLAIN = /^[\x20-\x7e]*$/
let measure: ((text: string) => number) | undefined

/** Most texts are plain. The library that knows all characters is loaded for the others: that takes a while. */
export function textWidth(text: string): number {
  if (PLAIN.test(text)) return text.length
  measure ??= loadMeasure()
  return measure(text)
}

function loadMeasure(): (text: string) => number {
  const library: typeof import('string-width') = createRequire(import.meta.url)('string-width')
  return library.default
}

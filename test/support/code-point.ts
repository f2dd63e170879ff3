// Any character but half of a surrogate pair: what `unit: 'binary'` of fast-check is, without its table of a million.
import fc from 'fast-check'

export const codePoint = fc
  .nat({ max: 0x10ffff })
  .filter(code => code < 0xd800 || code > 0xdfff)
  .map(code => String.fromCodePoint(code))

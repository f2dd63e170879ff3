// What is wrong with bytes that should be JSON, in the words and with the place that JP's own parser (serde_json) gives.

export type FaultKind = 'syntax' | 'end' | 'utf8' | 'surrogate' | 'depth' | 'number'

export interface JsonFault {
  kind: FaultKind
  what: string
  /** Counted from 1. */
  line: number
  /** In bytes; the byte at the offset is the last that counts. */
  column: number
  /** In the file; its size where the bytes ended too early. */
  offset: number
}

/** `trailing comma at line 1 column 27`, as JP says it. */
export function faultText({ what, line, column }: JsonFault): string {
  return `${what} at line ${line} column ${column}`
}

export interface JsonScanned {
  /** Every reader stops here. */
  fault: JsonFault | undefined
  /** The first of each kind that only a reader of the values stumbles over. Complete only where there is no `fault`. */
  soft: JsonFault[]
  /** Nothing but white space. */
  isBlank: boolean
  size: number
}

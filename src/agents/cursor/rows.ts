// Values of rows as bytes: text from a database loses what lies behind a NUL, bytes do not.

/** The value of a column that was cast to a BLOB; a NULL has no bytes. */
export function bytesOf(value: unknown): Buffer {
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : Buffer.alloc(0)
}

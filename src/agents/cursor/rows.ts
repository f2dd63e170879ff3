// Values of rows as bytes: text from a database loses everything after a NUL, bytes do not.

/** The value of a column that was cast to a BLOB. A NULL has no bytes. */
export function bytesOf(value: unknown): Buffer {
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : Buffer.alloc(0)
}

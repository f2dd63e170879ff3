// Protocol Buffers without a schema: the fields of one message, as far as its bytes can be read.

export type ProtoField =
  | { number: number; type: 'varint'; value: bigint; start: number; end: number }
  | { number: number; type: 'bytes'; value: Buffer; start: number; end: number }
  | { number: number; type: 'fixed'; value: Buffer; start: number; end: number }

export interface ProtoMessage {
  fields: ProtoField[]
  /** Where the bytes stopped being valid. Undefined if all of them were read. */
  brokenAt: number | undefined
}

const VARINT = 0
const FIXED_64 = 1
const BYTES = 2
const FIXED_32 = 5

/** Fields are read one by one, so those before a broken one remain. */
export function readProto(bytes: Buffer): ProtoMessage {
  const fields: ProtoField[] = []
  let at = 0
  while (at < bytes.length) {
    const field = readField(bytes, at)
    if (field === undefined) return { fields, brokenAt: at }
    fields.push(field)
    at = field.end
  }
  return { fields, brokenAt: undefined }
}

/** All values of a length-delimited field, in order. */
export function protoBytes(message: ProtoMessage, number: number): Buffer[] {
  const values: Buffer[] = []
  for (const field of message.fields) if (field.number === number && field.type === 'bytes') values.push(field.value)
  return values
}

/** The last of them. Undefined if there is none. */
export function lastProtoBytes({ fields }: ProtoMessage, number: number): Buffer | undefined {
  for (let i = fields.length - 1; i >= 0; i--) {
    const field = fields[i]
    if (field?.number === number && field.type === 'bytes') return field.value
  }
  return undefined
}

/** The same from the bytes of a message. Nothing is made of its other fields. */
export function findLastBytes(bytes: Buffer, number: number): Buffer | undefined {
  let start = -1
  let end = -1
  for (let at = 0; at < bytes.length && locate(bytes, at); at = located.end) {
    if (located.number !== number || located.wire !== BYTES) continue
    start = located.value
    end = located.end
  }
  return start === -1 ? undefined : bytes.subarray(start, end)
}

/** Gives the number and the place of each length-delimited value in the bytes of a message. Nothing else is made of it. */
export function eachProtoBytes(bytes: Buffer, use: (number: number, start: number, end: number) => void): void {
  for (let at = 0; at < bytes.length && locate(bytes, at); ) {
    const { number, wire, value, end } = located
    at = end
    if (wire === BYTES) use(number, value, end)
  }
}

/** The last value of a number field, from the bytes of a message. Not exact beyond 2^53. */
export function findLastNumber(bytes: Buffer, number: number): number | undefined {
  let found: number | undefined
  for (let at = 0; at < bytes.length && locate(bytes, at); at = located.end)
    if (located.number === number && located.wire === VARINT) found = plainVarint(bytes, located.value, located.end)
  return found
}

/** The last value of a text field. Undefined if it is absent. */
export function protoText(message: ProtoMessage, number: number): string | undefined {
  return lastProtoBytes(message, number)?.toString()
}

export function protoNumber(message: ProtoMessage, number: number): bigint | undefined {
  const field = message.fields.findLast(candidate => candidate.number === number && candidate.type === 'varint')
  return field?.type === 'varint' ? field.value : undefined
}

function readField(bytes: Buffer, start: number): ProtoField | undefined {
  if (!locate(bytes, start)) return undefined
  const { number, wire, value, end } = located
  if (wire === VARINT) return { number, type: 'varint', value: exactVarint(bytes, value, end), start, end }
  return { number, type: wire === BYTES ? 'bytes' : 'fixed', value: bytes.subarray(value, end), start, end }
}

/** The field that was located last: its number, how it is stored, where its value starts, and where it ends. */
const located = { number: 0, wire: VARINT, value: 0, end: 0 }

/** Whether a whole field starts here. */
function locate(bytes: Buffer, start: number): boolean {
  const afterTag = endOfVarint(bytes, start)
  if (afterTag === -1) return false
  located.number = isExact(start, afterTag)
    ? Math.floor(numberOf(bytes, start, afterTag) / 8)
    : Number(exactVarint(bytes, start, afterTag) >> 3n)
  if (located.number === 0) return false
  located.wire = (bytes[start] ?? 0) & 7
  located.value = afterTag
  switch (located.wire) {
    case VARINT:
      located.end = endOfVarint(bytes, afterTag)
      return located.end !== -1
    case BYTES: {
      const from = endOfVarint(bytes, afterTag)
      if (from === -1) return false
      located.value = from
      // Of a length that is not exact, all that counts is that no bytes are so long.
      located.end = from + numberOf(bytes, afterTag, from)
      return located.end <= bytes.length
    }
    case FIXED_64:
      located.end = afterTag + 8
      return located.end <= bytes.length
    case FIXED_32:
      located.end = afterTag + 4
      return located.end <= bytes.length
    default:
      return false
  }
}

const MAX_VARINT_BYTES = 10

/** -1 if there is no whole number. */
function endOfVarint(bytes: Buffer, start: number): number {
  const most = Math.min(start + MAX_VARINT_BYTES, bytes.length)
  for (let at = start; at < most; at++) if ((bytes[at] ?? 0) < 0x80) return at + 1
  return -1
}

/** Whether `numberOf` loses nothing: seven bytes have 49 bits. */
function isExact(start: number, end: number): boolean {
  return end - start <= 7
}

function numberOf(bytes: Buffer, start: number, end: number): number {
  let value = 0
  for (let at = end - 1; at >= start; at--) value = value * 128 + ((bytes[at] ?? 0) & 0x7f)
  return value
}

function plainVarint(bytes: Buffer, start: number, end: number): number {
  return isExact(start, end) ? numberOf(bytes, start, end) : Number(exactVarint(bytes, start, end))
}

function exactVarint(bytes: Buffer, start: number, end: number): bigint {
  if (isExact(start, end)) return BigInt(numberOf(bytes, start, end))
  let value = 0n
  for (let at = end - 1; at >= start; at--) value = (value << 7n) | BigInt((bytes[at] ?? 0) & 0x7f)
  return value
}

// Encodes protobuf messages for made-up stores. A message is a list of [field number, value].

export type ProtoValue = string | Buffer | number | bigint

export function encodeProto(fields: [number, ProtoValue][]): Buffer {
  return Buffer.concat(fields.flatMap(([number, value]) => encodeField(number, value)))
}

function encodeField(number: number, value: ProtoValue): Buffer[] {
  if (typeof value === 'number' || typeof value === 'bigint')
    return [varint(BigInt(number) << 3n), varint(BigInt(value))]
  const bytes = typeof value === 'string' ? Buffer.from(value) : value
  return [varint((BigInt(number) << 3n) | 2n), varint(BigInt(bytes.length)), bytes]
}

function varint(value: bigint): Buffer {
  const bytes: number[] = []
  let rest = value
  do {
    const low = Number(rest & 0x7fn)
    rest >>= 7n
    bytes.push(rest === 0n ? low : low | 0x80)
  } while (rest !== 0n)
  return Buffer.from(bytes)
}

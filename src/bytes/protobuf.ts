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
  return message.fields.flatMap(field => (field.number === number && field.type === 'bytes' ? [field.value] : []))
}

/** The last value of a text field. Undefined if it is absent. */
export function protoText(message: ProtoMessage, number: number): string | undefined {
  return protoBytes(message, number).at(-1)?.toString('utf8')
}

export function protoNumber(message: ProtoMessage, number: number): bigint | undefined {
  const field = message.fields.findLast(candidate => candidate.number === number && candidate.type === 'varint')
  return field?.type === 'varint' ? field.value : undefined
}

function readField(bytes: Buffer, start: number): ProtoField | undefined {
  const tag = readVarint(bytes, start)
  if (tag === undefined) return undefined
  const number = Number(tag.value >> 3n)
  if (number === 0) return undefined
  switch (Number(tag.value & 7n)) {
    case VARINT: {
      const value = readVarint(bytes, tag.end)
      return value === undefined ? undefined : { number, type: 'varint', value: value.value, start, end: value.end }
    }
    case BYTES: {
      const length = readVarint(bytes, tag.end)
      if (length === undefined || length.value > BigInt(bytes.length - length.end)) return undefined
      const end = length.end + Number(length.value)
      return { number, type: 'bytes', value: bytes.subarray(length.end, end), start, end }
    }
    case FIXED_64:
      return fixed(bytes, number, start, tag.end, 8)
    case FIXED_32:
      return fixed(bytes, number, start, tag.end, 4)
    default:
      return undefined
  }
}

function fixed(bytes: Buffer, number: number, start: number, at: number, size: number): ProtoField | undefined {
  const end = at + size
  return end > bytes.length ? undefined : { number, type: 'fixed', value: bytes.subarray(at, end), start, end }
}

function readVarint(bytes: Buffer, start: number): { value: bigint; end: number } | undefined {
  let value = 0n
  for (let i = 0; i < 10; i++) {
    const byte = bytes[start + i]
    if (byte === undefined) return undefined
    value |= BigInt(byte & 0x7f) << BigInt(7 * i)
    if (byte < 0x80) return { value, end: start + i + 1 }
  }
  return undefined
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

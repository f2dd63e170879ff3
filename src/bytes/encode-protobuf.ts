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

// Decodes Protocol Buffers to plain values: by name if the shape is known, by field number otherwise.
import { isUtf8 } from 'node:buffer'
import type { ProtoField, ProtoMessage } from '../../bytes/protobuf.ts'
import { lastProtoBytes, protoBytes, protoText, readProto } from '../../bytes/protobuf.ts'
import type { Json } from '../stores/values.ts'

/** The names of a message's fields. `[]` after a name marks a repeated field. */
export interface ProtoShape {
  [field: number]: string | [name: string, inner: ProtoShape | 'struct']
}

/** Hostile bytes can be nested as deep as they are long. */
const MAX_DEPTH = 32

/**
 * Decodes the messages inside one stored message, and remembers whether any of them was not readable to its
 * end.
 */
export class Decoder {
  isBroken = false

  open(bytes: Buffer): ProtoMessage {
    const message = readProto(bytes)
    if (message.brokenAt !== undefined) this.isBroken = true
    return message
  }

  decode(bytes: Buffer, shape: ProtoShape = {}, depth = 0): Json {
    const decoded: Json = {}
    for (const field of this.open(bytes).fields) {
      const known = shape[field.number]
      const label = typeof known === 'string' ? known : (known?.[0] ?? `field_${field.number}`)
      const value = this.#valueOf(field, known, depth)
      const name = label.replace('[]', '')
      const before = decoded[name]
      if (Array.isArray(before)) before.push(value)
      else if (label.endsWith('[]')) decoded[name] = [value]
      else decoded[name] = known === undefined && before !== undefined ? [before, value] : value
    }
    return decoded
  }

  #valueOf(field: ProtoField, known: ProtoShape[number] | undefined, depth: number): unknown {
    if (field.type === 'varint') return Number(BigInt.asIntN(64, field.value))
    if (field.type === 'fixed') return field.value.length === 8 ? field.value.readDoubleLE() : field.value.readFloatLE()
    if (typeof known === 'string') return isUtf8(field.value) ? field.value.toString('utf8') : unreadable(field.value)
    if (depth >= MAX_DEPTH) return unreadable(field.value)
    if (known === undefined) return this.#guess(field.value, depth)
    return known[1] === 'struct' ? this.#struct(field.value, depth + 1) : this.decode(field.value, known[1], depth + 1)
  }

  /** Text and messages look alike in the bytes. Valid text counts as text. */
  #guess(bytes: Buffer, depth: number): unknown {
    if (isReadable(bytes)) return bytes.toString('utf8')
    const message = readProto(bytes)
    if (message.brokenAt === undefined && message.fields.length > 0) return this.decode(bytes, {}, depth + 1)
    return unreadable(bytes)
  }

  /** `google.protobuf.Struct`: JSON in Protocol Buffers. */
  #struct(bytes: Buffer, depth: number): unknown {
    if (depth >= MAX_DEPTH) return unreadable(bytes)
    const entries = protoBytes(this.open(bytes), 1).map((entry): [string, unknown] => {
      const pair = this.open(entry)
      const value = this.open(lastProtoBytes(pair, 2) ?? Buffer.alloc(0))
      return [protoText(pair, 1) ?? '', this.#structValue(value, depth + 1)]
    })
    return Object.fromEntries(entries)
  }

  #structValue(value: ProtoMessage, depth: number): unknown {
    const field = value.fields.at(-1)
    if (field?.type === 'fixed' && field.value.length === 8) return field.value.readDoubleLE()
    if (field?.type === 'varint') return field.number === 4 ? field.value !== 0n : null
    if (field?.type !== 'bytes') return null
    if (field.number === 3) return field.value.toString('utf8')
    if (field.number === 5) return this.#struct(field.value, depth + 1)
    if (depth >= MAX_DEPTH) return unreadable(field.value)
    return protoBytes(this.open(field.value), 1).map(item => this.#structValue(this.open(item), depth + 1))
  }
}

function isReadable(bytes: Buffer): boolean {
  return isUtf8(bytes) && !bytes.some(byte => byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d)
}

function unreadable(bytes: Buffer): Json {
  return { bytes: bytes.length }
}

// One event on the bus with its bytes, made once for each of the two forms in which it is sent.
import { eventId } from '../ids.ts'
import type { OpenCodeEvent } from '../shapes/event.ts'

/** `bare`: the event itself. `wrapped`: with the folder it belongs to. */
export type Flavour = 'bare' | 'wrapped'

/** For what belongs to no folder. */
const EVERYWHERE = 'global'
const DATA = 'data: '

export interface EntryFacts {
  id: number
  event: OpenCodeEvent
  directory: string | undefined
  bytesBefore: number
}

export class BusEntry {
  readonly id: number
  readonly directory: string | undefined
  readonly bytesBefore: number
  readonly bytes: number
  readonly #bare: Buffer
  #wrapped: Buffer | undefined

  constructor({ id, event, directory, bytesBefore }: EntryFacts) {
    this.id = id
    this.directory = directory
    this.bytesBefore = bytesBefore
    this.#bare = frameOf(id, jsonOf(event, id))
    this.bytes = this.#bare.length
  }

  /** As it stands in a stream. */
  frame(flavour: Flavour): Buffer {
    if (flavour === 'bare') return this.#bare
    this.#wrapped ??= frameOf(this.id, wrap(dataOf(this.#bare), this.directory))
    return this.#wrapped
  }
}

/** Of what is told to one listener alone. Without `isResumable` it is not what a listener goes on behind. */
export function makeFrame(event: OpenCodeEvent, id: number, flavour: Flavour, isResumable: boolean): Buffer {
  const json = jsonOf(event, id)
  return frameOf(isResumable ? id : undefined, flavour === 'bare' ? json : wrap(json, undefined))
}

export function makeComment(text: string): Buffer {
  return Buffer.from(`: ${text.replaceAll(/[\r\n]+/g, ' ')}\n\n`)
}

function jsonOf({ type, properties }: OpenCodeEvent, id: number): string {
  return JSON.stringify({ id: eventId(id), type, properties })
}

function wrap(json: string, directory: string | undefined): string {
  return `{"directory":${JSON.stringify(directory ?? EVERYWHERE)},"payload":${json}}`
}

/** JSON has no line break in it, so the data is one line. */
function frameOf(id: number | undefined, json: string): Buffer {
  return Buffer.from(`${id === undefined ? '' : `id: ${id}\n`}${DATA}${json}\n\n`)
}

function dataOf(frame: Buffer): string {
  return frame.toString('utf8', frame.indexOf(DATA) + DATA.length, frame.length - 2)
}

// Standard input and output as lines of JSON. Received lines can be logged, and faults can write other bytes.
import type { Stream } from '@agentclientprotocol/sdk/unstable'
import { ndJsonStream } from '@agentclientprotocol/sdk/unstable'
import { appendToMockFile } from '../disk/state/mock-store.ts'
import type { ChosenFaults } from './chosen-faults.ts'

const NEWLINE = 0x0a

export function openWire(log: string | undefined, faults: ChosenFaults): Stream {
  // The end of the input reports a client that is gone. A failed write needs no second report.
  process.stdout.on('error', () => {})
  return ndJsonStream(new WritableStream({ write: line => writeLine(line, faults) }), receive(log))
}

/** Gets exactly one line. */
async function writeLine(line: Uint8Array, faults: ChosenFaults): Promise<void> {
  if (isAnswer(line)) await write(faults.beforeAnswer())
  await write(line)
}

function isAnswer(line: Uint8Array): boolean {
  const message: object = JSON.parse(Buffer.from(line).toString())
  return 'id' in message && !('method' in message)
}

function write(bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(bytes, error => (error ? reject(error) : resolve()))
  })
}

function receive(log: string | undefined): ReadableStream<Uint8Array> {
  return ReadableStream.from(log === undefined ? process.stdin : logLines(process.stdin, log))
}

/** Logs a line byte for byte before the agent handles it. */
async function* logLines(chunks: AsyncIterable<Buffer>, log: string): AsyncGenerator<Buffer, void, void> {
  let held: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([held, chunk])
    const end = bytes.lastIndexOf(NEWLINE) + 1
    if (end > 0) appendToMockFile(log, bytes.subarray(0, end))
    held = bytes.subarray(end)
    yield chunk
  }
}

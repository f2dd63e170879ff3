// The faults that `--fault NAME` or `--fault NAME=ARGUMENT`
// turns on: the ways in which an agent can go wrong.
import { resolve } from 'node:path'
import { setImmediate as nextRound } from 'node:timers/promises'
import type { StopReason } from '@agentclientprotocol/sdk/unstable'
import { methods, RequestError } from '@agentclientprotocol/sdk/unstable'
import { locateProgram, startProgram } from '../disk/processes/start-program.ts'
import { pathValue, program, words } from '../model/program.ts'
import type { Session } from './sessions.ts'
import type { Turn } from './turn.ts'

export interface Firing {
  /** The name of the fault. */
  readonly name: string
  /** The text after `NAME=`, or an empty string. */
  readonly argument: string
  /** The folder of `--store`. */
  readonly folder: string | undefined
  /** Records that the fault happens. A fault calls this before its effect is visible. */
  fire(): void
}

type Awaitable<T> = T | Promise<T>

/** Every hook is optional and is called at its point of the protocol. */
export interface Fault {
  readonly name: string
  start?(firing: Firing): void
  initialize?(firing: Firing): Awaitable<void>
  create?(firing: Firing): Awaitable<void>
  /** Called before the store is searched for the session. */
  beforeLoad?(firing: Firing): Awaitable<void>
  /** Called when the session is read and none of its updates is sent yet. */
  load?(firing: Firing, session: Session): Awaitable<void>
  beforeResume?(firing: Firing): Awaitable<void>
  /** Called before anything is sent for a prompt. A returned stop reason ends the turn. */
  prompt?(firing: Firing, turn: Turn): Awaitable<StopReason | undefined>
  /** Called after each chunk of a message. `sent` counts the chunks of a turn from 1. */
  chunk?(firing: Firing, sent: number): void
  /** Returns the bytes to write before the answer to a request. */
  beforeAnswer?(firing: Firing): Buffer
}

const CHUNKS_BEFORE_DEATH = 3

export const FAULTS: readonly Fault[] = [
  { name: 'die-on-initialize', initialize: die },
  { name: 'die-on-new', create: die },
  { name: 'die-on-load', beforeLoad: die },
  { name: 'die-on-resume', beforeResume: die },
  { name: 'die-on-prompt', prompt: die },
  {
    // The chunks sent so far reach the client and are stored nowhere else.
    name: 'die-mid-stream',
    chunk(firing, sent) {
      if (sent === CHUNKS_BEFORE_DEATH) die(firing)
    },
  },
  { name: 'refuse-new', create: refuse },
  { name: 'refuse-load', beforeLoad: refuse },
  { name: 'refuse-resume', beforeResume: refuse },
  {
    // The load or resume succeeds; the first prompt after it fails.
    name: 'refuse-prompt-after-load',
    prompt: (firing, { session }) => (session.isFreshlyOpened ? refuse(firing) : undefined),
  },
  {
    // The load succeeds without any message. The session's file stays unchanged.
    name: 'empty-load',
    load(firing, session) {
      firing.fire()
      session.forget()
    },
  },
  {
    // The load succeeds and deletes the session's file.
    name: 'erase-on-load',
    load(firing, session) {
      firing.fire()
      session.erase()
    },
  },
  // Never answers a prompt, not even a cancelled one.
  { name: 'silent', prompt: hang },
  { name: 'silent-initialize', initialize: hang },
  {
    name: 'garbage',
    beforeAnswer(firing) {
      firing.fire()
      return GARBAGE
    },
  },
  { name: 'flood', prompt: flood },
  { name: 'unknown-updates', prompt: sendUnknownMessages },
  { name: 'zombie-child', start: startZombie },
]

/** Exits at once. The only output is a line on standard error. */
function die(firing: Firing): never {
  firing.fire()
  process.stderr.write(`mock agent: ${firing.name}\n`)
  process.exit(1)
}

function refuse(firing: Firing): never {
  firing.fire()
  throw RequestError.internalError(undefined, firing.name)
}

function hang(firing: Firing): Promise<never> {
  firing.fire()
  return new Promise(() => {})
}

const HUGE_LINE_BYTES = 1024 * 1024

/** Lines that are not messages of the protocol. */
const GARBAGE = Buffer.concat([
  Buffer.from('Warning: this line is no JSON\n{"jsonrpc":"2.0","method":"session/upd\n\n'),
  Buffer.alloc(HUGE_LINE_BYTES, 'x'),
  Buffer.from('\n[{"jsonrpc":"2.0","method":"session/update"}]\n'),
  Buffer.from('{"jsonrpc":"2.0","id":"never-asked","result":{}}\n'),
  // Invalid UTF-8: a lone continuation byte, and two bytes that never occur.
  Buffer.from([0x80, 0xff, 0xfe, 0x0a]),
])

const DEFAULT_UPDATES = 10_000
/** Makes an update a line of about 200 bytes. */
const PADDING = '.'.repeat(20)
/** Writing alone never reads the input, so the loop yields this often to notice a cancellation. */
const UPDATES_AT_ONCE = 100

/** Answers any prompt with many small updates, as fast as the client takes them. */
async function flood(firing: Firing, turn: Turn): Promise<StopReason> {
  firing.fire()
  const count = firing.argument === '' ? DEFAULT_UPDATES : Number(firing.argument)
  for (let index = 0; index < count; index++) {
    if (turn.signal.aborted) return 'cancelled'
    const content = { type: 'text', text: `${String(index).padStart(8, '0')} ${PADDING}` } as const
    await turn.send({ sessionUpdate: 'agent_message_chunk', content })
    if (index % UPDATES_AT_ONCE === 0) await nextRound()
  }
  return 'end_turn'
}

/** Sends an unknown kind of update, an unknown notification and an unknown request before the answer. */
async function sendUnknownMessages(firing: Firing, turn: Turn): Promise<undefined> {
  firing.fire()
  const sessionId = turn.session.id
  // A plain string, because the parameters do not match the schema of this method.
  const method: string = methods.client.session.update
  await turn.client.notify(method, { sessionId, update: { sessionUpdate: 'example_update', example: true } })
  await turn.client.notify('_example/thing', { sessionId, example: true })
  try {
    const options = { cancellationSignal: turn.signal, stopWaitingOnCancel: true }
    await turn.client.request('_example/ask', { sessionId }, options)
  } catch (error) {
    // A client may refuse a method it does not know.
    if (!(error instanceof RequestError)) throw error
  }
  return undefined
}

const ZOMBIE_LOG = 'zombie.log'
/** The child exits after this time, so that a failing test leaves no process behind. */
const ZOMBIE_LIFE_MS = 60_000
const ZOMBIE_PROGRAM = `
const { appendFileSync } = require('node:fs')
let count = 0
setInterval(() => appendFileSync(process.argv[1], process.pid + ' ' + ++count + '\\n'), 50)
setTimeout(() => process.exit(0), ${ZOMBIE_LIFE_MS})` as const

/** Starts a child that outlives the agent and keeps writing into the store. */
function startZombie(firing: Firing): void {
  if (firing.folder === undefined)
    throw new Error('The fault zombie-child writes into the store. Specify a folder with --store.')
  firing.fire()
  const list = words('-e', ZOMBIE_PROGRAM, pathValue(resolve(firing.folder, ZOMBIE_LOG)))
  const found = locateProgram(program(process.execPath, list), '/', process.env)
  if (found === undefined) throw new Error(`Node was not found at ${process.execPath}.`)
  startProgram(found, { stdio: 'ignore' }).unref()
}

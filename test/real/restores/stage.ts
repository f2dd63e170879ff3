// One scenario's home, model and rethread, and the steps that scenarios are made of.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SessionCapability } from '../../../src/journal/connection/connection.ts'
import { asFields } from '../../../src/journal/envelope.ts'
import type { StrategyName } from '../../../src/journal/store/notes.ts'
import { notesIn, saidIn } from '../../support/journal.ts'
import { type ModelServer, startModelServer } from '../model-server.ts'
import type { AcpAgent } from './acp-agents.ts'
import { begin, type OpenConversations, openConversations, type Place, say } from './conversation-stage.ts'
import type { Row } from './row.ts'

export const PRICE = 'Please add a price field to the cart'
export const FILES = 'TOOL list the files of this folder'
export const GO_ON = 'Go on from here, if you please'
export const SLOW = 'SLOW tell me everything about rounding'

const MINUTE_MS = 60_000

export interface Stage {
  place: Place
  server: ModelServer
  opened: OpenConversations
  row: Row
  /** Another rethread over what the last one left. */
  reopen(): Promise<OpenConversations>
}

export interface Turn {
  restored: StrategyName | undefined
  stopReason: unknown
  /** Messages in the first request of the turn. */
  history: number
  /** That request. */
  sent: string
}

export type Scenario = (stage: Stage) => Promise<void>

/** Whatever goes wrong is a fault of the row. */
export async function play(agent: AcpAgent, installed: string, scenario: string, body: Scenario): Promise<Row> {
  const row: Row = { agent: agent.title, version: agent.version, scenario, remarks: [], faults: [] }
  const home = mkdtempSync(join(tmpdir(), 'rethread-restore-'))
  mkdirSync(join(home, 'shop'))
  const server = await startModelServer()
  agent.prepare(home, server.port)
  const place = { agent, installed, home, port: server.port }
  const stage: Stage = {
    place,
    server,
    opened: await openConversations(place),
    row,
    async reopen() {
      await stage.opened.close()
      stage.opened = await openConversations(stage.place)
      return stage.opened
    },
  }
  try {
    await body(stage)
    for (const trouble of stage.opened.troubles) row.faults.push(String(trouble))
  } catch (error) {
    row.faults.push(error instanceof Error ? `${error.message} ${'hint' in error ? error.hint : ''}` : String(error))
  } finally {
    await stage.opened.close()
    await server.stop()
    rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
  return row
}

/** A conversation with an answer and a call of a tool; the history of its last turn is the row's `before`. */
export async function converse(stage: Stage): Promise<string> {
  const id = await begin(stage.opened)
  await turn(stage, id, PRICE)
  stage.row.before = (await turn(stage, id, FILES)).history
  return id
}

export async function turn({ opened, server }: Stage, id: string, text: string): Promise<Turn> {
  server.forget()
  const { answer, restored } = await opened.conversations.prompt(id, say(text))
  const first = requestWith(server, text)
  return { restored, stopReason: asFields(answer)['stopReason'], history: first.length, sent: JSON.stringify(first) }
}

/** The first with these words: agents ask for other things too while nobody waits, such as what the person might say next. */
export function requestWith({ asked }: ModelServer, text: string): readonly unknown[] {
  return asked.find(({ messages }) => JSON.stringify(messages).includes(text))?.messages ?? []
}

/** The first turn after, by which the conversation has to come back whole. */
export async function comeBack(stage: Stage, id: string, expected: readonly StrategyName[], least = 2): Promise<Turn> {
  const { row, opened } = stage
  const back = await turn(stage, id, GO_ON)
  row.after = back.history
  if (back.restored !== undefined) row.strategy = back.restored
  const note = (await notesIn(opened.store, id, '_rethread/restored')).at(-1)
  if (note?.lost !== undefined) row.lost = note.lost
  for (const { rung, why } of note?.tried ?? []) row.remarks.push(`${rung}: ${why}`)
  if (!expected.some(strategy => strategy === back.restored)) row.faults.push(`came back by ${back.restored}`)
  if (back.restored === 'replay') expectReplay(stage, back)
  else if (back.history < (row.before ?? 0) + least) row.faults.push(`the history shrank: ${back.history} messages`)
  for (const text of [PRICE, FILES, GO_ON]) if (!back.sent.includes(text)) row.faults.push(`"${text}" was not sent`)
  await expectNothingDoubled(stage, id)
  return back
}

function expectReplay({ row }: Stage, { sent }: Turn): void {
  const replays = sent.split('[rethread replay]').length - 1
  if (replays !== 1) row.faults.push(`the model was sent the replay ${replays} times`)
}

/** Each prompt stands once in the journal, however it came back. */
export async function expectNothingDoubled({ opened, row }: Stage, id: string): Promise<void> {
  const prompts = (await saidIn(opened.store, id)).filter(line => line.startsWith('user: '))
  if (new Set(prompts).size !== prompts.length) row.faults.push(`doubled in the journal: ${prompts.join(' / ')}`)
}

/** The agent answers as if it could not do this; its process runs from here on. */
export async function hide({ opened, place }: Stage, hidden: SessionCapability): Promise<void> {
  const { capabilities } = await opened.conversations.connect(place.agent.name, opened.project)
  const has = capabilities.has.bind(capabilities)
  capabilities.has = capability => capability !== hidden && has(capability)
}

/** Gemini CLI names its files by the minute: within that of its beginning a session is loaded over itself. */
export async function untilNextMinute({ place }: Stage): Promise<void> {
  if (place.agent.store === 'gemini-cli') await sleep(MINUTE_MS + 500 - (Date.now() % MINUTE_MS))
}

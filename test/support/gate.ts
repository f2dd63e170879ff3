// A gate with real terminals and a stand-in agent, whose checks and repairs end only when the test says so.
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { Agent } from '../../src/agents/agent.ts'
import type { Store } from '../../src/agents/store.ts'
import { makeContext } from '../../src/catalog/context.ts'
import { idValue, words } from '../../src/model/program.ts'
import type { SessionRef } from '../../src/model/session.ts'
import type { RepairReport, Verdict } from '../../src/model/verdict.ts'
import type { Gate, GateClient, GateOptions } from '../../src/server/gate/index.ts'
import { makeGate } from '../../src/server/gate/index.ts'
import type { ClientMessageOf, Progress, ServerMessage, ServerMessageOf } from '../../src/server/protocol.ts'
import type { ServedSession } from '../../src/server/sessions/index.ts'
import type { Terminals } from '../../src/server/terminals/index.ts'
import { makeTerminals } from '../../src/server/terminals/index.ts'
import { put } from './home.ts'
import { makeStage, SIZE, Watcher } from './terminals.ts'
import { verdictFor } from './verdicts.ts'

type RepairOutcome = { verdict: Verdict; report?: RepairReport }

/** As the real ones: what is held is not repaired, and a repair that has begun goes on. */
export class StandInChecks {
  readonly held = new Map<string, number>()
  readonly repairing = new Set<string>()
  /** Those that were asked for and have not ended. */
  readonly asked: {
    key: string
    onPhase(phase: 'checking' | 'repairing'): void
    end(repaired: RepairOutcome): void
  }[] = []

  repairForResume: GateOptions['checks']['repairForResume'] = (key, { onPhase, signal }) => {
    onPhase('checking')
    const { promise, resolve, reject } = Promise.withResolvers<RepairOutcome>()
    const one = { key, onPhase, end: resolve }
    this.asked.push(one)
    signal.addEventListener('abort', () => {
      if (!this.repairing.has(key)) reject(signal.reason)
    })
    return promise.finally(() => this.asked.splice(this.asked.indexOf(one), 1))
  }

  hold = (key: string): (() => void) => {
    this.held.set(key, (this.held.get(key) ?? 0) + 1)
    return () => {
      const left = (this.held.get(key) ?? 0) - 1
      expect(left, 'released more often than held').toBeGreaterThanOrEqual(0)
      if (left === 0) this.held.delete(key)
      else this.held.set(key, left)
    }
  }

  isRepairing = (key: string): boolean => this.repairing.has(key)

  /** False where the session is held. */
  beginRepair(key: string): boolean {
    if (this.held.has(key)) return false
    this.repairing.add(key)
    this.asked.find(one => one.key === key)?.onPhase('repairing')
    return true
  }

  end(key: string, status: Verdict['status'], more: Partial<Verdict> = {}, report?: Partial<RepairReport>): void {
    this.repairing.delete(key)
    const counts = { orphansFixed: 0, newChainDepth: 0, edits: 0 }
    const verdict = verdictFor(refTo(key), status, more)
    const done = report === undefined ? {} : { report: { status: 'repaired' as const, ...counts, ...report } }
    this.asked.find(one => one.key === key)?.end({ verdict, ...done })
  }
}

export class StandInSessions {
  progress: Progress = { phase: 'done', done: 0, total: 0, bytesDone: 0, bytesTotal: 0 }
  readonly served = new Map<string, ServedSession>()
  readonly terminalOf = new Map<string, string>()
  readonly listeners = new Set<(progress: Progress) => void>()

  find = (name: string): ServedSession | undefined => this.served.get(name)
  get = (key: string): ServedSession | undefined => this.served.get(key)
  gone = (): undefined => undefined
  setTerminal = (key: string, id: string | undefined): void => {
    if (id === undefined) this.terminalOf.delete(key)
    else this.terminalOf.set(key, id)
  }
  on = (_event: 'changed' | 'progress', listener: (progress: Progress) => void): (() => void) => {
    this.listeners.add(listener)
    return () => void this.listeners.delete(listener)
  }
  notify(): void {
    for (const listener of [...this.listeners]) listener(this.progress)
  }
}

export class GatePage implements GateClient {
  readonly got: ServerMessage[] = []
  send(message: ServerMessage): void {
    this.got.push(message)
  }

  /** The phases and results in the order in which they came. */
  get story(): string[] {
    return this.got.map(message => (message.type === 'terminal.waiting' ? message.phase : message.type))
  }

  async sees<Type extends ServerMessage['type']>(type: Type, isIt = (_: ServerMessageOf<Type>) => true) {
    const isWanted = (message: ServerMessage): message is ServerMessageOf<Type> => message.type === type
    const find = (): ServerMessageOf<Type> | undefined => this.got.filter(isWanted).findLast(isIt)
    await expect.poll(find, { interval: 5, message: `${type} after ${this.story}` }).toBeDefined()
    const found = find()
    if (found === undefined) throw new Error('Not seen.')
    return found
  }

  async seesPhase(phase: ServerMessageOf<'terminal.waiting'>['phase'], choices?: string[]) {
    const isIt = (message: ServerMessageOf<'terminal.waiting'>) => message.phase === phase
    const found = await this.sees('terminal.waiting', isIt)
    if (choices !== undefined) expect(found.choices).toEqual(choices)
    return found
  }
}

export interface GateStage {
  home: string
  gate: Gate
  checks: StandInChecks
  sessions: StandInSessions
  terminals: Terminals
  /** What was started, with all its arguments and where. */
  started: string[]
  addSession(key: string, more?: { project?: string; fileSize?: number; generation?: string }): void
  create(page: GatePage, more?: Partial<ClientMessageOf<'terminal.create'>>): void
  choose(page: GatePage, choice: ClientMessageOf<'terminal.choose'>['choice']): void
}

export const STAND_IN = 'stand-in'

/** Says how it was started, and ends when it is asked to. */
const SCRIPT = '#!/bin/sh\necho "started: $* in $PWD"\nread word\nexit 0\n'

const LOGS: Store = {
  name: 'logs',
  title: 'logs',
  sessionId: /^id-\w+$/,
  traits: {
    framing: 'json-lines',
    linkedByParent: false,
    headerRecord: false,
    toolPairs: false,
    indexBeside: false,
    appendOnly: true,
  },
  locations: () => [],
  async *discover() {},
  read: () => {
    throw new Error('Nobody reads here.')
  },
  resume: (session, facts) => ({
    type: 'command',
    command: 'stand-in-agent',
    words: words('--resume', idValue(session.sessionId)),
    folder: facts.project,
  }),
}

function standInAgent(): Agent {
  return {
    id: STAND_IN,
    title: 'Stand-In',
    stores: [LOGS, { ...LOGS, name: 'old', resume: () => ({ type: 'unsupported', reason: 'Too old.' }) }],
    start: () => ({ command: 'stand-in-agent', words: words() }),
  }
}

export interface GateStageOptions {
  slowCheckMs?: number
  maxQuietWaitMs?: number
  isInstalled?: boolean
}

export function makeGateStage(options: GateStageOptions = {}): GateStage {
  const stage = makeStage()
  const { home } = stage
  if (options.isInstalled !== false) stage.standIn('stand-in-agent', SCRIPT)
  const made = makeContext({ home, state: join(home, 'state'), logLevel: 'silent' })
  const context = { ...made, agents: [standInAgent(), ...made.agents] }
  const [checks, sessions, started] = [new StandInChecks(), new StandInSessions(), [] as string[]]
  const terminals = makeTerminals({ context, pathFirst: join(home, 'bin') })
  onTestFinished(() => terminals.stop())
  const create: Terminals['create'] = wanted => {
    // The race rule: at the moment of the start nobody writes, and nobody can begin to.
    if (wanted.sessionKey !== null) {
      expect(checks.repairing.has(wanted.sessionKey)).toBe(false)
      expect(checks.held.has(wanted.sessionKey)).toBe(true)
    }
    const { command, args } = wanted.program
    started.push([command, ...args, 'in', wanted.folder.replace(home, '~')].join(' '))
    return terminals.create(wanted)
  }
  const guarded = { create, ofSession: terminals.ofSession.bind(terminals), on: terminals.on.bind(terminals) }
  const { slowCheckMs = 60_000, maxQuietWaitMs = 60_000 } = options
  const gate = makeGate({ context, sessions, checks, terminals: guarded, slowCheckMs, maxQuietWaitMs })
  return {
    ...{ home, gate, checks, sessions, terminals, started },
    addSession(key, { fileSize = 1000, ...more } = {}) {
      const session = { ...refTo(key), fileSize, ...more }
      put(home, 'project/file', '')
      sessions.served.set(key, { key, session, row: rowOf(key, session) })
    },
    create: (page, more = {}) =>
      gate.create({ type: 'terminal.create', requestId: 'r1', resumeSessionId: 's1', ...SIZE, ...more }, page),
    choose: (page, choice) => gate.choose({ type: 'terminal.choose', requestId: 'r1', choice }, page),
  }
}

function refTo(key: string): SessionRef {
  const place = { filePath: `/nowhere/${key}`, storeRoot: '/nowhere', generation: 'logs' }
  return { agent: STAND_IN, sessionId: `id-${key}`, ...place, updatedAt: 0, fileSize: 1000, identity: key }
}

function rowOf(key: string, session: ServedSession['session']): ServedSession['row'] {
  const { agent, sessionId, filePath, fileSize, project = null } = session
  const unread = { title: null, messageCount: null, partial: false, updatedAt: new Date(0).toISOString() }
  return { key, agent, sessionId, filePath, fileSize, project, ...unread }
}

/** What the terminal shows first. */
export async function firstWords(terminals: Terminals, id: string): Promise<string> {
  const watcher = new Watcher()
  watcher.shown = terminals.attach(id, watcher, SIZE).screen
  await watcher.sees(/started: .*\r\n/)
  return watcher.shown.trim()
}

// Makes one healthy session with a real agent, keeps a copy of its home beside it, and puts it back for each case to break. What an earlier run
// recorded in the same folder is used again.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ModelServer } from './model-server.ts'
import type { RealAgent, Turn } from './real-agent.ts'

const PROMPTS = [
  'Please add a price field to the cart',
  'TOOL list the files here',
  'THINK about rounding of cents',
  'Write the tests, TOOL',
  // A newline in a text is a place that can break.
  'What did we decide\nabout rounding?',
  'Sum it up',
] as const
export const RESUME_PROMPT = 'Go on from here'

export interface Recording {
  agent: RealAgent
  /** As recorded after the last turn, and whatever a case made of it since then: see `restore`. */
  home: string
  /** The id to resume by, or `latest` where the agent does not say it. */
  session: string
  turns: Pick<Turn, 'history'>[]
  /** What a resume of the healthy session sends. */
  healthy: Pick<Turn, 'history' | 'messages'>
}

/** Records sessions below `folder`, each agent and version once. */
export class Recorder {
  readonly #folder: string
  readonly #server: ModelServer
  readonly #recordings = new Map<string, Promise<Recording>>()

  constructor(folder: string, server: ModelServer) {
    this.#folder = folder
    this.#server = server
  }

  record(agent: RealAgent): Promise<Recording> {
    const name = `${agent.id}-${agent.version}`
    const known = this.#recordings.get(name)
    if (known !== undefined) return known
    const recording = this.#make(agent, join(this.#folder, name))
    this.#recordings.set(name, recording)
    return recording
  }

  /**
   * Puts the recorded home back as it was, at the path where it was recorded: agents keep absolute paths in their stores, and a copy elsewhere
   * leads them back to the original.
   */
  restore({ agent, home }: Pick<Recording, 'agent' | 'home'>): void {
    rmSync(home, { recursive: true, force: true })
    copyFolder(keptCopyOf(home), home)
    // The port of the model server is another one in every run.
    agent.prepare(home, this.#server.port)
  }

  async #make(agent: RealAgent, home: string): Promise<Recording> {
    const facts = `${home}.json`
    if (existsSync(facts)) {
      const kept: Omit<Recording, 'agent' | 'home'> = JSON.parse(readFileSync(facts, 'utf8'))
      return { ...kept, agent, home }
    }
    rmSync(home, { recursive: true, force: true })
    const recorded = await this.#recordTurns(agent, home)
    writeFileSync(facts, JSON.stringify(recorded))
    return { ...recorded, agent, home }
  }

  async #recordTurns(agent: RealAgent, home: string): Promise<Omit<Recording, 'agent' | 'home'>> {
    mkdirSync(home, { recursive: true })
    agent.prepare(home, this.#server.port)
    const turns: Recording['turns'] = []
    let session: string | undefined
    for (const prompt of PROMPTS) {
      const turn = await agent.turn(home, prompt, session)
      expectAnswer(agent, prompt, turn)
      session ??= turn.session ?? 'latest'
      turns.push({ history: turn.history })
    }
    const resumed = session ?? 'latest'
    agent.asOneSitting(home)
    rmSync(keptCopyOf(home), { recursive: true, force: true })
    copyFolder(home, keptCopyOf(home))
    const healthy = await agent.turn(home, RESUME_PROMPT, resumed)
    expectAnswer(agent, RESUME_PROMPT, healthy)
    this.restore({ agent, home })
    return { session: resumed, turns, healthy: { history: healthy.history, messages: healthy.messages } }
  }
}

function keptCopyOf(home: string): string {
  return `${home}.kept`
}

function copyFolder(from: string, to: string): void {
  cpSync(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
}

/** A recording is worth something only if nothing went wrong while it was made. */
function expectAnswer(agent: RealAgent, prompt: string, turn: Turn): void {
  if (turn.history > 0 && turn.refused === undefined && turn.isHung === undefined) return
  const why = turn.isHung ? 'it hung' : (turn.refused ?? `it sent nothing (exit status ${turn.ran.status})`)
  const said = `${turn.ran.stdout}\n${turn.ran.stderr}`.trim().slice(-2_000)
  throw new Error(`${agent.id} ${agent.version} did not take the prompt "${prompt}": ${why}\n${said}`)
}

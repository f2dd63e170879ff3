// A real agent as the tests drive it: prepared in a home of its own, then one turn at a time.
import { join } from 'node:path'
import type { ModelServer } from './model-server.ts'
import { type Ran, runProcess } from './run-process.ts'
import { piecesOf, withoutAnswers, withResults } from './sent.ts'

/** A turn takes one to five seconds, twenty on a busy machine; on a damaged session an agent may wait for ever. */
const TURN_TIMEOUT_MS = 120_000

/** How one agent is set up and called. One small file each. */
export interface AgentCommands {
  /** The id that rethread has for it. */
  id: string
  title: string
  npmPackage: string
  versions: readonly string[]
  command: string
  variables(port: number): Record<string, string>
  /** Writes what must be in the home before the first turn. */
  prepare(home: string, port: number): void
  /** `session` is the id to resume, or `latest`. */
  args(prompt: string, session: string | undefined, version: string): string[]
  /** The id of the session, where the agent says it. */
  sessionOf?(ran: Ran): string | undefined
  /** Prints the sessions of the folder, where the agent has a command for that. */
  listArgs?: readonly string[]
  /** The ids in what it prints. */
  listedIn?(ran: Ran): string[]
  /** Whether this version keeps the result of a call in one message with the call, though it sends it as a message of its own. */
  keepsResultsInside?(version: string): boolean
  /** Takes messages apart that the agent joined because they follow each other with the same role. */
  unmerge?(messages: readonly unknown[]): readonly unknown[]
  /** Whether the message in this place is none of the session: the agent made it up, or sends one of the session again. */
  isExtra?(messages: readonly unknown[], place: number): boolean
  /** Makes what was recorded, one process for each prompt and all within a minute, look like one long sitting, where that matters. */
  asOneSitting?(home: string): void
}

export interface Turn {
  /** How many messages the agent sent with the prompt; 0 where it sent nothing at all. */
  history: number
  /** What it sent, in the API's own shape. */
  messages: unknown[]
  /** Why the model refused a request of the turn. */
  refused?: string
  /** The last request was not refused: the conversation goes on. */
  isAnswered: boolean
  isHung?: true
  session?: string
  ran: Ran
}

export interface RealAgent {
  id: string
  version: string
  prepare(home: string, port: number): void
  asOneSitting(home: string): void
  /** How many messages of the session these are that were sent. */
  countStored(messages: readonly unknown[]): number
  /** What was sent, in units that are stored, and can be lost, together. */
  unitsOf(messages: readonly unknown[]): string[][]
  /** Never throws for what the agent does: a refusal, a failure and a hang are results. */
  turn(home: string, prompt: string, session?: string, timeoutMs?: number): Promise<Turn>
  /** The ids of the sessions that it lists in the folder; undefined where it has no command for that. */
  list(home: string): Promise<string[] | undefined>
}

export interface Place {
  /** The folder that holds `<id>-<version>/node_modules/.bin/<command>`. */
  agents: string
  /** The same for all turns, whatever the home: agents find sessions by the path of the project. */
  project: string
  server: ModelServer
}

export function openAgent(commands: AgentCommands, version: string, place: Place): RealAgent {
  const { id } = commands
  const isInside = commands.keepsResultsInside?.(version) === true
  const binary = join(place.agents, `${id}-${version}`, 'node_modules', '.bin', commands.command)
  return {
    id,
    version,
    prepare: commands.prepare,
    countStored(sent) {
      const messages = commands.unmerge?.(sent) ?? sent
      const own = messages.filter((_, place) => commands.isExtra?.(messages, place) !== true)
      return (isInside ? withoutAnswers(own) : own).length
    },
    unitsOf: messages => (isInside ? withResults(messages) : piecesOf(messages).map(piece => [piece])),
    asOneSitting: home => commands.asOneSitting?.(home),
    async turn(home, prompt, session, timeoutMs = TURN_TIMEOUT_MS) {
      const { server } = place
      server.forget()
      const ran = await runProcess(binary, commands.args(prompt, session, version), {
        home,
        folder: place.project,
        variables: commands.variables(server.port),
        timeoutMs,
      })
      return turnOf(server, ran, commands.sessionOf?.(ran))
    },
    async list(home) {
      const { listArgs, listedIn } = commands
      if (listArgs === undefined || listedIn === undefined) return undefined
      const ran = await runProcess(binary, [...listArgs], {
        home,
        folder: place.project,
        variables: commands.variables(place.server.port),
        timeoutMs: TURN_TIMEOUT_MS,
      })
      return listedIn(ran)
    },
  }
}

/** The first request of a turn holds the history; the later ones add the results of tools. */
function turnOf(server: ModelServer, ran: Ran, session: string | undefined): Turn {
  const messages = server.asked[0]?.messages ?? []
  const refused = server.asked.find(asked => asked.refused !== undefined)?.refused
  return {
    history: messages.length,
    messages,
    ran,
    isAnswered: messages.length > 0 && server.asked.at(-1)?.refused === undefined,
    ...(refused === undefined ? {} : { refused }),
    ...(ran.isHung ? { isHung: true } : {}),
    ...(session === undefined ? {} : { session }),
  }
}

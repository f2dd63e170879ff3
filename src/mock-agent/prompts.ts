// The prompts that the mock agent understands. Prompts that ask the
// client for something are in client-prompts.ts.
import { randomUUID } from 'node:crypto'
import type { AvailableCommand, PlanEntry, StopReason } from '@agentclientprotocol/sdk/unstable'
import { RequestError } from '@agentclientprotocol/sdk/unstable'
import { askPermission, askQuestion, readFile, runCommand, writeFile } from './client-prompts.ts'
import type { Asked, Turn } from './turn.ts'

type Run = (turn: Turn) => Promise<StopReason>

/** Chosen by their name anywhere in the text, in this order. */
const BY_NAME_ANYWHERE: readonly [name: string, run: Run][] = [
  ['permission', askPermission],
  ['question', askQuestion],
  ['error', fail],
  ['tool', useTool],
]

/** Chosen by the first word of the text. Every other text is echoed. */
const BY_FIRST_WORD: ReadonlyMap<string, Run> = new Map<string, Run>([
  ['stream', stream],
  ['slow', streamSlowly],
  ['think', think],
  ['plan', plan],
  ['markdown', sendMarkdown],
  ['history', reportHistory],
  ['read', readFile],
  ['write', writeFile],
  ['run', runCommand],
  ['mode', changeMode],
  ['title', setTitle],
  ['commands', announceCommands],
])

function findPrompt({ first, word }: Asked): Run {
  const text = first.toLowerCase()
  const named = BY_NAME_ANYWHERE.find(([name]) => text.includes(name))
  return named?.[1] ?? BY_FIRST_WORD.get(word) ?? echo
}

/** Runs the prompt of a turn until it ends or is cancelled. */
export async function runPrompt(turn: Turn): Promise<StopReason> {
  turn.begin()
  const work = findPrompt(turn.asked)(turn)
  // After a cancellation, work that waits for the client can still fail later. Nothing awaits it then.
  work.catch(() => {})
  try {
    return await Promise.race([work, cancelled(turn.signal)])
  } catch (error) {
    if (turn.signal.aborted) return 'cancelled'
    throw error
  } finally {
    turn.complete()
  }
}

function cancelled(signal: AbortSignal): Promise<StopReason> {
  return new Promise(resolve => {
    if (signal.aborted) resolve('cancelled')
    signal.addEventListener('abort', () => resolve('cancelled'), { once: true })
  })
}

async function echo(turn: Turn): Promise<StopReason> {
  await turn.pause()
  const { text } = turn.asked
  await turn.say(text.trim() === '' ? 'OK' : text)
  return 'end_turn'
}

const INTERNAL_ERROR = -32603

async function fail(turn: Turn): Promise<StopReason> {
  await turn.pause()
  throw new RequestError(INTERNAL_ERROR, 'mock process crashed')
}

/** Reports a tool call that changed a file, and links that file. No file on disk is touched. */
async function useTool(turn: Turn): Promise<StopReason> {
  await turn.pause()
  const call = {
    toolCallId: `call-${randomUUID()}`,
    title: 'echo tool',
    kind: 'execute',
    rawInput: { command: 'echo tool' },
  } as const
  await turn.useTool(call, async () => ({
    status: 'completed',
    content: [
      { type: 'content', content: { type: 'text', text: 'ok' } },
      { type: 'diff', path: '/README.md', oldText: '', newText: 'tool\n' },
    ],
  }))
  await turn.show({ type: 'resource_link', name: 'README.md', mimeType: 'text/plain', uri: 'file:///README.md' })
  return 'end_turn'
}

const DEFAULT_WORDS = 20
const MAX_WORDS = 100_000
const BETWEEN_WORDS_MS = 3

/** `stream N`: an answer of N words, each in a chunk of its own. */
async function stream(turn: Turn): Promise<StopReason> {
  const asked = Number.parseInt(turn.asked.rest, 10)
  const count = Number.isNaN(asked) ? DEFAULT_WORDS : Math.min(asked, MAX_WORDS)
  return await streamWords(turn, count, BETWEEN_WORDS_MS)
}

const SLOW_WORDS = 600
const BETWEEN_SLOW_WORDS_MS = 100

/** An answer that takes a minute, so that a test can cancel it in time. */
async function streamSlowly(turn: Turn): Promise<StopReason> {
  return await streamWords(turn, SLOW_WORDS, BETWEEN_SLOW_WORDS_MS)
}

async function streamWords(turn: Turn, count: number, betweenMs: number): Promise<StopReason> {
  for (let index = 1; index <= count; index++) {
    await turn.say(index === 1 ? 'word1' : ` word${index}`)
    await turn.pause(betweenMs)
  }
  return 'end_turn'
}

async function think(turn: Turn): Promise<StopReason> {
  for (const piece of ['Let me see. ', 'There are two ways, ', 'and the second is shorter.']) {
    await turn.think(piece)
    await turn.pause(1)
  }
  await turn.say('I take the second way.')
  return 'end_turn'
}

const PLAN_STEPS = ['Read the code', 'Change it', 'Run the tests']
const PLAN_STEP_MS = 5

/** A plan of three steps that complete one after the other. */
async function plan(turn: Turn): Promise<StopReason> {
  for (let done = 0; done < PLAN_STEPS.length; done++) {
    await turn.send({ sessionUpdate: 'plan', entries: planAfter(done) })
    await turn.pause(PLAN_STEP_MS)
  }
  await turn.publish({ sessionUpdate: 'plan', entries: planAfter(PLAN_STEPS.length) })
  await turn.say('All three steps are done.')
  return 'end_turn'
}

function planAfter(done: number): PlanEntry[] {
  const statusAt = (index: number): PlanEntry['status'] => {
    if (index < done) return 'completed'
    return index === done ? 'in_progress' : 'pending'
  }
  return PLAN_STEPS.map((content, index) => ({ content, priority: 'medium', status: statusAt(index) }))
}

const MARKDOWN = [
  '# A heading\n\nText with **strong**, *emphasised* and `code` words, and a [link](https://example.com).\n\n',
  '- one\n- two\n  - two and a half\n\n1. first\n2. second\n\n- [x] done\n- [ ] to do\n\n',
  '> A quotation.\n\n```ts\nexport const answer: number = 42\n```\n\n',
  '| left | right |\n|---|---:|\n| a | 1 |\n| b | 22 |\n\n---\n\nThe end.\n',
]

async function sendMarkdown(turn: Turn): Promise<StopReason> {
  for (const piece of MARKDOWN) await turn.say(piece)
  return 'end_turn'
}

/** Reports the messages in the agent's memory, this prompt included, and the replays among them. */
async function reportHistory(turn: Turn): Promise<StopReason> {
  await turn.say(`history=${turn.session.messageCount} replays=${turn.session.replayCount}`)
  return 'end_turn'
}

/** `mode` switches to the next mode, `mode ID` to that mode. */
async function changeMode(turn: Turn): Promise<StopReason> {
  const { availableModes, currentModeId } = turn.session.modes
  const ids = availableModes.map(({ id }) => id)
  const next = ids[(ids.indexOf(currentModeId) + 1) % ids.length] ?? currentModeId
  const chosen = ids.find(id => id === turn.asked.rest) ?? next
  await turn.publish({ sessionUpdate: 'current_mode_update', currentModeId: chosen })
  await turn.say(`mode=${chosen}`)
  return 'end_turn'
}

/** `title TEXT` sets the title of the session. */
async function setTitle(turn: Turn): Promise<StopReason> {
  await turn.publish({ sessionUpdate: 'session_info_update', title: turn.asked.rest })
  await turn.say(`title=${turn.asked.rest}`)
  return 'end_turn'
}

const COMMANDS: readonly AvailableCommand[] = [
  { name: 'review', description: 'Look through what was changed and say what is wrong with it' },
  { name: 'release-notes', description: 'Write down what is new since the last version' },
  { name: 'explain', description: 'Say what a part of the code does', input: { hint: 'file or function' } },
  { name: 'compact', description: 'Make what was said so far shorter' },
  { name: 'team:deploy-review', description: 'Look at what would be deployed' },
]

/** `commands` announces a few commands, `commands N` announces N. The agent only echoes each of them. */
async function announceCommands(turn: Turn): Promise<StopReason> {
  const asked = Number.parseInt(turn.asked.rest, 10)
  const availableCommands = Array.from(
    { length: Number.isNaN(asked) ? COMMANDS.length : asked },
    (_, at) => COMMANDS[at] ?? { name: `command-${at + 1}`, description: `Number ${at + 1}` },
  )
  await turn.publish({ sessionUpdate: 'available_commands_update', availableCommands })
  await turn.say(`commands=${availableCommands.length}`)
  return 'end_turn'
}

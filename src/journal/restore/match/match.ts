// Compares the history that an agent loaded with the journal. Agents report a successful load even where most
// of it is gone.
import { readBlock, readList, readString } from '../../conversation/blocks.ts'
import { CUT_MARK, clipEnd, squeeze } from '../../conversation/clip.ts'
import { asFields } from '../../envelope.ts'
import type { JournalStore } from '../../store/store.ts'
import { ENTRY_START, REPLAY_MARK, stripReplay } from '../replay/mark.ts'
import { ComparableText } from './comparable-text.ts'
import { readJournalSide } from './journal-side.ts'

/** The newest prompts in the agent's history. The journal compares fewer. */
const MAX_USERS = 400
/** Only the end of the conversation is searched in these. */
const MAX_ANSWERS = 8
const MAX_PREVIEWS = 10
const PREVIEW_CHARS = 80

export interface LoadMatch {
  /** Answered prompts of the journal, at most the last 200. */
  userMessages: number
  /** How many of them the agent still has, in its history or in a replay. */
  matched: number
  /** Messages of both roles in the agent's history. */
  replayedMessages: number
  /** The agent's history contains a replay. */
  hasReplay: boolean
  /** The beginnings of prompts that the agent no longer has, newest first. */
  missing: string[]
  /** The cut-off last answer is not in the agent's history. */
  lostAnswer: boolean
  verdict: 'all' | 'some' | 'none' | 'nothing-to-match'
}

interface Replayed {
  role: 'user' | 'agent'
  messageId: string | undefined
  text: ComparableText
}

export class LoadMatcher {
  readonly #users: ComparableText[] = []
  readonly #answers: ComparableText[] = []
  readonly #inReplay: string[][] = []
  #open: Replayed | undefined
  #count = 0
  #hasReplay = false

  /** The parameters of one session/update. */
  add(params: unknown): void {
    const update = asFields(asFields(params)['update'])
    const { sessionUpdate } = update
    if (sessionUpdate === 'user_message_chunk') this.#grow('user', update)
    else if (sessionUpdate === 'agent_message_chunk') this.#grow('agent', update)
    else if (sessionUpdate === 'tool_call') this.#close()
  }

  async compare(store: JournalStore, sessionId: string): Promise<LoadMatch> {
    this.#close()
    const { prompts, cutAnswer } = await readJournalSide(store, sessionId)
    const missing = this.#findMissing(prompts)
    const matched = prompts.length - missing.length
    return {
      userMessages: prompts.length,
      matched,
      replayedMessages: this.#count,
      hasReplay: this.#hasReplay,
      missing: missing.slice(0, MAX_PREVIEWS).map(text => clipEnd(squeeze(text), PREVIEW_CHARS)),
      lostAnswer: cutAnswer !== undefined && !this.#hasAnswer(cutAnswer),
      verdict: judge(prompts.length, matched),
    }
  }

  #grow(role: Replayed['role'], update: Record<string, unknown>): void {
    const body = readBlock(update['content'])
    const messageId = readString(update['messageId'])
    const isOther = this.#open?.messageId !== undefined && messageId !== undefined && this.#open.messageId !== messageId
    if (this.#open?.role !== role || isOther) this.#close()
    this.#open ??= { role, messageId, text: new ComparableText() }
    this.#open.messageId ??= messageId
    if (body.type === 'text') this.#open.text.add(role === 'user' ? this.#withoutReplay(body.text) : body.text)
  }

  #withoutReplay(text: string): string {
    if (!text.includes(REPLAY_MARK)) return text
    this.#hasReplay = true
    this.#inReplay.push(...readReplayedPrompts(text))
    this.#inReplay.splice(0, this.#inReplay.length - MAX_USERS)
    return stripReplay(text)
  }

  #close(): void {
    const open = this.#open
    this.#open = undefined
    if (open === undefined || open.text.isEmpty) return
    this.#count++
    const [list, max] = open.role === 'user' ? [this.#users, MAX_USERS] : [this.#answers, MAX_ANSWERS]
    list.push(open.text)
    if (list.length > max) list.shift()
  }

  /**
   * Each message of the agent matches one prompt only: a prompt that was sent three times has to be there
   * three times.
   */
  #findMissing(prompts: readonly string[]): string[] {
    const left = new Set(this.#users.toReversed())
    const take = (isSame: (user: ComparableText) => boolean) => {
      const found = [...left].find(isSame)
      return found !== undefined && left.delete(found)
    }
    const wanted = prompts.map(text => ({ text, comparable: ComparableText.of(text) }))
    const unequal = wanted.filter(({ comparable }) => !take(user => user.equals(comparable)))
    const missing = unequal.filter(({ comparable }) => !take(user => user.holds(comparable)))
    return missing.filter(({ comparable }) => !this.#isInReplay(comparable)).map(({ text }) => text)
  }

  #isInReplay(prompt: ComparableText): boolean {
    return this.#inReplay.some(([head = '', ...rest]) => {
      const beginning = ComparableText.of(head)
      return rest.length === 0 ? beginning.equals(prompt) : prompt.holds(beginning)
    })
  }

  #hasAnswer(text: string): boolean {
    const wanted = ComparableText.of(text)
    return this.#answers.some(answer => answer.holds(wanted))
  }
}

/** A sentence for the person. Undefined where nothing is lost. */
export function describeLoss({ userMessages, matched, missing, lostAnswer, verdict }: LoadMatch): string | undefined {
  const said: string[] = []
  if (verdict === 'some' || verdict === 'none') {
    const [first = ''] = missing
    said.push(`The agent no longer has ${userMessages - matched} of ${userMessages} messages, among them "${first}".`)
  }
  if (lostAnswer) said.push('The agent does not have the answer that was cut off.')
  return said.length === 0 ? undefined : said.join(' ')
}

function judge(wanted: number, matched: number): LoadMatch['verdict'] {
  if (wanted === 0) return 'nothing-to-match'
  if (matched === wanted) return 'all'
  return matched === 0 ? 'none' : 'some'
}

/** The prompts in the text of a replay. A shortened prompt is returned in pieces. */
function readReplayedPrompts(text: string): string[][] {
  return text.split('\n').flatMap(line => {
    const prompt = line.startsWith(ENTRY_START) ? readPrompt(line) : undefined
    return prompt === undefined ? [] : [prompt.split(CUT_MARK)]
  })
}

function readPrompt(line: string): string | undefined {
  let entry: unknown
  try {
    entry = JSON.parse(line)
  } catch (error) {
    // The agent shortened the line.
    if (error instanceof SyntaxError) return undefined
    throw error
  }
  const { method, params } = asFields(asFields(entry)['payload'])
  if (method !== 'session/prompt') return undefined
  return readList(asFields(params)['prompt'])
    .map(block => readString(asFields(block)['text']) ?? '')
    .join('\n')
}

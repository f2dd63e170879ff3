// What every command that repairs folders of files needs: the sanitizers, the decider, and how it is stopped.
import { resolve } from 'node:path'
import type { Decider, SanitizeContext, SanitizeReport, Sanitizer } from '../../agents/sanitizer.ts'
import { makeSilentDecider } from '../../agents/silent-decider.ts'
import type { Context } from '../../catalog/context.ts'
import { statPath } from '../../disk/files/read.ts'
import { hasTerminal } from '../../disk/processes/terminal.ts'
import { RethreadError } from '../../model/errors.ts'
import type { Invocation } from '../command.ts'
import { isOn, textOption } from '../command.ts'
import { onInterrupt } from '../interrupt.ts'
import type { EndedDecider } from './decider.ts'
import { makeInteractiveDecider, Stopped } from './decider.ts'
import { addReports } from './print-report.ts'

export interface NamedSanitizer {
  agent: string
  sanitizer: Sanitizer
}

/** The sanitizers of the agents that keep each conversation in a folder of files. */
export async function sanitizersOf({ agents }: Context): Promise<NamedSanitizer[]> {
  const found: NamedSanitizer[] = []
  for (const { id, sanitize } of agents)
    if (sanitize !== undefined) found.push({ agent: id, sanitizer: await sanitize() })
  return found
}

export function sanitizeContextOf({ environment, state }: Context, folder: string | undefined): SanitizeContext {
  // A missing folder must fail: a folder above it may belong to another workspace.
  if (folder !== undefined) statPath(resolve(folder))
  return { environment, state, folder: resolve(folder ?? environment.folder ?? process.cwd()) }
}

/** Skips sanitizers without a store in this folder. Throws if none has one. */
export async function eachWithStore<T>(
  sanitizers: readonly NamedSanitizer[],
  use: (sanitizer: NamedSanitizer) => Promise<T>,
): Promise<T[]> {
  const results: T[] = []
  const missing: RethreadError[] = []
  for (const sanitizer of sanitizers)
    try {
      results.push(await use(sanitizer))
    } catch (error) {
      if (!(error instanceof RethreadError) || error.code !== 'not-found') throw error
      missing.push(error)
    }
  const [first] = missing
  if (results.length === 0 && first !== undefined) throw first
  return results
}

export interface Asking {
  decide: Decider
  signal: AbortSignal
}

/**
 * Ctrl-C, in a question or between two questions, stops after the current write. There may be no report then.
 */
export async function withDecider(
  invocation: Invocation,
  context: Context,
  beforeAsking: () => void,
  work: (asking: Asking) => Promise<SanitizeReport>,
): Promise<SanitizeReport> {
  const controller = new AbortController()
  const stop = (): void => controller.abort()
  const restoreInterrupt = onInterrupt(() => {
    stop()
    // A second Ctrl-C exits at once. The next run finishes or rolls back an unfinished write.
    restoreInterrupt()
  })
  let report: SanitizeReport | undefined
  let decide: EndedDecider | undefined
  try {
    decide = await deciderFor(invocation, context, stop, beforeAsking)
    report = await work({ decide, signal: controller.signal })
    return { ...report, isInterrupted: controller.signal.aborted }
  } catch (error) {
    if (!(error instanceof Stopped)) throw error
    return { ...addReports([]), isInterrupted: true }
  } finally {
    restoreInterrupt()
    decide?.end(report)
  }
}

async function deciderFor(
  invocation: Invocation,
  context: Context,
  onStop: () => void,
  beforeAsking: () => void,
): Promise<EndedDecider> {
  const notAsked = whyNotAsked(isOn(invocation, 'nonInteractive'), process.env)
  if (notAsked !== undefined)
    return {
      ...makeSilentDecider(),
      end(report) {
        const lines = report === undefined ? [] : describeNotAsked(notAsked, report)
        if (lines.length > 0) beforeAsking()
        for (const line of lines) invocation.output.remark(line)
      },
    }
  const { makeAsk } = await import('./ask.ts')
  const { findEditor } = await import('./editor.ts')
  const own = (await sanitizersOf(context)).flatMap(({ sanitizer }) => sanitizer.editorVariables)
  const editor = findEditor(textOption(invocation, 'editor'), process.cwd(), process.env, own)
  return makeInteractiveDecider({ ask: makeAsk(), editor, state: context.state, onStop, beforeAsking })
}

export interface NotAsked {
  reason: string
  /** The user chose not to be asked. */
  isChosen: boolean
  /** What to do to be asked next time; undefined if it would not help. */
  remedy: string | undefined
}

/** Undefined if questions may be asked; otherwise the reason. */
export function whyNotAsked(
  isForbidden: boolean,
  variables: Record<string, string | undefined>,
  streams: readonly { isTTY?: boolean }[] = [process.stdin, process.stdout, process.stderr],
): NotAsked | undefined {
  if (isForbidden) return { reason: '--non-interactive was given', isChosen: true, remedy: undefined }
  // If none of the streams is a terminal, the user does not see a question, even in a terminal session.
  const isWatched = streams.some(({ isTTY }) => isTTY === true) && hasTerminal()
  const because = (reason: string, remedy: string): NotAsked => ({
    reason,
    isChosen: false,
    remedy: isWatched ? remedy : undefined,
  })
  const ci = variables['CI'] ?? ''
  if (ci !== '' && ci !== 'false' && ci !== '0') return because('CI is set', 'unset it')
  if (variables['TERM'] === 'dumb') return because('TERM is dumb', 'set it to what your terminal is')
  return isWatched ? undefined : { reason: 'there is no terminal', isChosen: false, remedy: 'run it in one' }
}

/** Explains only a loss that the user could have prevented, unless --non-interactive was given. */
export function describeNotAsked({ reason, isChosen, remedy }: NotAsked, report: SanitizeReport): string[] {
  if (isChosen || report.trashed.length + report.degraded.length === 0) return []
  const advice = remedy === undefined ? '' : ` To be asked next time, ${remedy}.`
  return [`No questions were asked: ${reason}.${advice}`]
}

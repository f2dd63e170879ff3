// What every command that repairs folders of files needs: who can do it, who decides, and how it is stopped.
import { resolve } from 'node:path'
import type { Decider, SanitizeContext, SanitizeReport, Sanitizer } from '../../agents/sanitizer.ts'
import { makeSilentDecider } from '../../agents/silent-decider.ts'
import type { Context } from '../../catalog/context.ts'
import { statPath } from '../../disk/files/read.ts'
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

/** Those of the agents that keep each conversation in a folder of files. */
export async function sanitizersOf({ agents }: Context): Promise<NamedSanitizer[]> {
  const found: NamedSanitizer[] = []
  for (const { id, sanitize } of agents)
    if (sanitize !== undefined) found.push({ agent: id, sanitizer: await sanitize() })
  return found
}

export function placeOf({ environment, state }: Context, folder: string | undefined): SanitizeContext {
  // Above a folder that is not there may be a workspace that is not meant.
  if (folder !== undefined) statPath(resolve(folder))
  return { environment, state, folder: resolve(folder ?? environment.folder ?? process.cwd()) }
}

/** Where only some of them have a store in this folder, the others are left out. */
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

/** Ctrl-C, in a question or between two of them, ends the work behind what is being written: then there may be no report of it. */
export async function withDecider(
  invocation: Invocation,
  context: Context,
  beforeAsking: () => void,
  work: (asking: Asking) => Promise<SanitizeReport>,
): Promise<SanitizeReport> {
  const controller = new AbortController()
  const stop = (): void => controller.abort()
  const giveBack = onInterrupt(() => {
    stop()
    // Whoever presses it again does not want to wait; what was being written is settled by the next run.
    giveBack()
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
    giveBack()
    decide?.end(report)
  }
}

async function deciderFor(
  invocation: Invocation,
  context: Context,
  onStop: () => void,
  beforeAsking: () => void,
): Promise<EndedDecider> {
  const { describeNotAsked, whyNotAsked } = await import('./may-ask.ts')
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

// The definition of a command. `main` knows nothing else about commands.
import type { Context } from '../catalog/context.ts'
import type { ExitStatus } from './exit-status.ts'
import type { Output } from './print/output.ts'

export interface CommandDefinition {
  name: string
  /** Positional arguments: `<session>` is required, `[dir]` is not, and the last may be a list, `[words...]`. */
  arguments?: string
  summary: string
  /** Shown below the options, with examples. */
  help?: string
  options: OptionDefinition[]
  /** Words with a minus before them are arguments, and not options. */
  takesMinusWords?: boolean
  /** Not shown in the help. */
  isHidden?: boolean
  /** Imports heavy modules here, so that `--help` stays fast. */
  run(invocation: Invocation): Promise<ExitStatus | ProgramStatus>
}

/** The exit status of an agent that rethread started: any number. */
export type ProgramStatus = number

export interface OptionDefinition {
  flags: string
  description: string
  /** May be given several times; the value is a list. */
  isRepeated?: boolean
}

export interface Invocation {
  args: string[]
  options: Record<string, unknown>
  /** `--json` was given: stdout gets one JSON document and nothing else. */
  isJson: boolean
  /** From RETHREAD_TOKEN, which has been removed from the environment. */
  token: string | undefined
  output: Output
  /** Created on first use, because it loads the agents. */
  context(): Promise<Context>
}

/** The value of an option; undefined if it was not given. */
export function textOption(invocation: Invocation, name: string): string | undefined {
  const value = invocation.options[name]
  return typeof value === 'string' ? value : undefined
}

/** Every value of an option that may be repeated. */
export function textOptions(invocation: Invocation, name: string): string[] {
  const value = invocation.options[name]
  return Array.isArray(value) ? value.map(String) : []
}

export function isOn(invocation: Invocation, name: string): boolean {
  return invocation.options[name] === true
}

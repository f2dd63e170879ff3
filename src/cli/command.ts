// What a command is. `main` knows nothing else of them.
import type { Context } from '../catalog/context.ts'
import type { ExitStatus } from './exit-status.ts'
import type { Output } from './output.ts'

export interface CommandDefinition {
  name: string
  /** Positional arguments as commander writes them: `<session>`. */
  arguments?: string
  summary: string
  /** Below the options: examples for somebody in trouble. */
  help?: string
  options: OptionDefinition[]
  /** Not shown in the help. */
  isHidden?: boolean
  /** Everything heavy is imported in here, so that `--help` stays fast. */
  run(invocation: Invocation): Promise<ExitStatus | AgentStatus>
}

/** The status of an agent that was started: any number. */
export type AgentStatus = number

export interface OptionDefinition {
  flags: string
  description: string
}

export interface Invocation {
  args: string[]
  options: Record<string, unknown>
  /** `--json` was given: one JSON document on stdout and nothing else there. */
  isJson: boolean
  /** From RETHREAD_TOKEN, which is no longer in the environment. */
  token: string | undefined
  output: Output
  /** Made on first use: it loads the agents. */
  context(): Promise<Context>
}

/** An option that takes a value; undefined where it was not given. */
export function textOption(invocation: Invocation, name: string): string | undefined {
  const value = invocation.options[name]
  return typeof value === 'string' ? value : undefined
}

export function isOn(invocation: Invocation, name: string): boolean {
  return invocation.options[name] === true
}

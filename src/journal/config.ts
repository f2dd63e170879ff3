// The configuration file: the journal, its durability, the length of replays, the folders open to clients,
// and the ACP agents.
import { z } from 'zod'
import { brokenConfig, lineOfKey, parseConfigText } from './config-text.ts'

const KEBAB_CASE = /^[a-z0-9]+(-[a-z0-9]+)*$/

const agentSchema = z.strictObject({
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  env: z.record(z.string(), z.string()).default({}),
  title: z.string().min(1).optional(),
  /** The id of the agent whose store it writes. */
  store: z.string().min(1).optional(),
})

const configSchema = z.strictObject({
  journal: z.string().min(1).optional(),
  synchronous: z.enum(['normal', 'full']).default('normal'),
  replay_max_events: z.int().positive().default(50),
  replay_max_chars: z.int().positive().default(12_000),
  /** Folders that clients of the OpenCode-compatible API may use, in addition to those of conversations. */
  allowed_folders: z.array(z.string().min(1)).default([]),
  agents: z.record(z.string(), agentSchema).default({}),
  /** Where copies of all sessions are kept, and how much space they may take. */
  archive: z
    .strictObject({ folder: z.string().min(1).optional(), maxBytes: z.int().positive().optional() })
    .default({}),
  /** The agent of conversations whose client names none. */
  default_agent: z.string().min(1).optional(),
})

export type Config = z.infer<typeof configSchema>
export type AgentConfig = z.infer<typeof agentSchema>

export function defaultConfig(): Config {
  return configSchema.parse({})
}

/** Throws for the first problem, with the file, the line and the key. */
export function parseConfig(text: string, path: string): Config {
  const parsed = configSchema.safeParse(parseConfigText(text, path))
  if (!parsed.success) throw refuse(text, path, parsed.error.issues[0])
  const name = Object.keys(parsed.data.agents).find(candidate => !KEBAB_CASE.test(candidate))
  if (name === undefined) return parsed.data
  const keys = ['agents', name]
  throw brokenConfig(
    path,
    lineOfKey(text, keys),
    `${wordFor(keys)}: a name consists of lowercase letters, digits and hyphens.`,
  )
}

function refuse(text: string, path: string, issue: z.core.$ZodIssue | undefined) {
  const strange = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : []
  const keys = [...(issue?.path ?? []), ...strange]
  const what = strange.length > 0 ? 'unknown key.' : `${issue?.message ?? 'it is not valid'}.`
  return brokenConfig(path, lineOfKey(text, keys), `${wordFor(keys)}: ${what}`)
}

function wordFor(keys: readonly PropertyKey[]): string {
  return keys.length === 0 ? 'as a whole' : keys.map(String).join('.')
}

// Holds what an agent sends against the JSON schema of the protocol.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { z } from 'zod'

type Definitions = Record<string, { 'x-method'?: string; 'x-side'?: string }>

/** Zod cannot express them. They tell extensions from what the schema knows, and the mock agent extends nothing. */
const LEFT_OUT = new Set(['not', 'unevaluatedProperties'])

const stable = readDefinitions('schema')
const unstable = readDefinitions('schema.unstable')
const made = new Map<string, z.ZodType>()

const message = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.object({ code: z.int(), message: z.string() }).optional(),
})

/** What is wrong with a line of the agent; undefined for a good one. `asked` has the methods of the client's requests by their ids. */
export function findSchemaFault(line: string, asked: ReadonlyMap<unknown, string>): string | undefined {
  const { id, method, params, result, error } = message.parse(JSON.parse(line))
  if (error !== undefined) return undefined
  const [name, value] =
    method === undefined ? [nameOf(asked.get(id), 'agent', 'Response'), result] : [nameOfCall(method, id), params]
  if (name === undefined) return `no such message: ${line.slice(0, 200)}`
  const parsed = schemaOf(name).safeParse(value)
  return parsed.success ? undefined : `${name}: ${parsed.error.message}: ${line.slice(0, 500)}`
}

function nameOfCall(method: string, id: unknown): string | undefined {
  return nameOf(method, 'client', id === undefined ? 'Notification' : 'Request')
}

function nameOf(method: string | undefined, side: string, ending: string): string | undefined {
  const found = Object.entries({ ...unstable, ...stable }).find(
    ([name, definition]) => definition['x-method'] === method && definition['x-side'] === side && name.endsWith(ending),
  )
  return found?.[0]
}

function schemaOf(name: string): z.ZodType {
  const known = made.get(name)
  if (known !== undefined) return known
  const $defs = name in stable ? stable : unstable
  const schema = z.fromJSONSchema({ $ref: `#/$defs/${name}`, $defs } as Parameters<typeof z.fromJSONSchema>[0])
  made.set(name, schema)
  return schema
}

function readDefinitions(name: string): Definitions {
  const file = createRequire(import.meta.url).resolve(`@agentclientprotocol/sdk/schema/v1/${name}.json`)
  const { $defs } = JSON.parse(readFileSync(file, 'utf8'), (key, value) => (LEFT_OUT.has(key) ? undefined : value))
  return $defs
}

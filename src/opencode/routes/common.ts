// Shared by all routes: request bodies, the folder of a call, long calls, and refusals.
import { isAbsolute, normalize } from 'node:path'
import type { Context } from 'hono'
import type { z } from 'zod'
import { wellFormedJson } from '../../bytes/well-formed.ts'
import { requireFolder } from '../../disk/files/named-folder.ts'
import type { Api, OpenCodeApp } from '../api.ts'
import { badRequest, unsupported } from '../errors.ts'
import type { Bus, Subscription } from '../events/bus.ts'

export type ApiContext = Context<{ Variables: { api: Api } }>

/** An empty body counts as `{}`. Throws for a body that does not fit the schema. */
export async function readBody<Schema extends z.ZodType>(
  context: ApiContext,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const text = await context.req.text()
  return schema.parse(text.trim() === '' ? {} : parseJson(text))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(wellFormedJson(text))
  } catch (error) {
    if (error instanceof SyntaxError) throw badRequest(`The body is not valid JSON: ${error.message}`)
    throw error
  }
}

/** Longer than any system allows. */
const MAX_FOLDER_CHARS = 4096
const MAX_SHOWN_CHARS = 200

/** The folder that the client names, in the query or in a header. */
export function namedDirectory(context: ApiContext): string | undefined {
  const header = context.req.header('x-opencode-directory')
  const named = context.req.query('directory') ?? (header === undefined ? undefined : decodeHeader(header))
  if (named === undefined || named === '') return undefined
  if (!isAbsolute(named) || named.includes('\0') || named.length > MAX_FOLDER_CHARS)
    throw badRequest(
      `A folder needs an absolute path: ${named.slice(0, MAX_SHOWN_CHARS).replaceAll('\0', '\\0')} is not one.`,
    )
  return normalize(named).replace(/(?<=.)[/\\]+$/, '')
}

/** Headers are ASCII, so clients encode the path. Older clients do not. */
function decodeHeader(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch (error) {
    if (error instanceof URIError) return value
    throw error
  }
}

export function directoryOf(context: ApiContext): string {
  return namedDirectory(context) ?? context.var.api.folders.directory
}

/** The folder of the call, if it is open to clients. Throws otherwise. */
export async function allowedDirectory(context: ApiContext): Promise<string> {
  const directory = directoryOf(context)
  await requireAllowed(context.var.api, directory)
  return directory
}

export async function requireAllowed({ options, conversations }: Api, folder: string): Promise<void> {
  await options.allowed.require(folder, conversations.store)
}

export async function isOpenFolder({ options, conversations }: Api, folder: string): Promise<boolean> {
  return await options.allowed.has(folder, conversations.store)
}

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** Adds routes that no agent behind ACP supports. Each answers with the reason. */
export function refuseAll(app: OpenCodeApp, routes: readonly (readonly [Method, string, string])[]): void {
  for (const [method, path, reason] of routes)
    app.on(method.toUpperCase(), path, () => {
      throw unsupported(reason)
    })
}

/**
 * The folder for a call about files: that of the named session, or the named folder, or the server's. Throws
 * where it is not allowed or does not exist.
 */
export async function folderOfCall(context: ApiContext): Promise<string> {
  const { api } = context.var
  const session = context.req.query('sessionID')
  const folder = session === undefined || session === '' ? directoryOf(context) : (await api.sessions.find(session)).cwd
  await requireAllowed(api, folder)
  requireFolder(folder)
  return folder
}

/** Runs a long call until the client disconnects or the API stops. `signal`: of the request. */
export async function untilClientLeaves<T>(
  bus: Bus,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController()
  const subscription = bus.subscribe()
  void untilClosed(subscription).then(() => ending.abort())
  try {
    return await work(AbortSignal.any([signal, ending.signal]))
  } finally {
    subscription.close()
  }
}

/** Reads and drops events. Only the end of the subscription matters. */
async function untilClosed(subscription: Subscription): Promise<void> {
  while (subscription.closed === undefined) {
    subscription.take(Number.POSITIVE_INFINITY)
    await subscription.wait()
  }
}

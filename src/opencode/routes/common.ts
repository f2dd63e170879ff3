// What all routes share: bodies, the folder a call is about, and answers that nobody can give.
import { isAbsolute, normalize } from 'node:path'
import type { Context } from 'hono'
import type { z } from 'zod'
import { wellFormedJson } from '../../bytes/well-formed.ts'
import { requireFolder } from '../../disk/files/named-folder.ts'
import type { Api, OpenCodeApp } from '../api.ts'
import { badRequest, unsupported } from '../errors.ts'
import type { Bus, Subscription } from '../events/bus.ts'

export type ApiContext = Context<{ Variables: { api: Api } }>

/** Clients send no body where they have nothing to say. Throws for one that does not fit. */
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

/** Longer than any system takes. */
const MAX_FOLDER_CHARS = 4096
const MAX_SHOWN_CHARS = 200

/** As the client named it: with the address, or in a header. */
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

/** Headers hold no letters beyond ASCII; older clients send the path as it is. */
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

/** The same where it is open to clients. Throws where it is not. */
export async function allowedDirectory(context: ApiContext): Promise<string> {
  const directory = directoryOf(context)
  await requireAllowed(context.var.api, directory)
  return directory
}

export async function requireAllowed({ options, conversations }: Api, folder: string): Promise<void> {
  await options.allowed.require(folder, conversations.store)
}

export async function isAllowed({ options, conversations }: Api, folder: string): Promise<boolean> {
  return await options.allowed.has(folder, conversations.store)
}

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** What no agent behind ACP can do, said as such. */
export function refuseAll(app: OpenCodeApp, routes: readonly (readonly [Method, string, string])[]): void {
  for (const [method, path, reason] of routes)
    app.on(method.toUpperCase(), path, () => {
      throw unsupported(reason)
    })
}

// The folder that a call about files is confined to.

/** That of the session where one is named, else the one that is named, else the server's. Throws where it is not allowed or not there. */
export async function folderOfCall(context: ApiContext): Promise<string> {
  const { api } = context.var
  const session = context.req.query('sessionID')
  const folder = session === undefined || session === '' ? directoryOf(context) : (await api.sessions.find(session)).cwd
  await requireAllowed(api, folder)
  requireFolder(folder)
  return folder
}

// For calls that take long: they end when whoever asked has gone, and when the API ends.

/** `signal`: of the request. What `work` is given is aborted with either. */
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

/** What is told meanwhile is let pass: the bus says to its listeners alone that it is over. */
async function untilClosed(subscription: Subscription): Promise<void> {
  while (subscription.closed === undefined) {
    subscription.take(Number.POSITIVE_INFINITY)
    await subscription.wait()
  }
}

// Converts a permission request for clients, and their reply for the agent.
import type { Answer } from '../../journal/client/index.ts'
import type { AgentQuestion } from '../../journal/conversation/changes.ts'
import { asFields } from '../../journal/envelope.ts'
import { badRequest } from '../errors.ts'
import type { PermissionReply, PermissionRequest } from '../shapes/request.ts'
import { makePatch } from './patch.ts'
import { clientInput, type NamedTool, permissionName } from './tool-names.ts'

interface Option {
  optionId: string
  name: string
  kind: string
}

/**
 * The first kind that the agent offers is used. A refusal without a matching option cancels the request.
 * "Once" never becomes "always".
 */
const KINDS: Record<PermissionReply, readonly string[]> = {
  once: ['allow_once'],
  always: ['allow_always', 'allow_once'],
  reject: ['reject_once', 'reject_always'],
}
const ANYTHING = '*'

export interface RequestContext {
  id: string
  sessionID: string
  /** The tool that the request is about, if known. */
  tool: KnownTool | undefined
}

/** Without the details where the tool has ended. */
export interface KnownTool extends Partial<Omit<NamedTool, 'kind'>> {
  messageID: string
  callID: string
  kind: string
}

export function makePermission(asked: AgentQuestion, { id, sessionID, tool }: RequestContext): PermissionRequest {
  const { toolCall } = asFields(asked.params)
  const { kind: ownKind, title, name, rawInput, locations } = asFields(toolCall)
  const kind = typeof ownKind === 'string' ? ownKind : (tool?.kind ?? 'other')
  const options = readOptions(asked)
  const { diffs = [], files = [] } = tool ?? {}
  const names = { kind, name: tool?.name ?? kind, title: typeof title === 'string' ? title : (tool?.title ?? '') }
  const input = clientInput({ ...names, input: rawInput ?? tool?.input, files, diffs })
  const patterns = patternsOf(input, locations)
  const { command, filePath } = input
  const asks = patterns.map(pattern => (pattern === ANYTHING ? sameAgain(title) : pattern))
  return {
    id,
    sessionID,
    permission: permissionName(kind, typeof name === 'string' ? name : tool?.name),
    patterns,
    metadata: {
      kind,
      ...(typeof title === 'string' ? { title } : {}),
      ...(Object.keys(input).length === 0 ? {} : { input }),
      ...(typeof command === 'string' ? { command } : {}),
      ...(typeof filePath === 'string' ? { filepath: filePath } : {}),
      ...(diffs.length === 0 ? {} : { diff: diffs.map(diff => makePatch(diff).patch).join('') }),
      options,
    },
    always: alwaysOf(options, asks),
    ...(tool === undefined ? {} : { tool: { messageID: tool.messageID, callID: tool.callID } }),
  }
}

/**
 * Selects the best option that the agent offers. Throws `usage` where it offers none that grants so little.
 */
export function answerPermission(asked: AgentQuestion, reply: PermissionReply): Answer {
  const options = readOptions(asked)
  for (const kind of KINDS[reply]) {
    const option = options.find(one => one.kind === kind)
    if (option !== undefined) return { type: 'selected', optionId: option.optionId }
  }
  if (reply === 'once' && options.some(({ kind }) => kind === 'allow_always'))
    throw badRequest('The agent does not offer to allow this once.', 'Allow it always, or reject it.')
  return { type: 'cancelled' }
}

/**
 * What a permission is about. Two requests with the same subject ask for the same: the
 * same command with the same options, or the same kind of access to the same files.
 * Where neither is known, all of the request counts.
 */
export function subjectOf({ permission, patterns, metadata }: PermissionRequest): string {
  const { kind, title, input, command } = metadata
  const { description: _, ...exact } = asFields(input)
  const isKnown = typeof command !== 'string' && !patterns.includes(ANYTHING)
  const more = isKnown ? [] : [exact, ...(typeof command === 'string' ? [] : [title])]
  return JSON.stringify([permission, kind, patterns.toSorted(), ...more])
}

/** Clients show what an "always" grants: what the agent's own option says, otherwise the same once more. */
function alwaysOf(options: readonly Option[], asks: readonly string[]): string[] {
  const option = options.find(({ kind }) => kind === 'allow_always')
  return option === undefined ? [...asks] : [`${option.name} (asked for: ${asks.join(', ')})`]
}

function sameAgain(title: unknown): string {
  return typeof title === 'string' && title !== '' ? title : 'the same request'
}

/** The reply in an answer. A request without an answer counts as rejected. */
export function replyIn(asked: AgentQuestion, answer: unknown): PermissionReply {
  const { outcome, optionId } = asFields(asFields(answer)['outcome'])
  if (outcome !== 'selected') return 'reject'
  const kind = readOptions(asked).find(option => option.optionId === optionId)?.kind
  if (kind === 'allow_always') return 'always'
  return kind === 'allow_once' ? 'once' : 'reject'
}

export function readOptions({ params }: AgentQuestion): Option[] {
  const { options } = asFields(params)
  return (Array.isArray(options) ? options : []).flatMap(option => {
    const { optionId, name, kind } = asFields(option)
    if (typeof optionId !== 'string' || typeof kind !== 'string') return []
    return [{ optionId, name: typeof name === 'string' ? name : optionId, kind }]
  })
}

function patternsOf({ command, filePath }: Record<string, unknown>, locations: unknown): string[] {
  const paths = (Array.isArray(locations) ? locations : []).map(location => asFields(location)['path'])
  const texts = paths.filter(path => typeof path === 'string')
  if (typeof command !== 'string' && texts.length > 0) return [...new Set(texts)]
  const named = [command, filePath].find(value => typeof value === 'string' && value !== '')
  return [typeof named === 'string' ? named : ANYTHING]
}

// Converts a permission request for clients, and their reply for the agent.
import type { Answer } from '../../journal/client/index.ts'
import type { AgentQuestion } from '../../journal/conversation/changes.ts'
import { fields } from '../../journal/envelope.ts'
import type { PermissionReply, PermissionRequest } from '../shapes/request.ts'
import { makePatch } from './patch.ts'
import { clientInput, type NamedTool, permissionName } from './tool-names.ts'

interface Option {
  optionId: string
  name: string
  kind: string
}

/** The first kind that the agent offers is used. A refusal without a matching option cancels the request. */
const KINDS: Record<PermissionReply, readonly string[]> = {
  once: ['allow_once', 'allow_always'],
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
  const { toolCall } = fields(asked.params)
  const { kind: ownKind, title, name, rawInput, locations } = fields(toolCall)
  const kind = typeof ownKind === 'string' ? ownKind : (tool?.kind ?? 'other')
  const options = readOptions(asked)
  const { diffs = [], files = [] } = tool ?? {}
  const input = clientInput({ kind, input: rawInput ?? tool?.input, files, diffs })
  const patterns = patternsOf(input, locations)
  const { command, filePath } = input
  const canAlways = options.some(option => option.kind === 'allow_always')
  return {
    id,
    sessionID,
    permission: permissionName(kind, typeof name === 'string' ? name : tool?.name),
    patterns,
    metadata: {
      ...(typeof title === 'string' ? { title } : {}),
      ...(Object.keys(input).length === 0 ? {} : { input }),
      ...(typeof command === 'string' ? { command } : {}),
      ...(typeof filePath === 'string' ? { filepath: filePath } : {}),
      ...(diffs.length === 0 ? {} : { diff: diffs.map(diff => makePatch(diff).patch).join('') }),
      options,
    },
    always: canAlways ? patterns : [],
    ...(tool === undefined ? {} : { tool: { messageID: tool.messageID, callID: tool.callID } }),
  }
}

/** Selects the best option that the agent offers. */
export function answerPermission(asked: AgentQuestion, reply: PermissionReply): Answer {
  const options = readOptions(asked)
  for (const kind of KINDS[reply]) {
    const option = options.find(one => one.kind === kind)
    if (option !== undefined) return { type: 'selected', optionId: option.optionId }
  }
  return { type: 'cancelled' }
}

/** The reply in an answer. A request without an answer counts as rejected. */
export function replyIn(asked: AgentQuestion, answer: unknown): PermissionReply {
  const { outcome, optionId } = fields(fields(answer)['outcome'])
  if (outcome !== 'selected') return 'reject'
  const kind = readOptions(asked).find(option => option.optionId === optionId)?.kind
  if (kind === 'allow_always') return 'always'
  return kind === 'allow_once' ? 'once' : 'reject'
}

export function readOptions({ params }: AgentQuestion): Option[] {
  const { options } = fields(params)
  return (Array.isArray(options) ? options : []).flatMap(option => {
    const { optionId, name, kind } = fields(option)
    if (typeof optionId !== 'string' || typeof kind !== 'string') return []
    return [{ optionId, name: typeof name === 'string' ? name : optionId, kind }]
  })
}

function patternsOf({ command, filePath }: Record<string, unknown>, locations: unknown): string[] {
  const paths = (Array.isArray(locations) ? locations : []).map(location => fields(location)['path'])
  const texts = paths.filter(path => typeof path === 'string')
  if (typeof command !== 'string' && texts.length > 0) return [...new Set(texts)]
  const named = [command, filePath].find(value => typeof value === 'string' && value !== '')
  return [typeof named === 'string' ? named : ANYTHING]
}

// The requests of the page to the server. A failure is an ApiFailure with a text and a hint, never an empty
// answer.
import type {
  ApiAgent,
  ApiArchiveStatus,
  ApiBytes,
  ApiDifference,
  ApiError,
  ApiMessage,
  ApiPlan,
  ApiReceipt,
  ApiRestored,
  ApiVersions,
  BegunTalk,
  DoctorAnswer,
  FindParameters,
  FixResults,
  FlagsAnswer,
  ForkPlace,
  FoundMessages,
  LabelRequest,
  MessagesPage,
  MessagesQuery,
  NameAnswer,
  NewTalk,
  Overview,
  PlannedMove,
  RepairAnswer,
  RestoreBody,
  SanitizeDecisions,
  Sanitized,
  SanitizeQuestions,
  SearchPage,
  SearchParameters,
  ServerInfo,
  SessionDetail,
  SessionHealth,
  SessionsPage,
  SessionsQuery,
  TalkAnswer,
  TalkChoices,
  TalkState,
  UndoAnswer,
  Validated,
} from '../../../src/server/protocol.ts'
import { untilListed } from './unlisted.ts'

export class ApiFailure extends Error {
  readonly code: string
  readonly hint: string

  constructor({ code, text, hint }: ApiError) {
    super(text)
    this.name = 'ApiFailure'
    this.code = code
    this.hint = hint
  }
}

/** Which messages of a session: those of a branch, or those at a restore point. */
export interface SessionState {
  branch?: string | undefined
  version?: number | undefined
}

type Query = Record<string, string | number | undefined>

export const api = {
  info: (signal?: AbortSignal) => get<ServerInfo>('/api/health', {}, signal),
  agents: (signal?: AbortSignal) => get<{ agents: ApiAgent[] }>('/api/agents', {}, signal),
  overview: (signal?: AbortSignal) => get<Overview>('/api/overview', {}, signal),
  sessions: (query: SessionsQuery, signal?: AbortSignal) => get<SessionsPage>('/api/sessions', query, signal),
  session: (key: string, signal?: AbortSignal) => getOf<SessionDetail>(key, '', {}, signal),
  messages: (key: string, query: MessagesQuery, signal?: AbortSignal) =>
    getOf<MessagesPage>(key, '/messages', query, signal),
  message: (key: string, index: number, state: SessionState, signal?: AbortSignal) =>
    getOf<ApiMessage>(key, `/messages/${index}`, { ...state }, signal),
  image: async (key: string, index: number, part: number, state: SessionState, signal?: AbortSignal) => {
    await untilListed(key, signal)
    const path = withQuery(`/api/sessions/${key}/messages/${index}/images/${part}`, { ...state })
    return await (await request(path, withSignal(signal))).blob()
  },
  search: (query: SearchParameters, signal?: AbortSignal) => get<SearchPage>('/api/search', query, signal),
  find: (key: string, query: FindParameters, signal?: AbortSignal) =>
    getOf<FoundMessages>(key, '/search', query, signal),
  bytes: (key: string, start: number, end: number, signal?: AbortSignal) =>
    getOf<ApiBytes>(key, '/bytes', { start, end }, signal),
  health: (key: string, signal?: AbortSignal) => getOf<SessionHealth>(key, '/health', {}, signal),
  plan: (key: string, signal?: AbortSignal) => getOf<ApiPlan>(key, '/plan', {}, signal),
  repair: (key: string, force = false) => post<RepairAnswer>(`/api/sessions/${key}/repair`, { force }),
  undo: (key: string, receipt?: string) => post<UndoAnswer>(`/api/sessions/${key}/undo`, { receipt }),
  label: (key: string, change: LabelRequest) => post<SessionDetail>(`/api/sessions/${key}/label`, change),
  repairAll: () => post<{ total: number }>('/api/repair-all', {}),
  receipts: (signal?: AbortSignal) => get<{ receipts: ApiReceipt[] }>('/api/receipts', {}, signal),
}

/** Restore points, what changed between them, and restores. */
export const archiveApi = {
  status: (signal?: AbortSignal) => get<ApiArchiveStatus>('/api/archive', {}, signal),
  seen: (until: string) => post<object>('/api/archive/seen', { until }),
  versions: (key: string, limit: number, signal?: AbortSignal) =>
    getOf<ApiVersions>(key, '/versions', { limit }, signal),
  difference: (key: string, from: number, to: number, signal?: AbortSignal) =>
    getOf<ApiDifference>(key, '/difference', { from, to }, signal),
  restore: (key: string, wanted: RestoreBody) => post<ApiRestored>(`/api/sessions/${key}/restore`, wanted),
}

/** Conversations that their agents do not list. */
export const doctorApi = {
  report: (signal?: AbortSignal) => get<DoctorAnswer>('/api/doctor', {}, signal),
  relink: (keys: readonly string[]) => post<FixResults>('/api/doctor/relink', { keys }),
  planMove: (id: string, signal?: AbortSignal) => get<PlannedMove>(`/api/doctor/moves/${id}/plan`, {}, signal),
  move: (id: string) => post<FixResults>(`/api/doctor/moves/${id}`, {}),
  undo: (receipt: string) => post<{ receipt: string }>('/api/doctor/undo', { receipt }),
}

/** Conversations that are folders of files: questions and decisions. */
export const sanitizeApi = {
  questions: (key: string, signal?: AbortSignal) => getOf<SanitizeQuestions>(key, '/sanitize', {}, signal),
  validate: (key: string, content: string, signal?: AbortSignal) =>
    post<Validated>(`/api/sessions/${key}/sanitize/validate`, { content }, signal),
  name: (key: string, name: string, signal?: AbortSignal) =>
    post<NameAnswer>(`/api/sessions/${key}/sanitize/name`, { name }, signal),
  flags: (key: string, line: string, signal?: AbortSignal) =>
    post<FlagsAnswer>(`/api/sessions/${key}/sanitize/flags`, { line }, signal),
  decide: (key: string, decisions: SanitizeDecisions) => post<Sanitized>(`/api/sessions/${key}/sanitize`, decisions),
}

/** Live conversations, by key. The socket delivers the answers to prompts. */
export const talkApi = {
  choices: (signal?: AbortSignal) => get<TalkChoices>('/api/conversations/agents', {}, signal),
  begin: (wanted: NewTalk) => post<BegunTalk>('/api/conversations', wanted),
  state: (key: string, signal?: AbortSignal) => get<TalkState>(`/api/conversations/${key}`, {}, signal),
  prompt: (key: string, text: string) => post<object>(`/api/conversations/${key}/prompt`, { text }),
  cancel: (key: string) => post<object>(`/api/conversations/${key}/cancel`, {}),
  answer: (key: string, question: string, answer: TalkAnswer) =>
    post<object>(`/api/conversations/${key}/answer`, { question, answer }),
  fork: (key: string, place: ForkPlace) => post<BegunTalk>(`/api/conversations/${key}/fork`, place),
  /** Removes it from the list only. */
  remove: (key: string) => ask<object>(`/api/conversations/${key}`, { method: 'DELETE' }),
}

/** Addresses of links and downloads. */
export const addresses = {
  backup: (receipt: string) => `/api/receipts/${encodeURIComponent(receipt)}/backup`,
  record: (key: string, index: number, state: SessionState) =>
    withQuery(`/api/sessions/${key}/messages/${index}/record`, { ...state }),
  export: (key: string, format: string, isRedacted: boolean) =>
    `/api/sessions/${key}/export?format=${format}${isRedacted ? '&redact=yes' : ''}`,
}

async function getOf<Answer>(key: string, path: string, query: Query, signal?: AbortSignal): Promise<Answer> {
  await untilListed(key, signal)
  return await get<Answer>(`/api/sessions/${key}${path}`, query, signal)
}

async function get<Answer>(path: string, query: Query, signal?: AbortSignal): Promise<Answer> {
  return await ask<Answer>(withQuery(path, query), withSignal(signal))
}

function withQuery(path: string, query: Query): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value))
  const text = parameters.toString()
  return text === '' ? path : `${path}?${text}`
}

async function post<Answer>(path: string, body: object, signal?: AbortSignal): Promise<Answer> {
  const headers = { 'content-type': 'application/json' }
  return await ask<Answer>(path, { method: 'POST', headers, body: JSON.stringify(body), ...withSignal(signal) })
}

/** The server has the same version as the page, so its answers are not validated. */
async function ask<Answer>(path: string, init: RequestInit): Promise<Answer> {
  return (await (await request(path, init)).json()) as Answer
}

async function request(path: string, init: RequestInit): Promise<Response> {
  let response: Response
  try {
    response = await fetch(path, { credentials: 'same-origin', ...init })
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new ApiFailure(UNREACHABLE)
  }
  if (!response.ok) throw new ApiFailure(await errorOf(response))
  return response
}

function withSignal(signal: AbortSignal | undefined): RequestInit {
  return signal === undefined ? {} : { signal }
}

const UNREACHABLE: ApiError = {
  code: 'unreachable',
  text: 'rethread does not respond. It may be stopped or restarting.',
  hint: 'Start it in a terminal: rethread serve',
}

async function errorOf(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => undefined)
  if (typeof body === 'object' && body !== null && 'code' in body && 'text' in body && 'hint' in body)
    return { code: String(body.code), text: String(body.text), hint: String(body.hint) }
  return {
    code: `http-${response.status}`,
    text: `The server answered ${response.status}.`,
    hint: 'Reload the page.',
  }
}

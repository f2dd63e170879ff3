// The execution logs of the editor: what the agent did for one prompt. A session names them by their ids.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { exists, listFolder } from '../../../disk/files/read.ts'
import { quote } from '../../../disk/files/system-errors.ts'
import { RethreadError } from '../../../model/errors.ts'
import { Findings, type Severity } from '../../../model/finding.ts'
import type { Part, Place } from '../../../model/message.ts'
import { readDocumentFile } from '../../stores/json-document.ts'
import { knownFields, unfamiliarParts, unknownPart } from '../../stores/unfamiliar.ts'
import type { Json } from '../../stores/values.ts'
import { asObject, asOutput, asString, asText } from '../../stores/values.ts'
import { firstField } from '../blocks.ts'
import { executionIn } from './execution-files.ts'

const HASH_CHARACTERS = 32
const MAX_DEPTH = 4

/** Folders of one project are named by a hash of its path. */
export function workspaceHash(project: string): string {
  return createHash('sha256').update(project).digest('hex').slice(0, HASH_CHARACTERS)
}

/** The same in every project: the hash of a constant text. */
export const EXECUTIONS = '414d1636299d2b9e4ce7e17fb11f63e9'

export function executionsFolder(storage: string, project: string): string {
  return join(storage, workspaceHash(project), EXECUTIONS)
}

/** The list in a log. */
export const ACTIONS = {
  lists: ['actions'],
  isMessage: (value: unknown) => asText(asObject(value)?.['actionType']) !== undefined,
}
const STRUCTURE = { ...ACTIONS, fields: ['executionId', 'status'] }

export class Executions {
  readonly #storage: string
  readonly #projects: readonly string[]
  readonly #findings: Findings
  #paths: Map<string, string> | undefined

  constructor(storage: string, projects: readonly string[], findings: Findings) {
    this.#storage = storage
    this.#projects = [...new Set(projects)]
    this.#findings = findings
  }

  /** What was said and done in an execution. Undefined if there is no log of it. */
  partsOf(execution: string, depth = 0): Part[] | undefined {
    this.#paths ??= this.#listLogs()
    const path = this.#paths.get(execution)
    if (path === undefined) return undefined
    return this.#actionsIn(path).flatMap((action, index) => {
      const own = actionParts(action, `${execution}.${index}`)
      const inner = asText(asObject(asObject(action)?.['output'])?.['executionId'])
      if (inner === undefined || inner === execution || depth === MAX_DEPTH) return own
      return [...own, ...(this.partsOf(inner, depth + 1) ?? [])]
    })
  }

  #listLogs(): Map<string, string> {
    const paths = new Map<string, string>()
    for (const project of this.#projects) {
      const folder = executionsFolder(this.#storage, project)
      if (!exists(folder)) continue
      for (const entry of this.#attempt(folder, () => listFolder(folder)) ?? []) {
        if (entry.isFolder) continue
        const id = this.#attempt(entry.path, () => executionIn(entry.path, this.#storage))
        if (id !== undefined) paths.set(id, entry.path)
      }
    }
    return paths
  }

  /** The last state of each action, in the order in which they started. */
  #actionsIn(path: string): unknown[] {
    const actions = new Map<string, unknown>()
    const damages = new Findings()
    this.#attempt(path, () => {
      const parts = readDocumentFile(path, this.#storage, STRUCTURE, damages)
      for (const part of parts)
        if (part.type === 'element') {
          const id = asText(asObject(part.value)?.['actionId'])
          actions.set(id ?? `@${part.at.start}`, part.value)
        }
    })
    // A log that is cut may still be growing.
    for (const { at, severity, text } of damages.list) this.#note(path, text, severity, at)
    return [...actions.values()]
  }

  /** A damaged log costs what is in it, not the session. */
  #attempt<T>(path: string, work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof RethreadError)) throw error
      this.#note(path, error.message)
      return undefined
    }
  }

  #note(
    path: string,
    problem: string,
    severity: Severity = 'lost',
    at: Place = { file: path, start: 0, end: 0 },
  ): void {
    this.#findings.add({
      damage: 'malformed-execution-log',
      severity,
      at,
      text: `An execution log of this session is damaged: ${problem}`,
      hint: `See how it begins: head -c 200 ${quote(path)}`,
    })
  }
}

/** Steps without anything to show. */
const BOOKKEEPING = new Set(['model', 'intentClassification'])
const EVERY_ACTION = [
  ...['type', 'actionId', 'actionType', 'actionState', 'chatSessionId', 'executionId', 'emittedAt', 'endTime'],
  ...['startTime', 'toolOrigin', 'intentResult', 'rawInput', 'modelId', 'subExecutionId'],
]
const SAY = knownFields(['output'], ...EVERY_ACTION)
const ACTION = knownFields([['input', 'output', 'rawInput']], ...EVERY_ACTION)
const FAILED = /^(?:error|fail|reject|abort|cancel)/i

export function actionParts(raw: unknown, ownId: string): Part[] {
  const action = asObject(raw)
  const type = asText(action?.['actionType'])
  if (action === undefined || type === undefined) return [unknownPart('action', raw)]
  const output = action['output']
  const said = type === 'say' ? asString(asObject(output)?.['message']) : undefined
  if (said !== undefined)
    return [
      ...(said === '' ? [] : [{ type: 'text' as const, text: said }]),
      ...unfamiliarParts(action, SAY, type),
      ...unfamiliarParts(asObject(output), knownFields(['message']), type),
    ]
  const unfamiliar = unfamiliarParts(action, ACTION, type)
  const input = firstField(action, 'input', 'rawInput')
  if (input === undefined && output === undefined && BOOKKEEPING.has(type)) return unfamiliar
  const id = asText(action['actionId']) ?? ownId
  const result: Part[] =
    output === undefined || output === null
      ? []
      : [{ type: 'tool-result', id, output: textOf(output), isError: hasFailed(action, asObject(output)) }]
  return [{ type: 'tool-call', id, name: type, input: input ?? {} }, ...result, ...unfamiliar]
}

/** The text of an output that says nothing else, or all of it. */
function textOf(output: unknown): string {
  const { exitCode: _, success: __, ...said } = asObject(output) ?? {}
  const [only, ...more] = Object.values(said)
  return typeof only === 'string' && more.length === 0 ? only : asOutput(output)
}

function hasFailed(action: Json, output: Json | undefined): boolean {
  const code = output?.['exitCode']
  if (FAILED.test(asText(action['actionState']) ?? '')) return true
  return output?.['success'] === false || (typeof code === 'number' && code !== 0)
}

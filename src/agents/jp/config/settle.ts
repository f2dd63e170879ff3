// A configuration to which nothing more is added, as JP keeps it: without wrappers, with what goes without saying, in order.
import type { Json } from '../../stores/values.ts'
import { asArray, asNumber, asObject } from '../../stores/values.ts'
import { bare } from './wrapped.ts'

export function settledConfig(config: Json): Json {
  return settledObject(config, [])
}

function settledObject(object: Json, path: readonly string[]): Json {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => {
      const here = [...path, name]
      const own = bare(value, here)
      const [inner, items] = [asObject(own), asArray(own)]
      if (items !== undefined) return [name, isOrdered(here) ? items.toSorted(byPosition) : items]
      return [name, inner === undefined ? own : withDefaults(settledObject(inner, here), here)]
    }),
  )
}

/** Who asks for some effort shows what was thought, unless they say otherwise. */
function withDefaults(object: Json, path: readonly string[]): Json {
  const isReasoning = path.slice(-3).join('.') === 'model.parameters.reasoning' && object['effort'] !== undefined
  return isReasoning ? { ...object, exclude: object['exclude'] ?? false } : object
}

/** What the model is told stands by its position. */
function isOrdered(path: readonly string[]): boolean {
  return path.at(-2) === 'assistant' && /^(instructions|system_prompt_sections)$/.test(path.at(-1) ?? '')
}

function byPosition(a: unknown, b: unknown): number {
  return (asNumber(asObject(a)?.['position']) ?? 0) - (asNumber(asObject(b)?.['position']) ?? 0)
}

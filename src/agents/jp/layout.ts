// In which of the shapes that JP has had a conversation is kept.
import type { EventsFacts } from './classify/classify-events.ts'
import { partsOfBaseConfig } from './classify/shape-config.ts'

export type Layout =
  /** metadata.json, base_config.json, events.json: what JP writes. */
  | 'three-files'
  /** The same with init_config.json beside them: a draft that no JP reads. */
  | 'init-file'
  /** base_config.json is `{base, init}`: accepted, and not built yet. */
  | 'base-and-init'
  /** No base_config.json: the first event is a config_delta with all of it. */
  | 'legacy'
  /** Older still: the config stands in the first event itself. JP takes it for an empty one and cannot load it. */
  | 'legacy-inline'
  /** messages.json and no events.json: before November 2025. JP trashes it. */
  | 'messages'
  /** None of them can be told. */
  | 'unknown'

export interface LayoutFacts {
  hasBaseConfig: boolean
  /** What is in it, where it could be read. */
  baseConfig: unknown
  hasInitConfig: boolean
  hasEvents: boolean
  hasOldMessages: boolean
  events: EventsFacts | undefined
}

export function layoutOf(facts: LayoutFacts): Layout {
  if (!facts.hasEvents) return facts.hasOldMessages ? 'messages' : 'unknown'
  if (facts.hasBaseConfig) {
    if (partsOfBaseConfig(facts.baseConfig).isSplit) return 'base-and-init'
    return facts.hasInitConfig ? 'init-file' : 'three-files'
  }
  if (facts.events?.first === 'config-delta') return 'legacy'
  return facts.events?.first === 'inline-config' ? 'legacy-inline' : 'unknown'
}

/** The base config is not in a file of its own, and must not be made one: JP would then take the first event for a change. */
export function keepsBaseInEvents(layout: Layout): boolean {
  return layout === 'legacy' || layout === 'legacy-inline' || layout === 'messages'
}

/** JP of today reads neither, and nothing in them is damaged. */
export function isOutdated(layout: Layout): boolean {
  return layout === 'legacy-inline' || layout === 'messages'
}

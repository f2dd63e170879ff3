// The scenarios, in the order in which they stand in docs/verified-restores.md.

import { damaged, gone, onlyLoad } from './forced-strategies.ts'
import { adapterKilled, agentKilled, agentKilledAtOnce, agentKilledTwice, rethreadKilled } from './kills.ts'
import type { Scenario } from './stage.ts'
import { asked, cancelled, forked } from './turns.ts'

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'agent killed': agentKilled,
  'agent killed, at once again': agentKilledAtOnce,
  'agent killed twice': agentKilledTwice,
  'rethread killed in an answer': rethreadKilled,
  'only the adapter killed in an answer': adapterKilled,
  'no resume, only load': onlyLoad,
  'session damaged': damaged,
  'session gone': gone,
  fork: forked,
  'answer cancelled': cancelled,
  permission: asked,
}

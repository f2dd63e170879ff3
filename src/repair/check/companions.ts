// The files that a verdict depends on: the session's file, and the files beside it that its agent also reads.

import type { StoreRepair } from '../../agents/repair.ts'
import { findStore, type Store } from '../../agents/store.ts'
import type { SessionRef } from '../../model/session.ts'
import type { Origin } from '../verdicts/origin.ts'
import { originOf } from '../verdicts/origin.ts'
import type { CheckContext } from './check.ts'

/** Needed for every session. Importing the module each time would take as long as reading the file. */
const known = new WeakMap<Store, Promise<StoreRepair>>()

function repairOf(store: Store): Promise<StoreRepair> | undefined {
  const repair = known.get(store) ?? store.repair?.()
  if (repair !== undefined) known.set(store, repair)
  return repair
}

export async function originOfCheck(context: CheckContext, session: SessionRef): Promise<Origin> {
  const agent = context.agents.find(({ id }) => id === session.agent)
  const store = findStore(agent, session)
  const repair = store === undefined ? undefined : await repairOf(store)
  const companions = repair?.companions?.(session, context.environment) ?? []
  return companions.length === 0 ? originOf(session) : originOf(session, [session.filePath, ...companions])
}

// Every kind of change, by its type.

import type { Fit } from '../plan-fit.ts'
import type { FileBefore, StoredChange } from '../receipt.ts'
import { rowsStep } from './change-rows.ts'
import { copyInStep } from './copy-in.ts'
import { moveStep } from './move.ts'
import { patchStep } from './patch.ts'
import { rebuildStep } from './rebuild-database.ts'
import { removeStep } from './remove-file.ts'
import type { ChangeState, Place, Step, Work } from './step.ts'
import { writeStep } from './write-file.ts'

export interface Prepared {
  stored: StoredChange
  apply(): Promise<void>
}

export async function prepareChange(place: Place, work: Work, fit: Fit): Promise<Prepared> {
  switch (work.type) {
    case 'patch':
      return await prepareWith(patchStep, place, work, fit)
    case 'remove':
      return await prepareWith(removeStep, place, work, fit)
    case 'write':
      return await prepareWith(writeStep, place, work, fit)
    case 'copy-in':
      return await prepareWith(copyInStep, place, work, fit)
    case 'move':
      return await prepareWith(moveStep, place, work, fit)
    case 'rows':
      return await prepareWith(rowsStep, place, work, fit)
    case 'rebuild-database':
      return await prepareWith(rebuildStep, place, work, fit)
  }
}

/** One prepared change, from this process or from one that has ended. */
export interface PreparedChange {
  stored: StoredChange
  look(): Promise<ChangeState>
  revert(): Promise<void>
  assertUndoable(): Promise<void>
  finish(): Promise<void>
  filesBefore: FileBefore[]
}

export function prepared(place: Place, stored: StoredChange): PreparedChange {
  switch (stored.type) {
    case 'patch':
      return bind(patchStep, place, stored)
    case 'remove':
      return bind(removeStep, place, stored)
    case 'write':
      return bind(writeStep, place, stored)
    case 'move':
      return bind(moveStep, place, stored)
    case 'rows':
      return bind(rowsStep, place, stored)
    case 'rebuild-database':
      return bind(rebuildStep, place, stored)
  }
}

async function prepareWith<S extends StoredChange, W extends Work>(
  step: Pick<Step<S, W>, 'prepare' | 'apply'>,
  place: Place,
  work: W,
  fit: Fit,
): Promise<Prepared> {
  const stored = await step.prepare(place, work, fit)
  return { stored, apply: () => step.apply(place, stored, work) }
}

function bind<S extends StoredChange, W extends Work>(step: Step<S, W>, place: Place, stored: S): PreparedChange {
  return {
    stored,
    look: () => step.look(place, stored),
    revert: () => step.revert(place, stored),
    assertUndoable: () => step.assertUndoable(place, stored),
    finish: () => step.finish(place, stored),
    filesBefore: step.filesBefore(stored),
  }
}

// Every kind of change, by its type.

import type { Fit } from '../plan-fit.ts'
import type { FileBefore, StoredChange } from '../receipt.ts'
import { rowsStep } from './change-rows.ts'
import { copyInStep, streamInStep } from './copy-in.ts'
import { moveStep } from './move.ts'
import { patchStep } from './patch.ts'
import { rebuildStep } from './rebuild-database.ts'
import { removeStep } from './remove-file.ts'
import type { ChangeState, ChangeStep, StepContext, StepInput } from './step.ts'
import { writeStep } from './write-file.ts'

export interface Prepared {
  stored: StoredChange
  apply(): Promise<void>
}

export async function prepareChange(context: StepContext, input: StepInput, fit: Fit): Promise<Prepared> {
  switch (input.type) {
    case 'patch':
      return await prepareWith(patchStep, context, input, fit)
    case 'remove':
      return await prepareWith(removeStep, context, input, fit)
    case 'write':
      return await prepareWith(writeStep, context, input, fit)
    case 'copy-in':
      return await prepareWith(copyInStep, context, input, fit)
    case 'stream-in':
      return await prepareWith(streamInStep, context, input, fit)
    case 'move':
      return await prepareWith(moveStep, context, input, fit)
    case 'rows':
      return await prepareWith(rowsStep, context, input, fit)
    case 'rebuild-database':
      return await prepareWith(rebuildStep, context, input, fit)
  }
}

/** One prepared change, from this process or from one that has ended. */
export interface PreparedChange {
  stored: StoredChange
  inspect(): Promise<ChangeState>
  revert(): Promise<void>
  assertUndoable(): Promise<void>
  finish(): Promise<void>
  filesBefore: FileBefore[]
}

export function prepared(context: StepContext, stored: StoredChange): PreparedChange {
  switch (stored.type) {
    case 'patch':
      return bind(patchStep, context, stored)
    case 'remove':
      return bind(removeStep, context, stored)
    case 'write':
      return bind(writeStep, context, stored)
    case 'move':
      return bind(moveStep, context, stored)
    case 'rows':
      return bind(rowsStep, context, stored)
    case 'rebuild-database':
      return bind(rebuildStep, context, stored)
  }
}

async function prepareWith<S extends StoredChange, W extends StepInput>(
  step: Pick<ChangeStep<S, W>, 'prepare' | 'apply'>,
  context: StepContext,
  input: W,
  fit: Fit,
): Promise<Prepared> {
  const stored = await step.prepare(context, input, fit)
  return { stored, apply: () => step.apply(context, stored, input) }
}

function bind<S extends StoredChange, W extends StepInput>(
  step: ChangeStep<S, W>,
  context: StepContext,
  stored: S,
): PreparedChange {
  return {
    stored,
    inspect: () => step.inspect(context, stored),
    revert: () => step.revert(context, stored),
    assertUndoable: () => step.assertUndoable(context, stored),
    finish: () => step.finish(context, stored),
    filesBefore: step.filesBefore(stored),
  }
}

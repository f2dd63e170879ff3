// Changes rows of a database in one transaction. The old rows are in the receipt before the commit.

import { backUpDatabase } from '../../sqlite/backup.ts'
import { loadRow, storeRow } from '../database-writer.ts'
import type { StoredRows } from '../receipt.ts'
import { storeColumns } from '../stored-values.ts'
import { saveReceipt } from '../vault.ts'
import type { ChangeStep, RowChanges } from './step.ts'

export const rowsStep: ChangeStep<StoredRows, RowChanges> = {
  async prepare({ vault, index }, { changes }, fit) {
    const { path } = fit
    const before = await backUpDatabase(vault, index, fit, ['-wal', '-journal'])
    const reasons = changes.map(({ table, key, damage, reason }) => ({ table, key: storeColumns(key), damage, reason }))
    return { type: 'rows', path, before, reasons, rows: null }
  },
  async apply(context, stored, { changes }) {
    const { changeRows } = await context.databases()
    changeRows(stored.path, changes, old => {
      stored.rows = old.map(storeRow)
      saveReceipt(context.vault)
      context.touch()
    })
  },
  /**
   * Only the database knows whether the transaction was committed. Restoring the rows is right either way.
   */
  async inspect(_, { rows }) {
    return { at: rows === null ? 'before' : 'between' }
  },
  async revert({ databases }, { path, rows }) {
    if (rows === null) return
    const { restoreRows } = await databases()
    restoreRows(path, rows.map(loadRow))
  },
  async assertUndoable() {},
  async finish() {},
  filesBefore: ({ before }) => before,
}

import { join } from 'node:path'

/** The build that `npm test` makes before. */
export const BUILT_PAGE = join(import.meta.dirname, '..', '..', 'dist', 'web')

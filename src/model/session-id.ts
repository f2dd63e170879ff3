// Forms of session ids that several stores share. Each store declares in its own folder which of them it
// uses.

/** For the patterns of stores: a whole UUID in either case. */
export const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

export function idLike(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`, 'i')
}

export const UUID = idLike(uuid)

/**
 * Letters, digits and a few characters that are harmless in a shell, in a path and as an argument. For stores
 * whose agent does not define ids.
 */
export const PLAIN_NAME = /^\w[\w.@-]{0,127}$/

/**
 * An id that an agent gave over ACP. ACP allows any text; only ids of this form are passed to an agent again.
 */
export const ACP_SESSION_ID = /^\w[\w.:@=+~-]{0,255}$/

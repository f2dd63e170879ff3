// What session ids look like, where several stores have the same kinds. Each store says in its own folder which of them are its own.

/** For the patterns of stores; whole and in either case. */
export const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

export function idLike(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`, 'i')
}

export const UUID = idLike(uuid)

/** Letters, digits and a few signs that mean nothing to a shell, in a path or to an option parser. For stores whose agent takes no ids. */
export const PLAIN_NAME = /^\w[\w.@-]{0,127}$/

/** An id that an agent gave over ACP. They may be any text; these can be handed to any agent again. */
export const ACP_SESSION_ID = /^\w[\w.:@=+~-]{0,255}$/

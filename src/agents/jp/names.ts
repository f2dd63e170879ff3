// The names that JP gives to folders and files.

export const AGENT = 'jp'
/** The stores of a conversation. */
export const ACTIVE = 'conversations'
export const ARCHIVED = 'archive'
export const TRASHED = 'trash'
export type PlaceName = typeof ACTIVE | typeof ARCHIVED | typeof TRASHED

export const WORKSPACE_FOLDER = '.jp'
export const ID_FILE = '.id'
/** In user-local storage, a link to the `.jp` of the workspace. */
export const STORAGE_LINK = 'storage'
export const CONVERSATIONS = 'conversations'
export const JP_ARCHIVE_FOLDER = '.archive'
export const TRASH_FOLDER = '.trash'
export const LOCKS = 'locks'

export const METADATA = 'metadata.json'
export const BASE_CONFIG = 'base_config.json'
export const INIT_CONFIG = 'init_config.json'
export const EVENTS = 'events.json'
/** JP writes a file under its name with this ending, then renames it. */
export const UNFINISHED_SUFFIX = '.tmp'
/** The predecessor of events.json, until November 2025. */
export const OLD_MESSAGES = 'messages.json'

/** The files of a conversation, in the order of repair. Only a draft of JP has init_config.json. */
export const MANAGED = [METADATA, BASE_CONFIG, INIT_CONFIG, EVENTS] as const
export type ManagedFile = (typeof MANAGED)[number]

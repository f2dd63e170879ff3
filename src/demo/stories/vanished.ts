// Conversations that are whole and that their agents do not list: a project that was moved, conversations
// that are filed under another project, and the home of another machine.

export interface MovedProject {
  /** Its name, and the name of its folder when the conversations were held. */
  project: string
  /** Where the folder is now, below the home. */
  folder: readonly string[]
  /** One conversation for each, by the agents in turn. */
  titles: readonly string[]
}

export const movedProjects: readonly MovedProject[] = [
  {
    project: 'loyalty',
    folder: ['work', 'loyalty'],
    titles: [
      'Points for every order',
      'Let points expire after a year',
      'The voucher page is slow',
      'Move the points to their own table',
      'Birthday vouchers',
      'Round points down, never up',
    ],
  },
]

export const misplaced = {
  project: 'shop',
  /** The project under which they are filed. */
  filedUnder: 'drafts',
  titles: ['A gift card for the checkout', 'Why the cart forgets its coupon'],
} as const

export const otherHome = {
  /** Below the home of the demo, as a backup is. */
  folder: ['backups', 'old-laptop'],
  /** The home that it was. */
  home: '/Users/alex',
  projects: 'code',
  project: 'newsletter',
  titles: ['Unsubscribe with one click', 'Send at nine, everywhere', 'A template without tables', 'Count the bounces'],
} as const

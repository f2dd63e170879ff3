// Our own icons on a grid of 24, in the colour of the text beside them. Hidden from screen readers.
import type { ReactNode } from 'react'

export interface IconProps {
  size?: number
  className?: string
}

function draw(shape: ReactNode) {
  return function Icon({ size = 16, className = '' }: IconProps) {
    return (
      <svg
        viewBox="0 0 24 24"
        width={size}
        height={size}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
        focusable="false"
        className={`shrink-0 ${className}`}
      >
        {shape}
      </svg>
    )
  }
}

const path = (d: string) => draw(<path d={d} />)

export const IconCheck = path('M5 12.5l4.5 4.5L19 7.5')
export const IconClose = path('M6 6l12 12M18 6L6 18')
export const IconPlus = path('M12 5v14M5 12h14')
export const IconChevronRight = path('M9 5l7 7-7 7')
export const IconChevronDown = path('M5 9l7 7 7-7')
export const IconChevronLeft = path('M15 5l-7 7 7 7')
export const IconChevronUp = path('M5 15l7-7 7 7')
export const IconArrowUp = path('M12 20V4M5.5 10.5L12 4l6.5 6.5')
export const IconArrowDown = path('M12 4v16M5.5 13.5L12 20l6.5-6.5')
export const IconToFirst = path('M5 4h14M12 20V8M6.5 13.5L12 8l5.5 5.5')
export const IconToLast = path('M5 20h14M12 4v12M6.5 10.5L12 16l5.5-5.5')
export const IconUndo = path('M8 5L4 9l4 4M4 9h10a6 6 0 010 12h-3')
export const IconRefresh = path('M20 11A8 8 0 006 6.3L4 8.5M4 4v4.5h4.5M4 13a8 8 0 0014 4.7l2-2.2M20 20v-4.5h-4.5')
export const IconDownload = path('M12 4v11M7 10.5l5 5 5-5M4 20h16')
export const IconExpand = path('M14 4h6v6M20 4l-7 7M10 20H4v-6M4 20l7-7')
export const IconShrink = path('M20 10h-6V4M14 10l6-6M4 14h6v6M10 14l-6 6')
export const IconFolder = path('M3.5 6a1 1 0 011-1H9l2.5 2.5h8a1 1 0 011 1V18a1 1 0 01-1 1h-15a1 1 0 01-1-1z')
export const IconFile = path('M6 3.5h8l4.5 4.5v12a.5.5 0 01-.5.5H6a.5.5 0 01-.5-.5V4a.5.5 0 01.5-.5zM13.5 3.5V8.5h5')
export const IconBranch = path(
  'M7 8v8M17 9c0 4-10 3-10 7M9 6a2 2 0 11-4 0 2 2 0 014 0zM9 18a2 2 0 11-4 0 2 2 0 014 0zM19 7a2 2 0 11-4 0 2 2 0 014 0z',
)
export const IconWrench = path(
  'M20 7.5a5 5 0 01-6.8 5.8L6.5 20A1.8 1.8 0 014 17.5l6.7-6.7A5 5 0 0116.5 4l-3 3 .5 3 3 .5z',
)
export const IconWarning = path('M12 4L2.8 19.5a.4.4 0 00.3.5h17.8a.4.4 0 00.3-.5zM12 10v4.5M12 17.2v.1')
export const IconTag = path('M3.5 4h8l9 9-7.5 7.5-9-9zM8 8.5v.1')
export const IconPin = path('M9 3.5h6l-1 6 3.5 3.5h-11L10 9.5zM12 13v7.5')
export const IconEye = path(
  'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM15 12a3 3 0 11-6 0 3 3 0 016 0z',
)
export const IconLink = path(
  'M10 14a4 4 0 005.7 0l3-3A4 4 0 0013 5.300l-1 1M14 10a4 4 0 00-5.700 0l-3 3A4 4 0 0011 18.700l1-1',
)
export const IconPlay = path('M7 4.8v14.4a.4.4 0 00.6.3l11.6-7.2a.4.4 0 000-.6L7.6 4.5a.4.4 0 00-.6.3z')
export const IconStop = draw(<rect x="6" y="6" width="12" height="12" rx="1.5" />)
export const IconSplit = draw(
  <>
    <rect x="3.5" y="4.5" width="17" height="15" rx="1.5" />
    <path d="M12 4.5v15" />
  </>,
)
export const IconPanelRight = draw(
  <>
    <rect x="3.5" y="4.5" width="17" height="15" rx="1.5" />
    <path d="M15 4.5v15" />
  </>,
)
export const IconTerminal = draw(
  <>
    <rect x="3" y="4.5" width="18" height="15" rx="1.5" />
    <path d="M7 9.5l3 2.5-3 2.5M12.5 15H17" />
  </>,
)
export const IconSearch = draw(
  <>
    <circle cx="11" cy="11" r="6.5" />
    <path d="M16 16l4.5 4.5" />
  </>,
)
export const IconCopy = draw(
  <>
    <rect x="8.5" y="8.5" width="12" height="12" rx="1.5" />
    <path d="M15.5 5V4.5a1 1 0 00-1-1h-10a1 1 0 00-1 1v10a1 1 0 001 1H5" />
  </>,
)
export const IconSun = draw(
  <>
    <circle cx="12" cy="12" r="4" />
    <path d="M12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M18.7 5.3l-1.4 1.4M6.7 17.3l-1.4 1.4" />
  </>,
)
export const IconMoon = path('M20 14.5A8.5 8.5 0 119.5 4a7 7 0 0010.5 10.5z')
export const IconSystem = draw(
  <>
    <rect x="3" y="4.5" width="18" height="12" rx="1.5" />
    <path d="M9 20h6M12 16.5V20" />
  </>,
)
export const IconHelp = draw(
  <>
    <circle cx="12" cy="12" r="8.5" />
    <path d="M9.5 9.5a2.5 2.5 0 114 2c-1 .7-1.5 1.2-1.5 2.2M12 16.4v.1" />
  </>,
)
export const IconInfo = draw(
  <>
    <circle cx="12" cy="12" r="8.5" />
    <path d="M12 11v5M12 8v.1" />
  </>,
)
export const IconClock = draw(
  <>
    <circle cx="12" cy="12" r="8.5" />
    <path d="M12 7.5V12l3 2" />
  </>,
)
export const IconLock = draw(
  <>
    <rect x="5" y="10.5" width="14" height="9.5" rx="1.5" />
    <path d="M8 10.5V8a4 4 0 018 0v2.5" />
  </>,
)
export const IconImage = draw(
  <>
    <rect x="3.5" y="4.5" width="17" height="15" rx="1.5" />
    <circle cx="8.5" cy="9.5" r="1.5" />
    <path d="M4 17l5-4.5 3.5 3 3-2.5 5 4" />
  </>,
)
export const IconSubagent = draw(
  <>
    <circle cx="6.5" cy="6" r="2.5" />
    <path d="M6.5 8.5V14a3 3 0 003 3h4" />
    <circle cx="17" cy="17" r="2.5" />
  </>,
)
export const IconArchive = draw(
  <>
    <rect x="3.5" y="4.5" width="17" height="4.5" rx="1" />
    <path d="M5 9v9.5a1 1 0 001 1h12a1 1 0 001-1V9M9.5 13h5" />
  </>,
)
export const IconDots = draw(<path d="M5.5 12h.1M12 12h.1M18.4 12h.1" strokeWidth="2.5" />)
export const IconUnplugged = path('M9 3v4M15 3v4M7 7h10v4a5 5 0 01-7.5 4.3M12 16v5M3.5 3.5l17 17')

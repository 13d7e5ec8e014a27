/** Icons. They are hidden from screen readers, so they always come with text. */
const PATHS = {
  turn: 'M7 4v15m0 0-3.5-3.5M7 19l3.5-3.5M17 20V5m0 0-3.5 3.5M17 5l3.5 3.5',
  back: 'M4 8h15m0 0-3.5-3.5M19 8l-3.5 3.5M20 16H5m0 0 3.5-3.5M5 16l3.5 3.5',
  down: 'm6 9 6 6 6-6',
  arrow: 'M5 12h14m0 0-5-5m5 5-5 5',
  below: 'M12 5v14m0 0-5-5m5 5 5-5',
  close: 'M6 6l12 12M18 6 6 18',
  check: 'm5 12.5 4.5 4.5L19 7',
  copy: 'M9 9h11v11H9zM15 9V4H4v11h5',
  paste: 'M9 4h6v3H9zM15 5h3v15H6V5h3',
  share: 'M12 15V4m0 0L8 8m4-4 4 4M6 12v7h12v-7',
  print: 'M7 9V4h10v5M7 17H4v-7h16v7h-3M7 14h10v6H7z',
  bell: 'M6 16V11a6 6 0 0 1 12 0v5l1.5 2h-15zM10 20.5h4',
  out: 'M8 6h10v10M18 6 6 18',
  theme: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 3v18M16 5v14M20 9v6',
  menu: 'M4 7h16M4 12h16M4 17h16',
  star: 'm12 4 2.4 5.2 5.6.6-4.2 3.8 1.2 5.6-5-2.9-5 2.9 1.2-5.6L4 9.8l5.6-.6z',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l4.5 4.5',
  wallet:
    'M4 7.5V18a2 2 0 0 0 2 2h13a1 1 0 0 0 1-1V9a1 1 0 0 0-1-1H5.5A1.5 1.5 0 0 1 4 6.5 1.5 1.5 0 0 1 5.5 5H18M16 14h.5',
  scan: 'M4 9V5a1 1 0 0 1 1-1h4M15 4h4a1 1 0 0 1 1 1v4M20 15v4a1 1 0 0 1-1 1h-4M9 20H5a1 1 0 0 1-1-1v-4M8 12h8',
  gas: 'M5 20V6a2 2 0 0 1 2-2h5a2 2 0 0 1 2 2v14M4 20h11M14 11h2a2 2 0 0 1 2 2v3a1.5 1.5 0 0 0 3 0V9l-3-3M8 8h3',
  clock: 'M12 7v5l3.5 2M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z',
  shield: 'M12 3 5 6v5.5c0 4.5 3 7.7 7 9.5 4-1.8 7-5 7-9.5V6zM9 12l2.2 2.2L15.2 10',
  gear: 'M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM10.3 3h3.4l.5 2.4 1.7 1 2.4-.8 1.7 3-1.9 1.6v1.6l1.9 1.6-1.7 3-2.4-.8-1.7 1-.5 2.4h-3.4l-.5-2.4-1.7-1-2.4.8-1.7-3 1.9-1.6v-1.6L4 8.6l1.7-3 2.4.8 1.7-1z',
  box: 'M4 8l8-4 8 4v8l-8 4-8-4zM4 8l8 4 8-4M12 12v8',
  spinner: 'M12 4a8 8 0 1 1-7.4 5',
  pin: 'M12 21c4-4.5 6-7.5 6-10a6 6 0 0 0-12 0c0 2.5 2 5.5 6 10zM12 9a2 2 0 1 0 0 4 2 2 0 0 0 0-4z',
  undo: 'M9 7H15a5 5 0 0 1 0 10H8M9 7l3.5-3.5M9 7l3.5 3.5',
  dot: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8z',
  circle: 'M12 6a6 6 0 1 0 0 12 6 6 0 0 0 0-12z',
  info: 'M12 11v6M12 7.5v.5M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z',
  warn: 'M12 9v5M12 17v.5M12 3 2.5 20h19z',
  offline: 'M4 4l16 16M8.5 15.5a5 5 0 0 1 7 0M5 12a10 10 0 0 1 4-2.5M12.5 8.8A10 10 0 0 1 19 12M12 19v.5',
  code: 'm8 8-4 4 4 4M16 8l4 4-4 4M13.5 5l-3 14',
  pause: 'M9 6v12M15 6v12',
  frame: 'M4 5h16v14H4zM4 9h16M8 13h4',
  hook: 'M9 8a3.5 3.5 0 1 1 5 3l3 5M12 16h6a2.5 2.5 0 1 1 0 3M8 12l-3 5a2.5 2.5 0 1 0 4 1',
  home: 'M4 11.5 12 5l8 6.5V20h-5.5v-5h-5v5H4z',
  list: 'M9 6h11M9 12h11M9 18h11M4.5 6h.5M4.5 12h.5M4.5 18h.5',
  sliders: 'M4 8h9M17 8h3M15 6v4M4 16h3M11 16h9M9 14v4',
  signal: 'M5 19h.5M5 13a6 6 0 0 1 6 6M5 7a12 12 0 0 1 12 12',
  book: 'M6 4h12v16H7.5A1.5 1.5 0 0 1 6 18.5zM6 18a1.5 1.5 0 0 1 1.5-1.5H18',
  key: 'M8 9a4 4 0 1 0 0 6 4 4 0 0 0 1.5-3 4 4 0 0 0-1.5-3zM9.5 12H20v3M16 12v2.5',
  gift: 'M4 9h16v4H4zM6 13v7h12v-7M12 9v11M12 9C9 9 7.5 8 7.5 6.500 9 4.500 11 5 12 9c1-4 3-4.500 4.500-2.500C16.500 8 15 9 12 9z',
  people:
    'M9 5a3.200 3.200 0 1 0 0 6.400A3.200 3.200 0 0 0 9 5zM3.500 19c0-3 2.500-5 5.500-5s5.500 2 5.500 5M15.500 5.500a3 3 0 0 1 0 5.600M17 14.200c2.200.6 3.500 2.400 3.500 4.800',
  bolt: 'M13 3 5 14h6l-1 7 8-11h-6z',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name, filled = false, spins = false }: { name: IconName; filled?: boolean; spins?: boolean }) {
  return (
    <svg class={spins ? 'icon spins' : 'icon'} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} class={filled ? 'filled' : undefined} />
    </svg>
  )
}

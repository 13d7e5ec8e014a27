/** Icons. They are hidden from screen readers, so they always come with text. */
const PATHS = {
  turn: 'M7 4v14m0 0-3-3m3 3 3-3M17 20V6m0 0-3 3m3-3 3 3',
  down: 'm6 9 6 6 6-6',
  close: 'M6 6l12 12M18 6 6 18',
  check: 'm5 12 5 5 9-11',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  out: 'M8 6h10v10M18 6 6 18',
  theme: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 3v18M8 5v14M4 9v6',
  menu: 'M4 7h16M4 12h16M4 17h16',
  star: 'm12 4 2.4 5.2 5.6.6-4.2 3.8 1.2 5.6-5-2.9-5 2.9 1.2-5.6L4 9.8l5.6-.6z',
  search: 'M11 5a6 6 0 1 0 0 12 6 6 0 0 0 0-12zM16 16l4 4',
  wallet: 'M4 7h14a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2zm0 0 10-3v3m3 5h.5',
  dot: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8z',
  circle: 'M12 6a6 6 0 1 0 0 12 6 6 0 0 0 0-12z',
  info: 'M12 11v6M12 7.5v.5M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z',
  warn: 'M12 9v5M12 17v.5M12 3 2.5 20h19z',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name, filled = false }: { name: IconName; filled?: boolean }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} class={filled ? 'filled' : undefined} />
    </svg>
  )
}

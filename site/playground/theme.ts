/** Light or dark: as the system is, until the visitor chooses. */
const key = 'cotangent-theme'

/** Makes a button of an element that changes between light and dark, and remembers it. */
export function themeSwitch(button: HTMLElement): void {
  const root = document.documentElement
  const dark = matchMedia('(prefers-color-scheme: dark)')
  const chosen = remembered()
  if (chosen !== null) root.dataset['theme'] = chosen
  button.addEventListener('click', () => {
    const now = root.dataset['theme'] ?? (dark.matches ? 'dark' : 'light')
    const next = now === 'dark' ? 'light' : 'dark'
    root.dataset['theme'] = next
    try {
      localStorage.setItem(key, next)
    } catch {
      // A page that may store nothing forgets it.
    }
  })
}

function remembered(): string | null {
  try {
    const value = localStorage.getItem(key)
    return value === 'dark' || value === 'light' ? value : null
  } catch {
    return null
  }
}

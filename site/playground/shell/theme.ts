/** Light, dark, or as the system is: a button goes from one to the next. */
const key = 'cotangent-theme'
const themes = ['system', 'light', 'dark'] as const
type Theme = (typeof themes)[number]

/** Lines of the picture on the button, in a box of 18 by 18. */
const pictures: Readonly<Record<Theme, string>> = {
  system: '<path d="M2 3h14v9H2zM6 16h6M9 12v4"/>',
  light:
    '<circle cx="9" cy="9" r="3.5"/><path d="M9 1v2M9 15v2M1 9h2M15 9h2M3.3 3.3l1.5 1.5M13.2 13.2l1.5 1.5M3.3 14.7l1.5-1.5M13.2 4.8l1.5-1.5"/>',
  dark: '<path d="M14.5 11.2A6.5 6.5 0 0 1 6.8 3.5a6.5 6.5 0 1 0 7.7 7.7z"/>',
}

/** Makes a button of an element that changes the theme, says so, and remembers it. */
export function themeSwitch(button: HTMLElement, say: (message: string) => void): void {
  let now = remembered()
  const draw = (): void => {
    const root = document.documentElement
    if (now === 'system') delete root.dataset['theme']
    else root.dataset['theme'] = now
    button.innerHTML = `<svg viewBox="0 0 18 18" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linejoin="round" aria-hidden="true">${pictures[now]}</svg>`
    button.setAttribute('aria-label', `Theme: ${now}. Change to ${after(now)}`)
    button.title = `Theme: ${now}`
  }
  button.addEventListener('click', () => {
    now = after(now)
    draw()
    say(now === 'system' ? 'The page is light or dark as the system is.' : `The page is ${now}.`)
    try {
      localStorage.setItem(key, now)
    } catch {
      // A page that may store nothing forgets it.
    }
  })
  draw()
}

function after(theme: Theme): Theme {
  return themes[(themes.indexOf(theme) + 1) % themes.length]!
}

function remembered(): Theme {
  try {
    return themes.find(t => t === localStorage.getItem(key)) ?? 'system'
  } catch {
    return 'system'
  }
}

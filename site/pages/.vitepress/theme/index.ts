/** VitePress's own theme, with our colours and fonts. */
import DefaultTheme from 'vitepress/theme-without-fonts'
import type { Theme } from 'vitepress'
import '@fontsource/inter/latin-400.css'
import '@fontsource/inter/latin-600.css'
import '@fontsource/jetbrains-mono/latin-400.css'
import './style.css'

const theme: Theme = { extends: DefaultTheme }
export default theme

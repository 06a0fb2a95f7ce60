/** VitePress's own theme, with our colours and fonts, and the components that pages name. */
import DefaultTheme from 'vitepress/theme-without-fonts'
import type { Theme } from 'vitepress'
import type { Component } from 'vue'
import '@fontsource/inter/latin-400.css'
import '@fontsource/inter/latin-600.css'
import '@fontsource/jetbrains-mono/latin-400.css'
import './style.css'

const components = import.meta.glob<Component>('../../components/*.ts', { eager: true, import: 'default' })

const theme: Theme = {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    for (const [path, component] of Object.entries(components)) app.component(/(\w+)\.ts$/.exec(path)![1]!, component)
  },
}
export default theme

/** VitePress's own theme, with our colours and fonts, the components that pages name, and the page whose function can be edited. */
import DefaultTheme from 'vitepress/theme-without-fonts'
import { useData, type Theme } from 'vitepress'
import { nextTick, onMounted, onUnmounted, watch, type Component } from 'vue'
import '@fontsource/inter/latin-400.css'
import '@fontsource/inter/latin-600.css'
import '@fontsource/jetbrains-mono/latin-400.css'
import '../../../reverse-mode/style.css'
import './style.css'

const components = import.meta.glob<Component>('../../components/*.ts', { eager: true, import: 'default' })

/** Makes the page on reverse mode interactive while it is shown. Its code loads with that page only. */
function reverseMode(): void {
  const { page } = useData()
  const isShown = (): boolean => page.value.relativePath === 'reverse-mode.md'
  let leave: (() => void) | undefined
  let visit = 0
  const enter = async (): Promise<void> => {
    const own = ++visit
    leave?.()
    leave = undefined
    if (!isShown()) return
    const { interactive } = await import('../../../reverse-mode/page.ts')
    await nextTick()
    const content = document.querySelector('.vp-doc')
    // Somebody who left and came back meanwhile is on another visit.
    if (content !== null && own === visit) leave = interactive(content)
  }
  onMounted(enter)
  watch(() => page.value.relativePath, enter, { flush: 'post' })
  onUnmounted(() => {
    visit++
    leave?.()
  })
}

const theme: Theme = {
  extends: DefaultTheme,
  setup: reverseMode,
  enhanceApp({ app }) {
    for (const [path, component] of Object.entries(components)) app.component(/(\w+)\.ts$/.exec(path)![1]!, component)
  },
}
export default theme

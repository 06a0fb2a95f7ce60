/** VitePress's own theme, with our colours and fonts, and the page whose function can be edited. */
import DefaultTheme from 'vitepress/theme-without-fonts'
import { useData, type Theme } from 'vitepress'
import { nextTick, onMounted, onUnmounted, watch } from 'vue'
import '@fontsource/inter/latin-400.css'
import '@fontsource/inter/latin-600.css'
import '@fontsource/jetbrains-mono/latin-400.css'
import { interactive } from '../../../reverse-mode/page.ts'
import '../../../reverse-mode/style.css'
import './style.css'

/** Makes the page on reverse mode interactive while it is shown. */
function reverseMode(): void {
  const { page } = useData()
  let leave: (() => void) | undefined
  const enter = async (): Promise<void> => {
    leave?.()
    leave = undefined
    if (page.value.relativePath !== 'reverse-mode.md') return
    await nextTick()
    const content = document.querySelector('.vp-doc')
    if (content !== null) leave = interactive(content)
  }
  onMounted(enter)
  watch(() => page.value.relativePath, enter, { flush: 'post' })
  onUnmounted(() => leave?.())
}

const theme: Theme = { extends: DefaultTheme, setup: reverseMode }
export default theme

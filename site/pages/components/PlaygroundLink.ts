/** A link to the playground in a sentence: a page of its own, which the links of Markdown do not know. */
import { withBase } from 'vitepress'
import { h, type FunctionalComponent } from 'vue'

const PlaygroundLink: FunctionalComponent = () =>
  h('a', { href: withBase('/playground/'), target: '_self' }, 'playground')
export default PlaygroundLink

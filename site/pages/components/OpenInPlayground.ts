/** The link below an example that opens it in the playground. */
import { withBase } from 'vitepress'
import { h, type FunctionalComponent } from 'vue'

const OpenInPlayground: FunctionalComponent<{ name: string; hash: string }> = ({ name, hash }) =>
  h('p', { class: 'open-in-playground' }, [
    h(
      'a',
      { href: `${withBase('/playground/')}${hash}`, target: '_self' },
      // Links with the same text would all sound alike.
      name === 'main.slang' ? 'Open in the playground' : `Open ${name} in the playground`,
    ),
  ])
OpenInPlayground.props = ['name', 'hash']
export default OpenInPlayground

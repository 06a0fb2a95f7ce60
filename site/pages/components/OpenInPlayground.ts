/** The link below an example that opens it in the playground. */
import { withBase } from 'vitepress'
import { h, type FunctionalComponent } from 'vue'

const OpenInPlayground: FunctionalComponent<{ name: string; hash: string }> = ({ name, hash }) =>
  h('p', { class: 'open-in-playground' }, [
    h(
      'a',
      {
        href: `${withBase('/playground/')}${hash}`,
        target: '_self',
        ...(name === 'main.slang' ? {} : { 'aria-label': `Open ${name} in the playground` }),
      },
      'Open in the playground',
    ),
  ])
OpenInPlayground.props = ['name', 'hash']
export default OpenInPlayground

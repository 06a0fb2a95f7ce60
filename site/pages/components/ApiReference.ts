/** Links to the generated reference of each entry of the package. */
import { withBase } from 'vitepress'
import { h, type FunctionalComponent } from 'vue'
import { entries } from '../api-entries.ts'

const ApiReference: FunctionalComponent = () =>
  h('p', [
    'The reference has a page for each entry: ',
    entries.flatMap((entry, i) => [
      i === 0 ? '' : ', ',
      h('a', { href: withBase(`/reference/${entry}.html`) }, h('code', entry)),
    ]),
    '.',
  ])
export default ApiReference

/** Compiles what the reader edits, and draws the stages, away from the page. */
import { legendOf, pictureOf } from './picture.ts'
import type { Answer, Asked } from './protocol.ts'
import { viewsOf } from './stages.ts'

addEventListener('message', ({ data }: MessageEvent<Asked>) => {
  postMessage(answer(data))
})

function answer({ id, source }: Asked): Answer {
  const views = viewsOf(source)
  if (views.subject === undefined) return { id, ...views }
  const stages = views.stages.map(view => ({
    stage: view.stage,
    text: view.text,
    picture: pictureOf(view, `flow-${view.stage}`),
    legend: legendOf(view),
  }))
  return { id, subject: views.subject, stages }
}

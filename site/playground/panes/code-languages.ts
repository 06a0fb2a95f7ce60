/** Colours for the texts of the pane Derivative, by their words. */
import type { Extension } from '@codemirror/state'
import { coloured, words } from '../editor/language.ts'
import type { Form } from './derivative-picks.ts'

/** The language of each form. */
export const languages: Readonly<Record<Form, Extension>> = {
  wgsl: coloured({
    name: 'wgsl',
    keywords: words(
      'alias break case const const_assert continue continuing default diagnostic discard else enable fn for if let loop override requires return struct switch var while',
    ),
    atoms: words('true false'),
    type: /^(?:bool|f16|f32|i32|u32|vec[234][fhiu]?|mat[234]x[234][fh]?|array|atomic|ptr|sampler\w*|texture_\w+)$/,
    meta: /^@\w+/,
  }),
  js: coloured({
    name: 'js',
    keywords: words(
      'break case class const continue default delete do else export extends for function if import in instanceof let new of return static switch this throw try catch finally typeof var void while yield',
    ),
    atoms: words('true false null undefined NaN Infinity'),
    type: /^(?:Math|Array|Float32Array|Float64Array|Int32Array|Uint32Array|ArrayBuffer|DataView|Object|Number)$/,
  }),
  ir: coloured({
    name: 'ir',
    keywords: words('func struct global diff entry export if loop switch return yield next test break continue case'),
    atoms: words('true false nan inf'),
    type: /^(?:void|bool|[iuf]\d+(?:x\d+)*|array|list|ptr|opaque)$/,
    // Values, and names of functions and globals.
    meta: /^[@^][\w.$]+/,
  }),
}

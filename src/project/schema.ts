/** The JSON schema of `cotangent.json`, for editors: draft-07, which they take. It is made from the table of options. */
import { options, type Option, type Shape } from './options.ts'

/** A schema as plain data. */
export type Schema = Readonly<Record<string, unknown>>

function schemaOf(shape: Shape): Schema {
  switch (shape.is) {
    case 'text':
      return {
        type: 'string',
        ...(shape.words === undefined ? {} : { enum: shape.words }),
        ...(shape.pattern === undefined ? {} : { pattern: shape.pattern }),
      }
    case 'number':
      return {
        type: shape.whole ? 'integer' : 'number',
        ...(shape.least === undefined ? {} : { minimum: shape.least }),
        ...(shape.whole ? { maximum: Number.MAX_SAFE_INTEGER } : {}),
      }
    case 'flag':
      return shape.only === undefined ? { type: 'boolean' } : { const: shape.only }
    case 'list':
      return { type: 'array', items: schemaOf(shape.of) }
    case 'map':
      return { type: 'object', propertyNames: { pattern: shape.keys }, additionalProperties: schemaOf(shape.of) }
    case 'object':
      return {
        type: 'object',
        properties: Object.fromEntries(Object.entries(shape.fields).map(([name, s]) => [name, schemaOf(s)])),
        required: Object.keys(shape.fields),
        additionalProperties: false,
      }
    case 'either':
      return { anyOf: shape.of.map(schemaOf) }
  }
}

function described(option: Option): Schema {
  return {
    description: option.about,
    ...schemaOf(option),
    ...(option.default === undefined ? {} : { default: option.default }),
  }
}

/** The whole schema. */
export function projectSchema(): Schema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'cotangent.json',
    description: 'The options of a project of Cotangent. Paths are relative to the folder of this file.',
    type: 'object',
    properties: {
      $schema: { type: 'string' },
      ...Object.fromEntries(Object.entries(options).map(([name, option]) => [name, described(option)])),
    },
    additionalProperties: false,
    // For editors that know them: the file may hold comments, as tsconfig.json may.
    allowComments: true,
    allowTrailingCommas: true,
  }
}

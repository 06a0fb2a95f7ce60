// The tables of docs/evidence/programs.md that `bench/foreign.mjs` prints: what became of the programs of each repository.

/** What became of a program with kernels or stages: compiled by both, by one, or by none. */
function kindOf(row) {
  const [ours, theirs] = [row.ours === 'compiles', row.theirs === 'compiles']
  return ours ? (theirs ? 'both' : 'ours') : theirs ? 'theirs' : 'neither'
}

const ran = row => row.kernels?.filter(k => k.error === undefined) ?? []
const differ = row => ran(row).some(k => k.apart > 0)

/** Markdown of all results; `why` explains programs that differ, or that the real compiler alone compiles, by `owner/name:path`. */
export function table(rows, commits, why) {
  const lines = []
  const total = { files: 0, ours: 0, theirs: 0, both: 0, same: 0, differ: 0, only: 0 }
  for (const [repo, commit] of [...commits].sort((a, b) => (a[0].toLowerCase() < b[0].toLowerCase() ? -1 : 1))) {
    // A module without kernels has no WGSL, and what neither compiles may be part of another file.
    const own = rows.filter(r => r.repo === repo && (r.entries?.ours > 0 || r.entries?.theirs > 0))
    if (own.length === 0) continue
    const kinds = own.map(kindOf)
    const both = own.filter(r => kindOf(r) === 'both')
    const row = {
      files: own.filter(r => kindOf(r) !== 'neither').length,
      ours: kinds.filter(k => k === 'both' || k === 'ours').length,
      theirs: kinds.filter(k => k === 'both' || k === 'theirs').length,
      both: both.length,
      same: both.filter(r => ran(r).length > 0 && !differ(r)).length,
      differ: both.filter(differ).length,
      only: kinds.filter(k => k === 'theirs').length,
    }
    for (const key of Object.keys(total)) total[key] += row[key]
    lines.push(`| ${repo} | ${commit} | ${row.ours} | ${row.theirs} | ${row.both} | ${row.same} | ${row.differ} |`)
  }
  const explained = rows.filter(
    r =>
      r.entries !== undefined &&
      ((kindOf(r) === 'both' && differ(r)) || (kindOf(r) === 'theirs' && r.entries.theirs > 0)),
  )
  const reasons = explained.map(r => {
    const what =
      kindOf(r) === 'theirs'
        ? `only theirs compiles: ${r.ours}`
        : ran(r)
            .filter(k => k.apart > 0)
            .map(k => `${k.name}: ${k.apart} of ${k.numbers}`)
            .join('; ')
    return `| ${r.repo}: ${r.path} | ${what.replaceAll('|', '\\|')} | ${why[`${r.repo}:${r.path}`] ?? '**not explained**'} |`
  })
  return [
    '## Whole repositories',
    '',
    `\`node bench/foreign.mjs FOLDER --results FILE\`, and then the same with \`--markdown\`, prints this part. FOLDER holds checkouts of repositories that nobody prepared, among them none of those above. Each Slang file with entry points is a program. "Ours" and "theirs" count those of which each compiler makes WGSL that Dawn takes. Where it refuses a module of several entry points of the real compiler, modules of one are tried. Programs that both compile then run on the same contents; a vertex or fragment stage that stands alone gets another one. The last columns count those that give the same numbers, and those that do not.`,
    '',
    '| repository | commit | ours | theirs | both | same numbers | differ |',
    '|---|---|--:|--:|--:|--:|--:|',
    ...lines,
    `| all | | ${total.ours} | ${total.theirs} | ${total.both} | ${total.same} | ${total.differ} |`,
    '',
    ...(reasons.length === 0 ? [] : ['| program | what differs | why |', '|---|---|---|', ...reasons]),
  ].join('\n')
}

/** The anchor of a heading, as GitHub makes it: links between pages work there and on the site. */
export const slug = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_\s-]/gu, '')
    .trim()
    .replace(/\s/g, '-')

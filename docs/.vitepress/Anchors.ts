/** The anchor that GitHub gives a heading, so that one link serves both. `scripts/generate/Markdown.ts` has the same. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/gu, "-")

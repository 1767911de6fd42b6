/**
 * The site: the Markdown of this repository, made by `npm run docs:build` without a network, and shown without one:
 * no fonts, no scripts and no counters from elsewhere.
 *
 * VitePress, because its search is an index in the browser and its theme needs no fonts; the search of others is a service or
 * a further dependency. The source is the folder of the repository, so that no text exists twice. TypeDoc reads all entry
 * points in one program, by TypeScript 6, because version 7 has no compiler API.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { defineConfig } from "vitepress"
import { anchorOf } from "./Anchors.ts"
import { rewriteLinks } from "./Links.ts"
import { llmsText } from "./LlmsText.ts"
import { addressOf, conceptsPart, recipesPart, referencePart, startPart } from "./Pages.ts"

const all = [...startPart(), ...conceptsPart(), ...recipesPart(), ...referencePart()]

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="6" fill="#1d4ed8"/><path d="M6 16h8l10-8M14 16l10 8" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round"/></svg>`

/**
 * The pages lie outside of this folder, where Node does not find its packages: their compiled form takes Vue as it is,
 * and is loaded from here. In the browser's part vitepress names the file itself.
 */
const vueOfThisFolder = {
  name: "vue-of-this-folder",
  enforce: "pre" as const,
  resolveId: (id: string, _importer: string | undefined, { ssr }: { readonly ssr?: boolean }) =>
    ssr === true && /^vue(?:\/|$)/u.test(id) ? { id, external: true } : undefined
}

const description = "Payments routed over your own accounts at payment providers, and right about the money."

export default defineConfig({
  srcDir: "..",
  srcExclude: [
    "**/{node_modules,dist,artifacts,generated,coverage,test}/**",
    "**/CHANGELOG.md",
    "README.md",
    ".*/**",
    "{checks,scripts}/**"
  ],
  rewrites: (id) => {
    const address = addressOf(id)
    return address === undefined ? id : `${address}.md`
  },
  base: process.env["POINTSMAN_DOCS_BASE"] ?? "/",
  title: "Pointsman",
  description,
  lang: "en",
  cleanUrls: false,
  lastUpdated: false,
  vite: { plugins: [vueOfThisFolder] },
  head: [["link", { rel: "icon", href: `data:image/svg+xml,${encodeURIComponent(icon)}` }]],
  markdown: {
    // The usual light colours are too light for some of their words.
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    anchor: { slugify: anchorOf },
    config: rewriteLinks
  },
  transformPageData: (page) => {
    if (page.relativePath !== "index.md") return
    page.frontmatter = {
      ...page.frontmatter,
      layout: "home",
      hero: {
        name: "Pointsman",
        text: "One API for your payment providers. Never charge twice.",
        tagline:
          "It stores a payment before it calls a provider, sends each call once, and reports UNKNOWN when the result of a call is not known.",
        actions: [
          { theme: "brand", text: "The first payment", link: "/start" },
          { theme: "alt", text: "One payment, step by step", link: "/concepts/one-payment" },
          { theme: "alt", text: "Compared with others", link: "/concepts/compared" }
        ]
      }
    }
  },
  buildEnd: ({ outDir }) =>
    writeFileSync(join(outDir, "llms.txt"), llmsText(description, all, process.env["POINTSMAN_SITE"])),
  themeConfig: {
    nav: [
      { text: "Start", link: "/start", activeMatch: "^/start" },
      { text: "Concepts", link: "/concepts/one-payment", activeMatch: "^/concepts/" },
      { text: "Recipes", link: "/guides/configuration", activeMatch: "^/guides/" },
      { text: "Reference", link: "/reference/api", activeMatch: "^/(?:reference|states|api|packages|decisions)/" }
    ],
    sidebar: all,
    outline: { level: [2, 3] },
    search: {
      provider: "local",
      options: {
        detailedView: "auto",
        // The reference of exports has every word, and most often: what explains a word comes before it.
        miniSearch: { searchOptions: { boostDocument: (id: string) => (id.startsWith("/api/") ? 0.05 : 1) } }
      }
    },
    docFooter: { prev: false, next: false }
  }
})

/**
 * The reference of every export, as Markdown for the site: one page for each door of each package. One program reads
 * all of them from source; a program for each package takes four times as long, and wants the packages built.
 */
import { doors } from "./.typedoc/Doors.mjs"

/** @type {Partial<import("typedoc").TypeDocOptions>} */
export default {
  entryPoints: doors().map(({ file }) => file),
  tsconfig: ".typedoc/tsconfig.json",
  plugin: ["typedoc-plugin-markdown", "./.typedoc/Names.mjs"],
  name: "Every export",
  out: "api",
  readme: "none",
  router: "module",
  entryFileName: "README",
  excludeExternals: true,
  excludeInternal: true,
  excludePrivate: true,
  disableGit: true,
  disableSources: true,
  githubPages: false,
  skipErrorChecking: true,
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useHTMLEncodedBrackets: true,
  sanitizeComments: true,
  parametersFormat: "table",
  interfacePropertiesFormat: "table",
  typeAliasPropertiesFormat: "table",
  validation: { notExported: false },
  logLevel: "Warn"
}

/** The files of a shop that `pointsman init` writes: its sources are those of `templates/project`. */
import { readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { inPackage, json, ownManifest, versionsOfOthers } from "./NewConnector.ts"
import { type DrawnSecrets, environmentOf, projectConfiguration } from "./ProjectSettings.ts"
import { type Provider, type ProviderRow, providerRows } from "./ProviderRows.ts"

/** Each with the packages that its shop needs, as the examples have them. */
export const frameworks = {
  express: { title: "Express", dependencies: { express: "5.3.0" }, devDependencies: { "@types/express": "5.0.6" } },
  fastify: { title: "Fastify", dependencies: { fastify: "5.12.8" }, devDependencies: {} },
  hono: {
    title: "Hono",
    dependencies: { hono: "4.13.19", "@hono/node-server": "2.1.8" },
    devDependencies: {}
  },
  next: {
    title: "Next",
    dependencies: { next: "16.4.6", react: "19.3.1", "react-dom": "19.3.1" },
    devDependencies: { "@types/react": "19.3.0" }
  }
} as const
export type Framework = keyof typeof frameworks

export interface Project {
  readonly framework: Framework
  readonly provider: Provider
  /** The version or file of `@pointsman/node`. */
  readonly node: string
}

/** By their path in the project's folder. `.env` is the one that holds secrets. */
export const projectFiles = (project: Project, secrets: DrawnSecrets): ReadonlyMap<string, string> => {
  const row = providerRows[project.provider]
  const settings = project.framework === "next" ? { "next.config.ts": nextConfiguration } : {}
  return new Map(
    Object.entries({
      "package.json": json(manifest(project)),
      "tsconfig.json": json(compilers[project.framework === "next" ? "next" : "node"]),
      ...settings,
      ".gitignore": ignored,
      ".env.example": environmentOf(row, null),
      ".env": environmentOf(row, secrets),
      "pointsman.json": json(projectConfiguration(project.provider)),
      "README.md": readme(project, row),
      ...sources(project)
    })
  )
}

export const exactVersion = (): string => ownManifest().version

/** The shop of the templates is that of Stripe on Express. */
const sources = ({ framework, provider }: Project): Readonly<Record<string, string>> => {
  const root = inPackage("templates/project")
  const read = (path: string): string => forProvider(readFileSync(join(root, path), "utf8"), provider)
  if (framework !== "next") return { "shop.ts": read("shop.ts"), "server.ts": read(`${framework}.ts`) }
  const routes = readdirSync(join(root, "app"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .toSorted()
  return Object.fromEntries(["shop.ts", "pointsman.ts", ...routes].map((path) => [path, read(path)]))
}

const forProvider = (text: string, provider: Provider): string => {
  const { method, variables } = providerRows[provider]
  const named =
    method === undefined ? text : text.replace("reference: orderId,", `$&\n      payment_method: "${method}",`)
  return named.replaceAll("STRIPE_SECRET_KEY", variables[0].name).replaceAll("stripe", provider)
}

const manifest = ({ framework, node }: Project) => {
  const { dependencies, devDependencies } = frameworks[framework]
  return {
    name: "my-shop",
    version: "0.0.0",
    private: true,
    type: "module",
    engines: ownManifest().engines,
    scripts: {
      start: framework === "next" ? "next dev --hostname 127.0.0.1" : "node --env-file=.env server.ts",
      typecheck: "tsc"
    },
    dependencies: { "@pointsman/node": node, ...dependencies },
    devDependencies: {
      "@types/node": versionsOfOthers["@types/node"].slice(1),
      ...devDependencies,
      typescript: versionsOfOthers.typescript.slice(1)
    }
  }
}

const compilers = {
  node: {
    compilerOptions: {
      target: "es2024",
      lib: ["es2024", "dom"],
      types: ["node"],
      module: "nodenext",
      verbatimModuleSyntax: true,
      erasableSyntaxOnly: true,
      allowImportingTsExtensions: true,
      strict: true,
      skipLibCheck: true,
      noEmit: true
    }
  },
  // With all that Next would add by itself.
  next: {
    compilerOptions: {
      target: "es2024",
      lib: ["es2024", "dom"],
      types: ["node"],
      module: "esnext",
      moduleResolution: "bundler",
      allowImportingTsExtensions: true,
      allowJs: false,
      resolveJsonModule: true,
      isolatedModules: true,
      esModuleInterop: true,
      incremental: true,
      jsx: "react-jsx",
      strict: true,
      skipLibCheck: true,
      noEmit: true,
      plugins: [{ name: "next" }]
    },
    include: ["next-env.d.ts", "**/*.ts", ".next/types/**/*.ts", ".next/dev/types/**/*.ts"],
    exclude: ["node_modules"]
  }
} as const

const nextConfiguration = `import type { NextConfig } from "next"

const config: NextConfig = {
  // Loaded by Node as they are: they open files and sockets, which a bundler has no business with.
  serverExternalPackages: ["@pointsman/node"]
}

export { config as default }
`

const ignored = `node_modules
.next
.env
*.db
*.db-*
`

const readme = ({ framework, provider }: Project, { card, keys, title }: ProviderRow): string => `# My shop

A shop on ${frameworks[framework].title} that takes payments with Pointsman.

    npm install
    npm start

Open http://127.0.0.1:3000 and buy tea. Without a key of ${title}, the customer pays on the page of the simulator.

To pay on ${title}'s own test page, write your test credentials into \`.env\` and start again. They are at
${keys}. ${card}

| File | What it is |
|---|---|
| \`shop.ts\` | opens Pointsman; the product, the pages, and what happens with events |
| ${framework === "next" ? "`app/`" : "`server.ts`"} | the routes of ${frameworks[framework].title}: the shop's own, Pointsman's API, its pages, and \`/webhooks\` |
| \`pointsman.json\` | the workspace with its connections and webhook endpoint |
| \`.env\` | secrets and addresses; keep it out of version control |

${title} sends its webhooks to \`/api/v1/psp-webhooks/${provider}\`, once the shop has an address that ${title} reaches.
\`docs/guides/${provider}.md\` of Pointsman says which events to enable.
`

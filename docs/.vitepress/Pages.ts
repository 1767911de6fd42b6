/**
 * Which files are pages of the site, at which address, and in which order they are listed. The files stay where
 * GitHub shows them: those of `docs/` lose that folder, and the README files of packages and examples are pages too.
 */
import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

export const root: string = fileURLToPath(new URL("../..", import.meta.url))

/** Markdown outside of `docs/` that is on the site, and its address. */
const around: Readonly<Record<string, string>> = {
  "ARCHITECTURE.md": "architecture",
  "CONTRIBUTING.md": "contributing",
  "AGENTS.md": "agents",
  "SECURITY.md": "security"
}

const readme = /^((?:packages|examples)\/.+)\/README\.md$/u

/** The address of a Markdown file, without the leading slash and without an ending; `undefined`: not on the site. */
export const addressOf = (file: string): string | undefined => {
  if (around[file] !== undefined) return around[file]
  if (/(?:^|\/)(?:node_modules|dist|generated|test)\//u.test(file)) return undefined
  const folder = readme.exec(file)?.[1]
  if (folder !== undefined) return folder
  if (!file.startsWith("docs/") || !file.endsWith(".md")) return undefined
  return file.slice("docs/".length, -".md".length).replace(/(^|\/)README$/u, "$1index")
}

/** Every page, by its file. */
export const pages = (): ReadonlyMap<string, string> => {
  const found = globSync(["*.md", "docs/**/*.md", "{packages,examples}/**/README.md"], {
    cwd: root,
    exclude: (path) => /(?:^|\/)(?:node_modules|dist|generated|artifacts)$/u.test(path)
  })
  return new Map(
    found
      .map((file) => file.replaceAll("\\", "/"))
      .toSorted()
      .flatMap((file) => {
        const address = addressOf(file)
        return address === undefined ? [] : [[file, address]]
      })
  )
}

/** What is said in the list of pages: the heading of the page, or what the list says of it. */
const titleOf = (file: string): string =>
  (/^# (.+)$/mu.exec(readFileSync(join(root, file), "utf8"))?.[1] ?? file).replaceAll("`", "")

interface Item {
  text: string
  link: string
}

export interface Group {
  text: string
  items: Array<Item>
}

type Entry = string | readonly [file: string, title: string]

/** Those that are there, in this order, and then whatever else `rest` matches. */
const items = (entries: ReadonlyArray<Entry>, rest?: RegExp): Array<Item> => {
  const named = entries.map((entry) => (typeof entry === "string" ? ([entry, undefined] as const) : entry))
  const files = named.map(([file]) => file)
  const others =
    rest === undefined ? [] : [...pages().keys()].filter((file) => rest.test(file) && !files.includes(file))
  return [...named, ...others.map((file) => [file, undefined] as const)]
    .filter(([file]) => existsSync(join(root, file)))
    .map(([file, title]) => ({
      text: title ?? titleOf(file),
      link: `/${(addressOf(file) ?? "").replace(/(^|\/)index$/u, "$1")}`
    }))
}

export const startPart = (): Array<Group> => [
  {
    text: "Start",
    items: items([
      ["docs/start.md", "The first payment"],
      ["docs/features.md", "Features"],
      ["docs/concepts/compared.md", "Compared with others"],
      ["docs/performance.md", "Performance"]
    ])
  }
]

export const conceptsPart = (): Array<Group> => [
  {
    text: "Concepts",
    items: items(
      [
        ["docs/concepts/one-payment.md", "One payment, step by step"],
        ["docs/concepts/unknown.md", "Unknown results"],
        ["docs/concepts/idempotency.md", "Idempotency"],
        ["docs/concepts/capture-void-refund.md", "Capture, void, refund"],
        ["docs/concepts/routing.md", "Routing"],
        ["docs/concepts/auto-routing.md", "Mode auto"],
        ["docs/concepts/environments.md", "Two environments"],
        ["docs/concepts/hosted-payments.md", "Hosted payments"],
        ["docs/concepts/packages.md", "Packages"],
        ["docs/concepts/words.md", "Words"]
      ],
      /^docs\/concepts\/(?!compared\.md)/u
    )
  }
]

export const recipesPart = (): Array<Group> => [
  {
    text: "Take payments",
    items: items([
      ["docs/guides/configuration.md", "Configure the server"],
      ["docs/guides/routing.md", "Route payments"],
      ["docs/guides/hosted-page.md", "Take payments on a page"],
      ["docs/guides/webhooks.md", "Receive webhooks"],
      ["docs/guides/partners.md", "Provision merchants"]
    ])
  },
  {
    text: "Connect providers",
    items: items([
      ["docs/guides/stripe.md", "Stripe"],
      ["docs/guides/adyen.md", "Adyen"],
      ["docs/guides/checkout.md", "Checkout.com"],
      ["docs/guides/mollie.md", "Mollie"],
      ["docs/guides/paypal.md", "PayPal"],
      ["docs/guides/write-a-connector.md", "Write a connector"],
      ["docs/guides/provider-messages.md", "Take messages of providers"]
    ])
  },
  {
    text: "Operate",
    items: items([
      ["docs/guides/go-live.md", "Go live"],
      ["docs/guides/deploy.md", "Deploy it"],
      ["docs/guides/backups.md", "Back up"],
      ["docs/guides/restore.md", "Restore"],
      ["docs/guides/upgrades.md", "Upgrade"],
      ["docs/guides/operations.md", "Settle payments with an unknown result"],
      ["docs/guides/console.md", "Work in the console"],
      ["docs/guides/command-line.md", "Use the command line"],
      ["docs/guides/mcp.md", "Ask a model (MCP)"],
      ["docs/guides/monitoring.md", "Watch it"],
      ["docs/guides/many-servers.md", "Run many servers"],
      ["docs/guides/citus.md", "Distributed PostgreSQL"],
      ["docs/guides/how-far-it-goes.md", "How far it goes"],
      ["docs/guides/archive.md", "Archive payments"],
      ["docs/guides/finance.md", "Close a month"]
    ])
  },
  {
    text: "Secure it",
    items: items([
      ["docs/guides/encryption-keys.md", "Encryption keys"],
      ["docs/guides/audit.md", "The audit trail"],
      ["docs/guides/incidents.md", "Runbooks for incidents"],
      ["docs/guides/pci-dss.md", "PCI DSS"],
      ["SECURITY.md", "Report a vulnerability"]
    ])
  },
  {
    text: "Build on it",
    items: items(
      [
        ["docs/guides/client.md", "Call a server from TypeScript"],
        ["docs/guides/embed.md", "Embed the library"],
        ["docs/guides/node.md", "Embed it without Effect"],
        ["docs/guides/simulate.md", "Simulate a storage"]
      ],
      /^docs\/guides\/(?!(?:configuration|routing|hosted-page|webhooks|partners|stripe|adyen|checkout|mollie|paypal|write-a-connector|provider-messages|go-live|deploy|backups|restore|upgrades|operations|console|command-line|mcp|monitoring|many-servers|citus|how-far-it-goes|archive|finance|encryption-keys|audit|incidents|pci-dss)\.md)/u
    )
  },
  { text: "Examples", items: items([], /^examples\/.+\/README\.md$/u) }
]

export const referencePart = (): Array<Group> => [
  {
    text: "API",
    items: items([
      ["docs/reference/api.md", "Endpoints"],
      ["docs/reference/errors.md", "Errors"],
      ["docs/reference/events.md", "Events"],
      ["docs/reference/provider-protocol.md", "Provider protocol"]
    ])
  },
  {
    text: "Server",
    items: items([
      ["docs/reference/settings.md", "Settings"],
      ["docs/reference/configuration-file.md", "Configuration file"],
      ["docs/reference/data-map.md", "Data map"],
      ["docs/reference/costs.md", "Costs"]
    ])
  },
  {
    text: "Behaviour",
    items: items(
      [
        ["docs/reference/next-steps.md", "What follows an attempt"],
        ["docs/reference/connector-verification.md", "How connectors are verified"],
        ["docs/reference/declines.md", "What a decline means"],
        ["docs/reference/payment-methods.md", "Payment methods"],
        ["docs/reference/report-formats.md", "Reports"],
        ["docs/reference/proofs.md", "What is proven"]
      ],
      /^docs\/reference\/(?!(?:api|errors|events|provider-protocol|settings|configuration-file|data-map|costs)\.md)/u
    )
  },
  {
    text: "States",
    items: items(
      [
        ["docs/states/payment.md", "A payment"],
        ["docs/states/refund.md", "A refund"],
        ["docs/states/claim.md", "An idempotency key"],
        ["docs/states/delivery.md", "A delivery"]
      ],
      /^docs\/states\//u
    )
  },
  { text: "Packages", items: items([], /^packages\/.+\/README\.md$/u) },
  ...(existsSync(join(root, "docs/api/README.md"))
    ? [{ text: "TypeScript", items: items([["docs/api/README.md", "Every export"]]) }]
    : []),
  {
    text: "How it is made",
    items: items([
      ["ARCHITECTURE.md", "Architecture"],
      ["CONTRIBUTING.md", "Contributing"],
      ["docs/contributing/where.md", "Where things are"],
      ["docs/contributing/checks.md", "Checks"],
      ["docs/contributing/planted-faults.md", "Planted faults"],
      ["AGENTS.md", "Working in the repository"],
      ["docs/decisions/README.md", "Decisions"],
      ["docs/decisions/tried.md", "Tried, and dropped"],
      ["docs/decisions/weight.md", "Weight of the repository"]
    ])
  }
]

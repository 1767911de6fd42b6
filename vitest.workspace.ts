import type { TestProjectConfiguration } from "vitest/config"

const project = (name: string, dir: string): TestProjectConfiguration => ({
  extends: true,
  test: { name, root: dir, include: ["test/**/*.test.ts"] }
})

/** Generated clients, linters, browsers and runtimes: what others' tools make of what we serve, for the long checks. */
const withTools = process.env["POINTSMAN_TOOLS"] === "all"
const tools = ["test/openapi/Clients.test.ts", "test/openapi/Lint.test.ts", "test/browser/*.test.ts"]

export default [
  project("core", "packages/core"),
  project("configuration", "packages/configuration"),
  project("contracts", "packages/contracts"),
  project("transport-node", "packages/transport-node"),
  project("archive", "packages/archive"),
  project("reconcile", "packages/reconcile"),
  project("storage-memory", "packages/storage/memory"),
  project("storage-sql", "packages/storage/sql"),
  project("storage-sqlite", "packages/storage/sqlite"),
  // All of its files share one server.
  {
    extends: true,
    test: {
      name: "storage-postgres",
      root: "packages/storage/postgres",
      include: ["test/**/*.test.ts"],
      globalSetup: ["test/support/GlobalSetup.ts"]
    }
  },
  // All of its files share one cluster.
  {
    extends: true,
    test: {
      name: "storage-citus",
      root: "packages/storage/citus",
      include: ["test/**/*.test.ts"],
      globalSetup: ["../postgres/test/support/GlobalSetup.ts", "test/support/GlobalSetup.ts"]
    }
  },
  project("connector-sandbox", "packages/connectors/sandbox"),
  project("connector-http", "packages/connectors/http"),
  project("connector-stripe", "packages/connectors/stripe"),
  project("connector-adyen", "packages/connectors/adyen"),
  project("connector-checkout", "packages/connectors/checkout"),
  project("connector-mollie", "packages/connectors/mollie"),
  project("connector-paypal", "packages/connectors/paypal"),
  {
    extends: true,
    test: {
      name: "http",
      root: "packages/http",
      include: ["test/**/*.test.ts"],
      exclude: withTools ? [] : tools,
      globalSetup: ["test/support/GlobalSetup.ts"]
    }
  },
  {
    extends: true,
    test: {
      name: "console",
      root: "packages/console",
      include: ["test/**/*.test.ts"],
      exclude: withTools ? [] : ["test/browser/*.test.ts"]
    }
  },
  project("node", "packages/node"),
  {
    extends: true,
    test: {
      name: "client",
      root: "packages/client",
      include: ["test/**/*.test.ts"],
      exclude: withTools ? [] : ["test/Runtimes.test.ts"]
    }
  },
  // Its tests start servers and commands from one bundle of the sources, and share the server of PostgreSQL.
  {
    extends: true,
    test: {
      name: "server",
      root: "packages/server",
      include: ["test/**/*.test.ts"],
      exclude: withTools ? [] : ["test/browser/*.test.ts"],
      globalSetup: [
        "test/support/Bundle.ts",
        "../storage/postgres/test/support/GlobalSetup.ts",
        "../storage/citus/test/support/GlobalSetup.ts"
      ]
    }
  },
  project("example-embed", "examples/embed"),
  project("example-effect-app", "examples/effect-app"),
  project("example-express", "examples/express"),
  project("example-fastify", "examples/fastify"),
  project("example-hono", "examples/hono"),
  project("example-next", "examples/next"),
  project("example-receiver", "examples/receiver"),
  project("example-many-servers", "examples/many-servers"),
  project("mutations", "checks/mutations"),
  {
    extends: true,
    test: {
      name: "docs-check",
      root: "checks/docs",
      include: ["test/**/*.test.ts"],
      exclude: process.env["POINTSMAN_DOCS"] === "all" ? [] : ["test/running/*.test.ts"]
    }
  },
  project("tidy", "checks/tidy")
]

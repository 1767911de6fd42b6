/** The parts of the release checks, in the order in which they run: what a user may rely on, and the command lines. */
export const parts: Readonly<Record<string, readonly [proves: string, ...lines: ReadonlyArray<string>]>> = {
  kills: [
    "No acknowledged payment is lost and no charge is sent twice over 75 killed servers, and 50 with disputes",
    "POINTSMAN_LONG=all vitest run --project server test/KillRounds test/DisputeKills"
  ],
  "crash-matrix": [
    "Every operation of every client survives its death at every point, and a second one, on memory and SQLite",
    "POINTSMAN_LONG=all vitest run --project storage-memory --project storage-sqlite CrashMatrix"
  ],
  simulations: [
    "No money moves twice or unseen in 10,000 seeds over memory, 500 over SQLite and 200 over PostgreSQL",
    "npm run --silent simulate -- --count 10000 --storage memory",
    "npm run --silent simulate -- --count 500 --storage sqlite",
    "npm run --silent simulate -- --count 200 --storage postgres"
  ],
  "provider-books": [
    "Payments at PayPal, Mollie and Checkout.com behind a faulty network agree with the provider's books",
    "POINTSMAN_PAYPAL_SEEDS=500 POINTSMAN_MOLLIE_SEEDS=500 POINTSMAN_CHECKOUT_SEEDS=500 vitest run --project connector-paypal --project connector-mollie --project connector-checkout"
  ],
  races: [
    "Of 64 simultaneous requests under one key, one is processed, 100 times on each storage and over HTTP",
    "POINTSMAN_RACES=all vitest run --project storage-memory --project storage-sqlite --project storage-postgres --project http --testTimeout=300000 --maxWorkers=1 contract.test OperationRaces"
  ],
  model: [
    "The API answers as a model of the contract does, in 10,000 + 1,000 + 500 sequences of requests",
    "POINTSMAN_MODEL_MEMORY=10000 POINTSMAN_MODEL_SQLITE=1000 POINTSMAN_MODEL_POSTGRES=500 vitest run --project server Model"
  ],
  fuzz: [
    "100,000 generated inputs and 180,000 forms, queries and reports get documented answers, none over 50 ms of the processor for each 16 KB",
    "POINTSMAN_LONG=all POINTSMAN_FUZZ_COUNT=100000 vitest run --project server --project console test/fuzz"
  ],
  postgres: [
    "Standbys, PgBouncer, other installed versions, ten killed databases and migrations under writers behave as documented",
    "POINTSMAN_LONG=all POINTSMAN_POSTGRES_KILLS=10 vitest run --project storage-postgres --project server Standby PgBouncer Versions Crash.test Migrate.test"
  ],
  citus: [
    "A Citus cluster passes the storage suite's chapters on races, references, retention, settlements and shards, and its killed nodes tear no commit",
    "POINTSMAN_LONG=all POINTSMAN_CITUS=all vitest run --project storage-citus OneNode Shards Citus.contract --testTimeout=60000 -t 'races|references of charges|followers|retention|settlements|disputes|nodes that a statement asks|shards that move'",
    "POINTSMAN_LONG=all POINTSMAN_CITUS=all vitest run --project storage-citus test/Crash test/Outage"
  ],
  "citus-nodes": [
    "Killed Citus nodes and workspaces that move lose no acknowledged payment, with three servers and load",
    "POINTSMAN_CITUS=all POINTSMAN_KILL_ROUNDS_CITUS=10 POINTSMAN_MANY_SERVERS_CITUS=1 vitest run --project server KillRounds ManyServers",
    "POINTSMAN_LONG=all POINTSMAN_CITUS=all vitest run --project server --maxWorkers=1 test/CitusNodes MovedWorkspaces"
  ],
  "many-servers": [
    "Three servers on one database, killed together with it, lose nothing",
    "POINTSMAN_LONG=all vitest run --project server ManyServers"
  ],
  failover: [
    "A promoted standby, asynchronous with a recovery and synchronous, charges no key twice",
    "POINTSMAN_LONG=all vitest run --project server test/Failover.test.ts"
  ],
  recovery: [
    "1,000 payments that a restored backup lost come back from the provider's lists",
    "POINTSMAN_LONG=all vitest run --project server test/Recover.test.ts"
  ],
  servers: [
    "Killed workers, full disks, differing clocks, own connectors and a network that loses every packet lose no payment",
    "POINTSMAN_LONG=all vitest run --project server Workers DiskFaults Generations OwnConnectors StorageClock test/Partition.test.ts"
  ],
  overload: [
    "Under floods of one client or five times its peak, a server keeps serving others and refuses early",
    "POINTSMAN_LONG=all vitest run --project server --maxWorkers=1 Overload Floods AdmitRequests"
  ],
  "hanging-provider": [
    "A provider that hangs with 3,000 unknown payments delays no other connection",
    "POINTSMAN_LONG=all vitest run --project server test/Shares"
  ],
  "refusal-times": [
    "The time of a refused message does not tell whether a connection exists",
    "POINTSMAN_LONG=all vitest run --project server RefusalTimes"
  ],
  rotation: [
    "The encryption key is rotated under load, with killed servers and commands, and no secret is lost",
    "POINTSMAN_LONG=all vitest run --project server RotationUnderLoad"
  ],
  secrets: [
    "Planted secrets are in no store, backup, audit trail, webhook or telemetry in the clear",
    "POINTSMAN_LONG=all vitest run --project server ScrubStores"
  ],
  years: [
    "Three years of payments with retention and an archive balance, on SQLite and PostgreSQL",
    "POINTSMAN_LONG=all vitest run --project server ThreeYears"
  ],
  reports: [
    "Reports of 200,000 rows are read in bounded memory, with changed bytes too, and applied through kills",
    "POINTSMAN_LONG=all vitest run --project reconcile",
    "npm run --silent bench:reconcile -- --smoke"
  ],
  routing: [
    "10,400 routing decisions are reproduced from what was recorded",
    "POINTSMAN_LONG=all vitest run --project core ReplayRouting"
  ],
  sandbox: [
    "Every outcome of the sandbox that is settled later is settled, customers pay on every provider's page, and new shops take payments",
    "POINTSMAN_LONG=all vitest run --project server CommandsDev test/Journeys test/NewShop"
  ],
  connector: [
    "A new connector goes from red to green with its own compiler and test runner",
    "POINTSMAN_LONG=all vitest run --project contracts NewConnector"
  ],
  examples: [
    "The built Next application and the example of many servers take payments",
    "npm run --silent build",
    "POINTSMAN_LONG=all POINTSMAN_NEXT=build vitest run --project example-next --project example-many-servers",
    "POINTSMAN_NEXT=build vitest run --project server test/NewShop -t Next"
  ],
  image: [
    "The image is built without a registry, started, found healthy, takes a payment, keeps it and stops when asked",
    "POINTSMAN_IMAGE=all vitest run --project server test/Image.test"
  ],
  documentation: [
    "The commands of the documentation run, and its site works in a browser",
    "tsc -p docs/tsconfig.json",
    "POINTSMAN_DOCS=all vitest run --project docs-check running"
  ],
  browsers: [
    "Generated clients, linters, a browser and the MCP inspector accept the API, the hosted pages, the console and `pointsman mcp`",
    "POINTSMAN_TOOLS=all vitest run --project http --project console --project server Clients Lint browser McpInspector"
  ],
  runtimes: [
    "The client passes its cases on Node 22, Deno and workerd",
    "checks/runtimes/node_modules/node-22-linux-*/bin/node node_modules/vitest/vitest.mjs run --project client",
    "POINTSMAN_TOOLS=all vitest run --project client Runtimes"
  ],
  cost: [
    "A create through the server takes no more processor time than when these checks last ran whole",
    "npm run --silent build",
    "npm run --silent bench:cost"
  ],
  benches: ["Every benchmark runs", "npm run --silent bench", "npm run --silent bench:all -- --smoke"],
  console: [
    "People find and settle their payments among 1,000,000 in the console, with a browser",
    "POINTSMAN_LONG=all POINTSMAN_TOOLS=all vitest run --project server ConsoleDays"
  ]
}

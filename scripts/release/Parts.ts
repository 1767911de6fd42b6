/** The parts of the release checks, in the order in which they run. */

export interface Part {
  /** What a user may rely on when it passes. */
  readonly proves: string
  readonly env?: Readonly<Record<string, string>>
  /** Command lines, run from the root until one of them fails. */
  readonly runs: ReadonlyArray<string>
}

const vitest = (projects: string, files: string, options = ""): string =>
  `npm exec --offline -- vitest run ${projects
    .split(" ")
    .map((name) => `--project ${name}`)
    .join(" ")} ${options} ${files}`
    .replaceAll(/ +/gu, " ")
    .trim()

const long = { POINTSMAN_LONG: "all" }

export const parts: Readonly<Record<string, Part>> = {
  kills: {
    proves: "No acknowledged payment is lost and no charge is sent twice over 75 killed servers, and 50 with disputes",
    env: long,
    runs: [vitest("server", "test/KillRounds test/DisputeKills")]
  },
  "crash-matrix": {
    proves: "Every operation of every client survives its death at every point, and a second one, on memory and SQLite",
    env: long,
    runs: [vitest("storage-memory storage-sqlite", "CrashMatrix")]
  },
  simulations: {
    proves: "No money moves twice or unseen in 10,000 seeds over memory, 500 over SQLite and 200 over PostgreSQL",
    runs: [
      "npm run --silent simulate -- --count 10000 --storage memory",
      "npm run --silent simulate -- --count 500 --storage sqlite",
      "npm run --silent simulate -- --count 200 --storage postgres"
    ]
  },
  "provider-books": {
    proves: "Payments at PayPal, Mollie and Checkout.com behind a faulty network agree with the provider's books",
    env: { POINTSMAN_PAYPAL_SEEDS: "500", POINTSMAN_MOLLIE_SEEDS: "500", POINTSMAN_CHECKOUT_SEEDS: "500" },
    runs: [vitest("connector-paypal connector-mollie connector-checkout", "")]
  },
  races: {
    proves: "Of 64 simultaneous requests under one key, one is processed, 100 times on each storage and over HTTP",
    env: { POINTSMAN_RACES: "all" },
    runs: [
      vitest(
        "storage-memory storage-sqlite storage-postgres http",
        "contract.test OperationRaces",
        "--testTimeout=300000 --maxWorkers=1"
      )
    ]
  },
  model: {
    proves: "The API answers as a model of the contract does, in 10,000 + 1,000 + 500 sequences of requests",
    env: { POINTSMAN_MODEL_MEMORY: "10000", POINTSMAN_MODEL_SQLITE: "1000", POINTSMAN_MODEL_POSTGRES: "500" },
    runs: [vitest("server", "Model")]
  },
  fuzz: {
    proves: "100,000 generated inputs get documented answers, none over 50 ms of the processor",
    env: { POINTSMAN_FUZZ_COUNT: "100000" },
    runs: [vitest("server console", "test/fuzz")]
  },
  postgres: {
    proves: "Standbys, PgBouncer, other installed versions and ten killed databases behave as documented",
    env: { ...long, POINTSMAN_POSTGRES_KILLS: "10" },
    runs: [vitest("storage-postgres server", "Standby PgBouncer Versions Crash.test")]
  },
  partitions: {
    proves: "100,000 deliveries are removed by partition",
    env: long,
    runs: [vitest("storage-postgres", "Partitions")]
  },
  citus: {
    proves:
      "A Citus cluster passes the storage suite's chapters on races, references, retention, settlements and shards",
    env: { POINTSMAN_CITUS: "all" },
    runs: [
      vitest(
        "storage-postgres",
        "test/citus/OneNode test/citus/Shards test/citus/Citus.contract",
        "-t 'races|references of charges|followers|retention|settlements|disputes|nodes that a statement asks|shards that move|generated columns' --testTimeout=60000"
      )
    ]
  },
  "citus-nodes": {
    proves: "Killed Citus nodes lose no acknowledged payment, with three servers and load",
    env: { POINTSMAN_CITUS: "all", POINTSMAN_MANY_SERVERS_CITUS: "1" },
    runs: [vitest("server", "test/CitusNodes ManyServers")]
  },
  "many-servers": {
    proves: "Three servers on one database, killed together with it, lose nothing",
    env: { POINTSMAN_MANY_SERVERS: "6" },
    runs: [vitest("server", "ManyServers")]
  },
  failover: {
    proves: "A promoted standby, asynchronous with a recovery and synchronous, charges no key twice",
    env: long,
    runs: [vitest("server", "test/Failover.test.ts")]
  },
  recovery: {
    proves: "1,000 payments that a restored backup lost come back from the provider's lists",
    env: long,
    runs: [vitest("server", "test/Recover.test.ts")]
  },
  servers: {
    proves: "Killed workers, full disks, differing clocks, several configurations and own connectors do no harm",
    env: long,
    runs: [vitest("server", "Workers DiskFaults Generations OwnConnectors StorageClock")]
  },
  network: {
    proves: "A network that loses every packet between server and PostgreSQL delays payments and loses none",
    env: long,
    runs: [vitest("server", "test/Partition.test.ts")]
  },
  floods: {
    proves: "Floods of one client do not stop the payments of another",
    env: long,
    runs: [vitest("server", "Floods")]
  },
  overload: {
    proves: "A server under five times its peak refuses early and keeps its pace; a slow database too",
    env: long,
    runs: [vitest("server", "Overload")]
  },
  "hanging-provider": {
    proves: "A provider that hangs with 3,000 unknown payments delays no other connection",
    env: long,
    runs: [vitest("server", "test/Shares")]
  },
  "refusal-times": {
    proves: "The time of a refused message does not tell whether a connection exists",
    env: long,
    runs: [vitest("server", "RefusalTimes")]
  },
  rotation: {
    proves: "The encryption key is rotated under load, with killed servers and commands, and no secret is lost",
    env: long,
    runs: [vitest("server", "RotationUnderLoad")]
  },
  secrets: {
    proves: "Planted secrets are in no store, backup, audit trail, webhook or telemetry in the clear",
    env: long,
    runs: [vitest("server", "ScrubStores")]
  },
  years: {
    proves: "Three years of payments with retention and an archive balance, on SQLite and PostgreSQL",
    env: long,
    runs: [vitest("server", "ThreeYears")]
  },
  reports: {
    proves: "Reports of 200,000 rows are read in bounded memory, with changed bytes too, and applied through kills",
    env: long,
    runs: [vitest("reconcile", ""), "npm run --silent bench:reconcile -- --smoke"]
  },
  routing: {
    proves: "10,400 routing decisions are reproduced from what was recorded",
    env: long,
    runs: [vitest("core", "ReplayRouting")]
  },
  sandbox: {
    proves: "Every outcome of the sandbox that is settled later is settled",
    env: long,
    runs: [vitest("server", "CommandsDev")]
  },
  connector: {
    proves: "A new connector goes from red to green with its own compiler and test runner",
    env: long,
    runs: [vitest("contracts", "NewConnector")]
  },
  examples: {
    proves: "The built Next application and the example of many servers take payments",
    env: { ...long, POINTSMAN_NEXT: "build" },
    runs: ["npm run --silent build", vitest("example-next example-many-servers", "")]
  },
  documentation: {
    proves: "The commands of the documentation run, and its site works in a browser",
    env: { POINTSMAN_DOCS: "all" },
    runs: ["npm exec --offline -- tsc -p docs/tsconfig.json", vitest("docs-check", "running")]
  },
  browsers: {
    proves: "Generated clients, linters and a browser accept the API, the hosted pages and the console",
    env: { POINTSMAN_TOOLS: "all" },
    runs: [vitest("http console server", "Clients Lint browser")]
  },
  benches: {
    proves: "Every benchmark runs",
    runs: ["npm run --silent bench", "npm run --silent bench:all -- --smoke"]
  }
}

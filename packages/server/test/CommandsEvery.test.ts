/**
 * What holds for every command there is: with `--json` it prints one document, each has its words in the help, a shell
 * completes it. The commands are found by walking the tree: a new one without a line here fails.
 */
import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Completions } from "effect/cli"
import { assert, describe, it } from "vitest"
import { pointsmanCommand } from "../src/commands/AllCommands.ts"
import { runHere, startHere } from "./support/CommandInProcess.ts"
import { documentOf } from "./support/CommandProcess.ts"
import { startDevHere } from "./support/ServerHere.ts"
import { each, temporaryFolder } from "./support/ServerProcess.ts"

type Descriptor = Completions.CommandDescriptor

const leavesOf = (
  command: Descriptor,
  path: ReadonlyArray<string> = []
): ReadonlyArray<readonly [string, Descriptor]> =>
  command.subcommands.length === 0
    ? [[path.join(" "), command]]
    : command.subcommands.flatMap((sub) => leavesOf(sub, [...path, sub.name]))

const tree = Completions.fromCommand(pointsmanCommand({}))
const leaves = leavesOf(tree)

/** They run until they are stopped, and their own tests check what they print. */
const servers: ReadonlySet<string> = new Set(["serve", "dev", "mcp"])
/** They print a file for other programs, of any size and in a format of theirs. */
const files: ReadonlySet<string> = new Set(["books export"])

interface Known {
  readonly captured: string
  readonly unknown: string
  readonly delivery: string
  readonly refusedDelivery: string
  readonly key: string
}

/** `listen` is below. What the others need is in `CommandsCorrections`, `CommandsMessages`, `Partners`, `CommandsOperators`, `CommandsOperate`, `CommandsArchive`, `CommandsReconcile` and `CommandsShards.test.ts`. */
const groupsElsewhere = {
  archive: ["list", "read", "run", "verify"],
  books: ["export"],
  corrections: ["approve", "reject", "withdraw"],
  messages: ["apply"],
  merchants: ["invite"],
  operators: ["add", "change", "remove", "link"],
  payments: ["capture", "void", "refund"],
  reconcile: ["accept", "close", "fetch", "payout", "run", "show"],
  shards: ["isolate", "list", "move", "rebalance"]
}
const elsewhere: ReadonlySet<string> = new Set([
  "listen",
  ...Object.entries(groupsElsewhere).flatMap(([group, names]) => names.map((name) => `${group} ${name}`))
])

const ofDemo = ["--workspace", "demo", "--environment", "sandbox"]

/** What each is run with besides `--json`. */
const wordsOf: Readonly<Record<string, (known: Known) => ReadonlyArray<string>>> = {
  init: () => ["--framework", "none"],
  "new-connector": () => ["acme-pay"],
  trigger: () => ["captured"],
  "config check": () => ["--config", "empty.json"],
  "config apply": () => ["empty.json"],
  "routing explain": ({ captured }) => [captured],
  "routing replay": () => [...ofDemo, "--since", "1 day"],
  "routing rates": () => ["--workspace", "demo"],
  "workspaces list": () => [],
  "workspaces show": () => ["demo"],
  "keys list": () => [],
  "keys create": () => ofDemo,
  "keys restore": ({ key }) => [key],
  "keys revoke": ({ key }) => [key],
  "keys rotate-encryption": () => [],
  "connections list": () => [],
  "connections show": () => ["demo-first"],
  recover: () => ["--since", "1 day", "--dry-run"],
  "payments list": () => ofDemo,
  "payments show": ({ captured }) => [captured],
  "unknown list": () => [],
  "unknown show": ({ unknown }) => [unknown],
  "unknown settle": ({ unknown }) => [
    unknown,
    ...["--charge", "captured", "--amount", "1999", "--reference", "ch_1"],
    ...["--evidence", "dashboard", "--by", "Jo"]
  ],
  "corrections list": () => [],
  "corrections show": ({ captured }) => [captured],
  "messages list": () => [],
  "messages show": () => ["demo-first", "msg_1"],
  erase: () => ["--reference", "order-1001", "--by", "Jo", "--dry-run"],
  "reconcile list": () => [],
  "reconcile differences": () => [],
  "reconcile balance": () => ofDemo,
  "reconcile payouts": () => ofDemo,
  "retention status": () => [],
  "retention run": () => ["--dry-run"],
  "webhooks list": () => ofDemo,
  "webhooks attempts": ({ delivery }) => [delivery],
  "webhooks redeliver": ({ refusedDelivery }) => [refusedDelivery],
  "audit list": () => [],
  "audit verify": () => [],
  "operators list": () => [],
  usage: () => ["--workspace", "demo", "--from", "1 day"],
  "books balance": () => ofDemo,
  doctor: () => []
}

/** Beside a running sandbox, on its database. */
const setUp = async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, "empty.json"), JSON.stringify({ workspaces: [] }))
  const { dev, request } = await startDevHere(folder)
  const idOf = async (status: string) =>
    (await request("GET", `/api/v1/payments?status=${status}`)).body.data[0].payment_id
  // Payments are listed in the order of their creation, and this one last.
  await dev.printed(/ payment\.requires_action /u)
  // The commands find the database of the sandbox.
  const environment = { POINTSMAN_ALLOW_PRIVATE_WEBHOOKS: "true" }
  const run = (path: string, words: ReadonlyArray<string>) =>
    runHere(folder, [...path.split(" "), ...words, "--json"], environment)
  // The receiver hears of a delivery before the server has written its answer down.
  const delivered = async (): Promise<ReadonlyArray<string>> =>
    each(documentOf(await run("webhooks list", [...ofDemo, "--status", "delivered"])).data, "id")
  while ((await delivered()).length < 2) await new Promise((resolve) => setTimeout(resolve, 20))
  const [delivery = "", refusedDelivery = ""] = await delivered()
  const db = new DatabaseSync(join(folder, ".pointsman/dev.db"))
  db.prepare("update deliveries set state = 'Refused', due_at = null where id = ?").run(refusedDelivery)
  // The simulator sends none.
  db.exec(`insert into messages (workspace_id, environment, connection_id, event_id, about, subject_id, outcome, written_at,
      received_at, body, is_sealed)
    values ('demo', 'sandbox', 'demo-first', 'msg_1', 'charge', 'att_1', 'unmatched', 1, 1, '{}', 0)`)
  db.close()
  const made = documentOf(await run("keys create", ofDemo)).data
  const known: Known = {
    captured: await idOf("CAPTURED"),
    unknown: await idOf("UNKNOWN"),
    delivery,
    refusedDelivery,
    key: made.id
  }
  return { folder, known, run }
}

describe("every command", () => {
  it("each command with --json prints one document of an object, and succeeds", async () => {
    const expected = leaves.map(([path]) => path).filter((path) => !servers.has(path) && !elsewhere.has(path))
    assert.sameMembers(Object.keys(wordsOf), expected)
    const { folder, known, run } = await setUp()
    for (const [path, words] of Object.entries(wordsOf)) {
      const end = await run(path, words(known))
      assert.strictEqual(end.code, 0, `${path}: ${end.stderr}`)
      const document = JSON.parse(end.stdout)
      // What is asked for is `data`; the check of a file tells what it looked at.
      assert.hasAnyKeys(document, ["data", "checked"], path)
      assert.notMatch(end.stdout, /[A-Z]+Minor|"[a-z]+[A-Z][A-Za-z]*":(?! \{| \[)/u, `${path}: names are in snake case`)
    }
    const { stderr } = await run("payments list", ofDemo)
    assert.strictEqual(stderr, "Using .pointsman/dev.db, the database of pointsman dev.\n")
    const other = { POINTSMAN_DATABASE_URL: "sqlite:.pointsman/pointsman.db" }
    const named = await runHere(folder, ["payments", "list", ...ofDemo], other)
    assert.match(named.stderr, /^No database at /u)

    const listen = startHere(folder, ["listen", "--json"])
    await listen.printed(/^Listening/u, "stderr")
    await run("trigger", ["declined"])
    const [line] = await listen.printed(/^\{.*\}$/mu)
    assert.deepInclude(JSON.parse(line), { type: "payment.created", status: "PENDING", forwarded: null })
    assert.strictEqual((await listen.stop()).code, 0)
  })

  it.each(leaves)("%s says what it does, and its flags do", (path, command) => {
    assert.isAbove(command.description?.length ?? 0, 9)
    for (const { description, name } of [...command.flags, ...command.arguments]) {
      assert.isAbove(description?.length ?? 0, 5, `${path}: ${name}`)
    }
    assert.strictEqual(
      command.flags.some(({ name }) => name === "json"),
      !servers.has(path) && !files.has(path)
    )
  })
})

describe("pointsman init for the server", () => {
  const none = ["init", "--framework", "none"]

  it("an empty folder passes the check after a command, which replaces nothing", async () => {
    const folder = temporaryFolder()
    const first = await runHere(folder, none)
    assert.deepStrictEqual([first.code, first.stderr], [0, ""])
    assert.match(first.stdout, /^Written: pointsman\.json, \.env\.example, \.env\n/u)
    assert.match(first.stdout, /Next:\n {2}set -a; .*\n {2}pointsman config check .*\n {2}pointsman serve .*\n$/u)
    assert.strictEqual(statSync(join(folder, ".env")).mode & 0o777, 0o600)

    const read = (name: string) => readFileSync(join(folder, name), "utf8")
    const variablesOf = (text: string) =>
      Object.fromEntries(Array.from(text.matchAll(/^([A-Z_]+)=(.*)$/gmu), ([, name = "", value = ""]) => [name, value]))
    const environment = variablesOf(read(".env"))
    assert.sameMembers(Object.keys(variablesOf(read(".env.example"))), Object.keys(environment))
    for (const secret of ["POINTSMAN_API_KEY", "POINTSMAN_WEBHOOK_SECRET"]) {
      const value = environment[secret] ?? ""
      assert.isAbove(value.length, 20)
      for (const name of ["pointsman.json", ".env.example"]) assert.notInclude(read(name), value)
    }
    assert.deepStrictEqual(await runHere(folder, ["config", "check", "--strict"], environment), {
      code: 0,
      stdout: "1 workspace, 2 connections, 1 rule: no findings\n",
      stderr: ""
    })
    // Without its secrets it reports which variables are missing.
    const bare = await runHere(folder, ["config", "check", "--config", "pointsman.json"])
    assert.match(bare.stdout, /the environment variable POINTSMAN_API_KEY is not set/u)

    writeFileSync(join(folder, "pointsman.json"), "mine")
    const again = await runHere(folder, none)
    assert.deepStrictEqual([again.code, again.stdout, read("pointsman.json")], [1, "", "mine"])
    assert.match(
      again.stderr,
      /^pointsman\.json, \.env\.example, \.env already exist in \S+; nothing was written\.\n$/u
    )
    assert.deepStrictEqual(variablesOf(read(".env")), environment)
    assert.deepStrictEqual(readdirSync(folder).toSorted(), [".env", ".env.example", "pointsman.json"])

    // A file in the place of its folder.
    writeFileSync(join(folder, "here"), "")
    const end = await runHere(folder, [...none, "--dir", "here/shop"])
    assert.strictEqual(end.code, 1)
    assert.match(end.stderr, /^pointsman\.json cannot be written \(\w+\)\.\n$/u)
  })
})

describe("shell completions", () => {
  it.each(["bash", "zsh", "fish"])("%s has a script that knows every command", async (shell) => {
    const { code, stdout } = await runHere(temporaryFolder(), ["--completions", shell])
    assert.strictEqual(code, 0)
    for (const [path] of leaves) for (const word of path.split(" ")) assert.include(stdout, word)
  })

  it.runIf(existsSync("/bin/bash"))("bash completes a line as the command line would take it", async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, "completions"), (await runHere(folder, ["--completions", "bash"])).stdout)
    const complete = (line: string): ReadonlyArray<string> => {
      // As bash hands a line over: a colon is a word of its own.
      const words = line.split(/ |(?<=:)|(?=:)/u)
      const [word = "", before = ""] = words.toReversed()
      const script = [
        "source ./completions",
        `COMP_LINE=${JSON.stringify(line)} COMP_POINT=${line.length} COMP_CWORD=${words.length - 1}`,
        `COMP_WORDS=(${words.map((word) => JSON.stringify(word)).join(" ")})`,
        `_pointsman pointsman ${JSON.stringify(word)} ${JSON.stringify(before)}`,
        'printf "%s\\n" "$' + '{COMPREPLY[@]}"'
      ].join("\n")
      return execFileSync("/bin/bash", ["--norc", "-c", script], { cwd: folder, encoding: "utf8" })
        .trim()
        .split(/\s+/u)
        .toSorted()
    }
    assert.deepStrictEqual(complete("pointsman w"), ["webhooks", "workspaces"])
    assert.deepStrictEqual(complete("pointsman webhooks re"), ["redeliver"])
    assert.deepStrictEqual(complete("pointsman trigger void"), [
      "void-refused",
      "void-unknown",
      "void-unknown-then-voided",
      "voided"
    ])
    assert.deepStrictEqual(complete("pointsman trigger declined:exp"), ["expired_card"])
    assert.deepStrictEqual(complete("pointsman payments list --environment p"), ["production"])
    assert.deepStrictEqual(complete("pointsman listen --for"), ["--forward"])
  })
})

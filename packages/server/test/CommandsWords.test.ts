/** What operators type and read, without a process for each: their statements, whose data they mean, and what they lack. */
import type { Environment } from "@pointsman/core"
import { Option, Result } from "effect"
import { assert, describe, it } from "vitest"
import { type StatementTexts, sentenceOf, statementOf } from "../src/commands/StatementFlags.ts"
import { namedTenant, oneWorkspace } from "../src/commands/Tenants.ts"
import { ageOf, commandName, moneyText, printable } from "../src/commands/Words.ts"
import { runHere } from "./support/CommandInProcess.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"

type Typed = {
  readonly [Name in keyof StatementTexts]?: StatementTexts[Name] extends Option.Option<infer A> ? A : boolean
}

const typed = (given: Typed): StatementTexts => ({
  charge: Option.fromUndefinedOr(given.charge),
  amount: Option.fromUndefinedOr(given.amount),
  attempt: Option.fromUndefinedOr(given.attempt),
  refund: Option.fromUndefinedOr(given.refund),
  refundState: Option.fromUndefinedOr(given.refundState),
  reference: Option.fromUndefinedOr(given.reference),
  reviewed: given.reviewed === true
})

const captured: Typed = { charge: "captured", amount: 1999 }
const refund: Typed = { refund: "rf_1" }
const reference: Typed = { reference: "ch_1" }
const succeeded: Typed = { refundState: "succeeded" }

describe("a statement", () => {
  it.each<[Typed, string]>([
    [{}, "Expected exactly one of --charge, --refund with --refund-state, or --reviewed."],
    [{ ...captured, reviewed: true }, "Expected exactly one of"],
    [{ ...captured, ...refund, ...succeeded }, "Expected exactly one of"],
    [{ amount: 1 }, "Expected exactly one of"],
    [{ charge: "captured" }, "--amount: expected with --charge captured"],
    [{ ...captured, charge: "declined" }, "--amount: expected only with"],
    [{ ...reference, charge: "never_received" }, "--reference: not allowed with --charge never-received."],
    [{ ...reference, charge: "capture_failed" }, "--reference: not allowed with --charge capture-failed."],
    [{ charge: "void_failed", attempt: "att_1" }, "--attempt: not allowed with --charge void-failed."],
    [{ ...refund, ...succeeded, amount: 1 }, "--amount: expected only with"],
    [{ ...refund, ...succeeded, attempt: "att_1" }, "--attempt: expected only"],
    [refund, "--refund-state: required with --refund; expected succeeded, failed or never"],
    [succeeded, "--refund: required with --refund-state; expected the refund's id"],
    [
      { ...refund, ...reference, refundState: "never_received" },
      "--reference: not allowed with --refund-state never-received."
    ],
    [{ ...reference, reviewed: true }, "--reference: expected only with"],
    [{ reviewed: true, amount: 1 }, "--amount: expected only with"]
  ])("the statement %j is refused, and the flag is named", (given, said) => {
    const refused = statementOf(typed(given))
    assert.isTrue(Result.isFailure(refused) && refused.failure.startsWith(said), JSON.stringify(refused))
  })

  const charge = { _tag: "Charge", attemptId: null, amountMinor: null, providerRef: null }
  it.each<[Typed, object, string]>([
    [
      { ...captured, ...reference, attempt: "att_1" },
      { ...charge, says: "captured", attemptId: "att_1", amountMinor: 1999, providerRef: "ch_1" },
      "the provider's record says that the charge is captured: €19.99, reference ch_1, of att_1"
    ],
    [
      { charge: "never_received" },
      { ...charge, says: "never_received" },
      "the provider's record says that the charge was never received"
    ],
    [
      { charge: "capture_failed" },
      { ...charge, says: "capture_failed" },
      "the provider's record says that the capture failed"
    ],
    [
      { ...refund, ...succeeded, ...reference },
      { _tag: "Refund", says: "succeeded", refundId: "rf_1", providerRefundId: "ch_1" },
      "the provider's record says that the refund rf_1 succeeded: reference ch_1"
    ],
    [{ reviewed: true }, { _tag: "NothingToChange" }, "an operator reviewed the payment, and it is correct as recorded"]
  ])("the statement %j says just what was typed", (given, stated, sentence) => {
    const found = Result.getOrThrow(statementOf(typed(given)))
    assert.deepStrictEqual<object>(found, stated)
    assert.strictEqual(sentenceOf(found, "EUR"), sentence)
  })
})

describe("the workspace of a command", () => {
  const workspaces = (...ids: ReadonlyArray<string>) => ({
    workspaces: ids.map((id) => ({ id, name: id, country: null, category: null, suspended: false, partner: null }))
  })
  const many = Array.from({ length: 25 }, (_, at) => `w${at + 1}`)

  it.each<[string, ReadonlyArray<string>, string | null, string]>([
    ["the only one and no name", ["acme"], null, "acme"],
    ["several and a name", ["acme", "globex"], "globex", "globex"],
    ["none at all", [], "acme", "The database has no workspaces."],
    ["several and no name", ["acme", "globex"], null, "--workspace: expected one of acme, globex."],
    ["a name that none has", ["acme"], "ac\u001bme", '--workspace: expected one of acme; workspace "ac?me" not found.'],
    ["more than can be read", many, null, `--workspace: expected one of ${many.slice(0, 20).join(", ")}, and 5 more.`]
  ])("%s is found or asked for", (_, ids, named, expected) => {
    const found = oneWorkspace(workspaces(...ids), Option.fromNullishOr(named))
    assert.strictEqual(Result.isSuccess(found) ? found.success : found.failure.message, expected)
  })
})

describe("the environment that is meant", () => {
  const contents = (...own: ReadonlyArray<Environment>) => ({
    workspaces: [{ id: "acme", name: "Acme", country: null, category: null, suspended: false, partner: null }],
    connections: own.map((environment) => ({ workspaceId: "acme", environment }))
  })

  it.each<[string, ReadonlyArray<Environment>, Environment | null, string]>([
    ["one", ["sandbox", "sandbox"], null, "sandbox"],
    ["one, and the other is named", ["sandbox"], "production", "production"],
    [
      "both",
      ["production", "sandbox"],
      null,
      '--environment: expected sandbox or production: workspace "acme" has connections in both.'
    ],
    ["none", [], null, '--environment: expected sandbox or production: workspace "acme" has no connections.']
  ])("connections in %s are found or asked for", (_, own, named, expected) => {
    const found = namedTenant(contents(...own), Option.none(), Option.fromNullishOr(named))
    assert.strictEqual(Result.isSuccess(found) ? found.success.environment : found.failure.message, expected)
  })
})

describe("text for people", () => {
  it.each<[number, string, string]>([
    [1999, "EUR", "€19.99"],
    [1999, "JPY", "¥1,999"],
    [1999, "KWD", "KWD 1.999"],
    [1999, "QQQ", "1999 QQQ in minor units"]
  ])("%d minor units of %s read %s for an operator", (minorUnits, currency, text) => {
    assert.strictEqual(moneyText(minorUnits, currency), text)
  })

  it("text that a terminal would obey is shown as question marks", () => {
    assert.strictEqual(printable("a\u001b]0;x\u0007\n\u009b2J\u202eb\ud800"), "a?]0;x???2J?b?")
  })

  it.each<[number, string]>([
    [0, "0 s"],
    [59_999, "59 s"],
    [60_000, "1 min 0 s"],
    [7_380_000, "2 h 3 min"],
    [273_600_000, "3 d 4 h"],
    [-5, "0 s"]
  ])("%d milliseconds are an age of %s", (millis, age) => {
    assert.strictEqual(ageOf(1_000, 1_000 + millis), age)
  })
})

describe("the command that is printed", () => {
  it.each<[string, string | undefined, string]>([
    ["itself", undefined, "pointsman"],
    ["npm run pointsman, as in a clone", "pointsman", "npm run pointsman --"],
    ["npx", "npx", "npx pointsman"],
    ["another script of npm", "dev", "npx pointsman"]
  ])("%s is how another command is run", (_, script, command) => {
    assert.strictEqual(commandName({ npm_lifecycle_event: script }), command)
  })
})

describe("a command line that lacks words", () => {
  const argument = (name: string) => `Missing required argument: ${name}`
  const flag = (name: string) => `Missing required flag: --${name}`
  const amount = 'Invalid value for flag --amount: "19.99". Expected: a whole number of minor units above 0'

  it.each<[string, ReadonlyArray<string>]>([
    ["unknown settle", [argument("payment"), flag("evidence"), flag("by")]],
    ["unknown settle 01a1", [flag("evidence"), flag("by")]],
    ["unknown settle --by Jo", [argument("payment"), flag("evidence")]],
    ["unknown settle 01a1 --by=Jo", [`${flag("evidence")} (What you found and where; it appears on`]],
    ["unknown settle 01a1 --by Jo -- --evidence", [flag("evidence")]],
    ["unknown settle 01a1 --amount 19.99 --by Jo", [amount, flag("evidence")]],
    ["messages show", [argument("connection"), argument("message")]],
    ["messages show main", [argument("message")]],
    ["usage", [flag("from")]],
    // Perhaps the one that is missing: its right name is what helps.
    ["unknown settle 01a1 --evidense seen", ["Unrecognized flag: --evidense"]]
  ])("the mistakes of %j are named, each on a line, and the help", async (line, errors) => {
    const { code, stderr, stdout } = await runHere(temporaryFolder(), line.split(" "))
    assert.deepStrictEqual([code, stdout], [1, ""])
    const named = stderr.match(/^(?:Missing|Invalid|Unrecognized).*$/gmu) ?? []
    assert.lengthOf(named, errors.length, stderr)
    const [command] = /^[a-z]+(?: (?:settle|show))?/u.exec(line) ?? []
    assert.include(stderr, `\nIts arguments and flags: pointsman ${command} --help\n`)
    assert.notInclude(stderr, "DESCRIPTION")
    for (const [at, error] of errors.entries()) assert.include(named[at], error)
  })
})

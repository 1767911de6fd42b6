import type { Mutation } from "./Mutation.ts"

const keepEvidence = "packages/core/src/verbs/dispute/KeepEvidence.ts"
const claimCharge = "packages/core/src/verbs/create/ClaimCharge.ts"
const loop = "packages/core/src/commit/DecideAndCommit.ts"
const attemptInTurn = "packages/core/src/verbs/create/AttemptInTurn.ts"
const createPayment = "packages/core/src/verbs/create/CreatePayment.ts"
const callIds = "packages/core/src/call/CallIds.ts"
const keyRetention = "packages/core/src/decide/KeyRetention.ts"
const nextStep = "packages/core/src/routing/NextStep.ts"
const failoverTest = "packages/core/test/FailoverChecks.test.ts"
const nextAttempt = "packages/core/src/verbs/create/NextAttempt.ts"
const noticeLossTest = "packages/core/test/NoticeLoss.test.ts"
const noticeLoss = "packages/core/src/verbs/receive/NoticeLoss.ts"
const recoverTest = "packages/core/test/RecoverRecords.test.ts"
const findLostCharge = "packages/core/src/verbs/create/FindLostCharge.ts"
const lostKeysTest = "packages/core/test/LostKeys.test.ts"
const recoveredKey = "packages/core/src/verbs/create/RecoveredKey.ts"
const lostOperation = "packages/core/src/verbs/operate/LostOperation.ts"
const recoveredOperation = "packages/core/src/verbs/operate/RecoveredOperation.ts"
const replayRefund = "packages/core/src/verbs/refund/ReplayRefund.ts"
const recoverFile = "packages/core/src/verbs/recover/Recover.ts"
const recoverRecords = "packages/core/src/verbs/recover/RecoverRecords.ts"
const findRecord = "packages/core/src/verbs/recover/FindRecord.ts"
const lostRefundsTest = "packages/core/test/LostRefunds.test.ts"
const planCharge = "packages/core/src/verbs/recover/PlanCharge.ts"
const planRefund = "packages/core/src/verbs/recover/PlanRefund.ts"
const listsFile = "packages/core/src/call/Lists.ts"
const erasePayments = "packages/core/src/verbs/erase/ErasePayments.ts"
const erasePaymentsTest = "packages/core/test/ErasePayments.test.ts"

export const mutations: ReadonlyArray<Mutation> = [
  {
    name: "evidence is sent again",
    harm: "A dispute whose evidence the provider has, or may have, is submitted a second time.",
    edits: [
      {
        file: keepEvidence,
        find: "  if (openSubmission(dispute) !== undefined) return Effect.fail(new DisputePending())\n",
        replace: ""
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/Disputes.test.ts",
      test: "given a provider that has it, then the look-up ends it, and it is never sent again"
    },
    simulatedOn: "memory"
  },
  {
    name: "an operator answers a dispute without an entry",
    harm: "Nobody can tell later who gave up a dispute.",
    edits: [
      {
        file: "packages/core/src/door/Disputes.ts",
        find: "        Effect.mapError((cause) => new NothingSent({ cause })),\n",
        replace: "        Effect.ignore,\n"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/Disputes.test.ts",
      test: "given a dispute, when the operator asks to accept, then nothing is kept, claimed or sent"
    }
  },
  {
    name: "adopt a charge twice",
    harm: "A recovery whose write was answered late counts one charge as two attempts.",
    edits: [
      {
        file: "packages/core/src/verbs/recover/FindRecord.ts",
        find: "one.id === attemptId && one.connectionId === connectionId",
        replace: "one.id === attemptId && one.connectionId === attemptId"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/RecoverRecords.test.ts",
      test: "given a write that lands between two reads of the next try, then the charge is adopted once"
    }
  },
  {
    name: "an unknown submission was never received at once",
    harm: "A look-up that is too early lets the merchant submit evidence that the provider is still taking in.",
    edits: [
      {
        file: "packages/core/src/verbs/dispute/CheckDisputes.ts",
        find: " && isOldEnough(submission, { askedAt, agesFrom })",
        replace: ""
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/Disputes.test.ts",
      test: "given a provider that never received it, then that is believed late, and it may be sent again"
    }
  },
  {
    name: "an announced reminder forgotten when the clock is set back",
    harm: "The merchant is told of a deadline again that was announced, and learns to ignore it.",
    edits: [
      {
        file: "packages/core/src/decide/DisputeReminders.ts",
        find: "Math.max(now, reminderAt(before, remindedDays))",
        replace: "now"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/DisputeClocks.test.ts",
      test: "given a clock 12 days ahead, when it is set back and the same deadline is stated again, then no reminder comes twice"
    }
  },
  {
    name: "a jump of the machine's clock unnoticed",
    harm: "Evidence that is still under way counts as never received, and the merchant submits it twice.",
    edits: [
      {
        file: "packages/core/src/ports/StorageClock.ts",
        find: "if (Math.abs(difference - before) > stepMillis) agesFrom = now",
        replace: "if (Number.isNaN(difference)) agesFrom = now"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/DisputeClocks.test.ts",
      test: 'given one under way, when the clock of the machine jumps days ahead, then "never received" is not believed before its age'
    }
  },
  {
    name: "a submission that is dated ahead left open",
    harm: "The merchant cannot submit again before the deadline, and loses the dispute.",
    edits: [
      {
        file: "packages/core/src/verbs/dispute/CheckDisputes.ts",
        find: "const isOfAll = !looks.hasSeenAll(agesFrom)",
        replace: "const isOfAll = false"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/DisputeClocks.test.ts",
      test: "given a submission of a clock days ahead, when it is set back, then its result is looked up in minutes"
    }
  },
  {
    name: "a submission that is dated ahead believed lost at once",
    harm: "A look-up that is too early lets the merchant submit evidence that the provider is still taking in.",
    edits: [
      {
        file: "packages/core/src/verbs/dispute/CheckDisputes.ts",
        find: "sentTime(recorded, askedAt, [agesFrom, beganAt])",
        replace: "isDatedAhead(recorded.sentAt, askedAt) ? 0 : recorded.sentAt"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/DisputeClocks.test.ts",
      test: "given one that never arrived, when another process starts, then that is believed at its full age, and the merchant submits again"
    }
  },
  {
    name: "a submission that is dated ahead as old as an old jump",
    harm: "Evidence that is still under way counts as never received, and the merchant submits it twice.",
    edits: [
      {
        file: "packages/core/src/verbs/dispute/CheckDisputes.ts",
        find: "Math.max(...passed)",
        replace: "Math.min(...passed)"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/DisputeClocks.test.ts",
      test: "given a clock that jumped months ago, when a new process finds a submission that is dated ahead, then it is as old as the process"
    }
  },
  {
    name: "a reminder is not recorded",
    harm: "The merchant is reminded of a deadline at every check, and learns to ignore it.",
    edits: [
      {
        file: "packages/core/src/decide/DisputeFact.ts",
        find: "{ ...dispute, remindedDays: days }",
        replace: "{ ...dispute }"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/DisputeReminders.test.ts",
      test: "given a clock that is turned back and forth, then no reminder comes twice"
    }
  },
  {
    name: "an unknown submission ends the reminders",
    harm: "The deadline passes unannounced although the provider may not have the evidence.",
    edits: [
      {
        file: "packages/core/src/decide/DisputeFact.ts",
        find: 'after.kind === "submit" && (after.stage === "Done" || after.stage === "Pending")',
        replace: 'after.kind === "submit" && after.stage !== "Refused"'
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/DisputeReminders.test.ts",
      test: "given a submission whose result is unknown, then the deadline is still announced"
    },
    simulatedOn: "memory"
  },
  {
    name: "an inquiry charges its payment back",
    harm: "A payment whose money nobody took back is CHARGEBACK, and cannot be refunded.",
    edits: [
      {
        file: "packages/core/src/decide/interpret/Interpret.ts",
        find: "      if (verdict === null) return confirms\n      return ofDispute(book, attempt, { disputeId, verdict,",
        replace: '      return ofDispute(book, attempt, { disputeId, verdict: verdict ?? "opened",'
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/Disputes.test.ts",
      test: "given an inquiry, then it is a warning, and the payment stays as it is"
    }
  },
  {
    name: "an end that is dated before the opening is dropped",
    harm: "A dispute that was lost stays open, and its merchant waits for a decision.",
    edits: [
      {
        file: "packages/core/src/decide/DisputeStatement.ts",
        find: "  if (isEnd) return false\n",
        replace: ""
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/Disputes.test.ts",
      test: "given an end that is dated before the opening, then the dispute is won, and each move has one event"
    }
  },
  {
    name: "a node that was lost wrote nothing",
    harm: "A commit whose node died after it is taken for not written: the request is decided again beside it.",
    edits: [
      {
        file: "packages/storage/postgres/src/SqlFailures.ts",
        find: "  isTakenBack(fields) && /^(?:22|23|42|40001$|55P03$|PM001$)/u.test(fields.code)",
        replace: "  isTakenBack(fields)"
      }
    ],
    caughtBy: {
      project: "storage-postgres",
      file: "packages/storage/postgres/test/citus/TakenBack.test.ts",
      test: "given a lost connection between nodes, then the commit is unknown"
    }
  },
  {
    name: "a node that does not answer has its commits",
    harm: "A lagging standby takes the place of a worker that was down: no server notices the loss, and keys charge again.",
    edits: [
      {
        file: "packages/storage/sql/src/Acknowledged.ts",
        find: "      const open = old.filter((one) => !present.has(one))",
        replace: "      const open: typeof old = []"
      }
    ],
    caughtBy: {
      project: "storage-sql",
      file: "packages/storage/sql/test/Acknowledged.test.ts",
      test: "given a node that does not answer, when others commit on, then its newest commits stay to be compared"
    }
  },
  {
    name: "claim after send",
    harm: "A process that dies, or a store that fails, leaves a charge without a trace; the retry charges again.",
    edits: [
      {
        file: createPayment,
        find: "  const begun = yield* claimFirst(",
        replace:
          "  yield* (yield* OpenConnections).connector(plan.success.order[0]).pipe(Effect.flatMap((c) => c.charge(request)), Effect.ignore)\n  const begun = yield* claimFirst("
      },
      {
        file: createPayment,
        find: `import { sendCharge } from "./SendCharge.ts"\n`,
        replace: `import { sendCharge } from "./SendCharge.ts"\nimport { OpenConnections } from "../../call/OpenConnections.ts"\n`
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/IdempotentCreate.test.ts",
      test: "given a first commit that fails, then NothingSent, no provider call, and a retry works"
    },
    simulatedOn: "memory"
  },
  {
    name: "retry on unknown",
    harm: "The provider that did not answer may have charged; the next one charges again.",
    edits: [
      {
        file: nextStep,
        find: `    case "pointsman/NotSent":
      return end
`,
        replace: `    case "pointsman/NotSent":
    case "pointsman/Unanswered":
      return end
`
      },
      {
        file: nextStep,
        find: "): boolean => followers[mode][end._tag]",
        replace: "): boolean => followers[mode][end._tag] ?? true"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/CreatePayment.test.ts",
      test: "given mode failover, when the first ends unanswered, then the second is never asked"
    },
    simulatedOn: "memory"
  },
  {
    name: "send on an unknown commit",
    harm: "A charge goes out under a claim that may not be stored.",
    edits: [
      {
        file: claimCharge,
        find: "MaybeWritten: ({ cause, value }) => Effect.map(giveBack(value, request, fingerprint, cause), replayed),",
        replace: "MaybeWritten: ({ value }) => Effect.succeed(value),"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/IdempotentCreate.test.ts",
      test: "given a first commit whose answer is lost (lost), then nothing is sent on it and the key is free"
    },
    simulatedOn: "memory"
  },
  {
    name: "send on an old claim",
    harm: "A process that froze sends a charge that others have settled as never sent.",
    edits: [
      {
        file: attemptInTurn,
        find: "(yield* Clock.currentTimeMillis) > beginBy",
        replace: "(yield* Clock.currentTimeMillis) < 0"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/IdempotentCreate.test.ts",
      test: "given a claim whose commit took more than 5 seconds, then it is abandoned unsent and the key is free"
    }
  },
  {
    name: "forget an unknown payment's key",
    harm: "After a day the same key charges again although the first charge may have gone through.",
    edits: [
      {
        file: keyRetention,
        find: `  if (payment.state === "Charging" || statusOf[payment.state] === "UNKNOWN") return false\n`,
        replace: ""
      },
      {
        file: keyRetention,
        find: "const from = wasAnsweredBefore(claim, payment) ? payment.settledAt : claim.answeredAt",
        replace:
          "const from = wasAnsweredBefore(claim, payment) ? (payment.settledAt ?? claim.answeredAt) : claim.answeredAt"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/IdempotentCreate.test.ts",
      test: "given a payment that stays UNKNOWN, then its key never ends"
    },
    simulatedOn: "memory",
    simulatedUnder: "open-charges"
  },
  {
    name: "forget the key of a pending payment",
    harm: "The same key charges again a day after it was answered PENDING, while the first charge is still under way.",
    edits: [{ file: keyRetention, find: `new Set(["PENDING", "UNKNOWN"])`, replace: `new Set(["UNKNOWN"])` }],
    caughtBy: {
      project: "core",
      file: "packages/core/test/IdempotentCreate.test.ts",
      test: "given a payment that was answered PENDING, then its key is kept until 24 hours after it settled"
    },
    simulatedOn: "memory",
    simulatedUnder: "open-charges"
  },
  {
    name: "draw the id of an attempt",
    harm: "A store that lost its last records asks for the same charge under another id, and the provider charges again.",
    edits: [
      {
        file: callIds,
        find: "if (key === null) return yield* (yield* Ids).attempt",
        replace: "if (key !== undefined) return yield* (yield* Ids).attempt"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/DerivedIds.test.ts",
      test: "given another store and the same key on the same day, then the same id"
    },
    simulatedOn: "memory",
    simulatedUnder: "restore"
  },
  {
    name: "derive the id of a refund from the payment's id",
    harm: "A promoted standby lacks a payment; its create comes again and makes another one, and its refund is paid twice.",
    edits: [
      {
        file: callIds,
        find: "(holdingAttempt(book) ?? book.attempts.at(-1))?.id ?? id",
        replace: "id"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/DerivedIds.test.ts",
      test: "given another store that lost the payment, when its keys come again, then the refund has the same id"
    }
  },
  {
    name: "draw the id of a refund",
    harm: "A store that lost its last records asks for the same refund under another id, and the money is given back twice.",
    edits: [
      {
        file: callIds,
        find: "return key === null ? yield* (yield* Ids).refund",
        replace: "return key !== undefined ? yield* (yield* Ids).refund"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/DerivedIds.test.ts",
      test: "given another store that lost the payment, when its keys come again, then the refund has the same id"
    },
    simulatedOn: "memory",
    simulatedUnder: "restore"
  },
  {
    name: "draw the id of a capture",
    harm: "A store that lost its last records asks for the same capture under another id, and the money is taken twice.",
    edits: [
      {
        file: callIds,
        find: "return key === null ? yield* (yield* Ids).operation",
        replace: "return key !== undefined ? yield* (yield* Ids).operation"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/DerivedIds.test.ts",
      test: "given another store that lost the payment, when its keys come again, then the capture has the same id"
    },
    simulatedOn: "memory",
    simulatedUnder: "restore"
  },
  {
    name: "take another request's operation for one's own",
    harm: "A process whose claim was lost abandons the capture that another process is sending under the same key.",
    edits: [
      {
        file: "packages/core/src/verbs/operate/ClaimOperation.ts",
        find: "({ claimedBy }) => claimedBy === abandoned.claimedBy",
        replace: "({ id }) => id === abandoned.id"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/DerivedIds.test.ts",
      test: "given another process's capture under its key is at work, when a claim was lost, then it is left alone"
    }
  },
  {
    name: "take another request's refund for one's own",
    harm: "A process whose claim was lost frees the refund that another process is sending: it is refunded again.",
    edits: [
      {
        file: "packages/core/src/verbs/refund/ClaimRefund.ts",
        find: "({ claimedBy }) => claimedBy === refund.claimedBy",
        replace: "({ id }) => id === refund.id"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/DerivedIds.test.ts",
      test: "given another process's refund under its key is at work, when a claim was lost, then it is left alone"
    }
  },
  {
    name: "draw a split by the payment's id",
    harm: "A store that lost its last records sends a repeated request to another connection, which charges again.",
    edits: [
      {
        file: "packages/core/src/routing/Draw.ts",
        find: "  key === null ? paymentId :",
        replace: "  key !== undefined ? paymentId :"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/DerivedIds.test.ts",
      test: "given a split, when another store routes the same key, then to the same connection"
    }
  },
  {
    name: "write on a claim that changed hands",
    harm: "A process that wakes frees or answers a key that stands for another payment by now; its retry charges again.",
    edits: [
      {
        file: "packages/core/src/verbs/create/RecordCharge.ts",
        find: "Option.filter(standing, ({ paymentId }) => paymentId === stored.id)",
        replace: "standing"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/LateWriters.test.ts",
      test: "given it wakes when the key stands for another request, then it leaves that one's claim alone"
    }
  },
  {
    name: "take another source's write for ours",
    harm: "The attempt never gets its end and the key no answer: a retry is told UNKNOWN of a charge that was answered.",
    edits: [
      {
        file: "packages/core/src/verbs/create/RecordCharge.ts",
        find: `  read.updatedAt === written.updatedAt &&
  JSON.stringify(read.routing?.attempts) === JSON.stringify(written.routing?.attempts)`,
        replace: "  read.updatedAt === written.updatedAt"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/LateWriters.test.ts",
      test: "given it wrote what our lost commit would have, then ours is still written: attempt and answer"
    }
  },
  {
    name: "abandon a charge twice",
    harm: "A request that sent nothing is told that its payment failed, and its key stays taken.",
    edits: [
      {
        file: "packages/core/src/verbs/create/RecordCharge.ts",
        find: "if (wasAbandoned(fact, stored, claim)) return",
        replace: "if (wasAbandoned(fact, stored, claim) && now < 0) return"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/LateWriters.test.ts",
      test: `given ["lost","unheard"], then one abandoned payment, told of once, and the key is free`
    }
  },
  {
    name: "a commit that may be written, taken for lost",
    harm: "A claim stays behind that nobody gives back: its key stands for a charge that was never sent.",
    edits: [
      {
        file: loop,
        find: "        unanswered.push({ sent, cause })\n",
        replace: "        if (sent !== undefined) return Effect.succeed(storeFailed(cause as never))\n"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/IdempotentCreate.test.ts",
      test: "given a first commit whose answer is lost (unheard), then nothing is sent on it and the key is free"
    }
  },
  {
    name: "write again what is written already",
    harm: "What follows from a fact is written twice, once on top of itself.",
    edits: [
      {
        file: loop,
        find: "      if (ours !== undefined) return ended(ours.sent.value)\n",
        replace: ""
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/DecideAndCommit.test.ts",
      test: "given it is written, then it is read once and not written again"
    }
  },
  {
    name: "forget that an earlier commit may be written",
    harm: "A store that fails afterwards makes it read as surely not written, and something else is written in its place.",
    edits: [
      {
        file: loop,
        find: "if (lost !== undefined) return new MaybeWritten",
        replace: "if (lost !== undefined && storageError === undefined) return new MaybeWritten"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/DecideAndCommit.test.ts",
      test: "given the store then goes away, then it may be written"
    }
  },
  {
    name: "a loop without a bound of tries",
    harm: "Writers that keep meeting on one payment never answer their requests.",
    edits: [
      { file: "packages/core/src/commit/Budget.ts", find: "tries >= triesAtMost || isSpent", replace: "isSpent" }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/DecideAndCommit.test.ts",
      test: "given it comes first every time, then 20 tries and no more"
    }
  },
  {
    name: "a loop without a budget of time",
    harm: "A request hangs on a slow store for minutes, and its client sends it again meanwhile.",
    edits: [
      {
        file: "packages/core/src/commit/Budget.ts",
        find: "tries >= triesAtMost || isSpent",
        replace: "tries >= triesAtMost"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/DecideAndCommit.test.ts",
      test: "given each try takes two seconds, then no third one begins"
    }
  },
  {
    name: "write without the version",
    harm: "Two writers that decided on the same record overwrite each other.",
    edits: [
      {
        file: "packages/storage/memory/src/Commit.ts",
        find: "if (payment.expected !== (payments.get(payment.after.id)?.version ?? 0)) return Result.fail(new Stale())",
        replace: ""
      }
    ],
    caughtBy: {
      project: "storage-memory",
      file: "packages/storage/memory/test/Memory.contract.test.ts",
      test: "given one version, when 64 changes are decided on it, then one wins and all others are stale"
    },
    simulatedOn: "memory"
  },
  {
    name: "answer before the durable commit",
    harm: "A payment that was acknowledged is gone after a crash.",
    edits: [
      {
        file: "packages/storage/sqlite/src/Committer.ts",
        find: "    const written = transaction(",
        replace: "    for (const { resume } of batch) resume(Effect.void)\n    const written = transaction("
      }
    ],
    caughtBy: {
      project: "storage-sqlite",
      file: "packages/storage/sqlite/test/GroupCommit.test.ts",
      test: "given a batch, when SQLite refuses its COMMIT, then every change fails as surely not written"
    },
    simulatedOn: "sqlite"
  },
  {
    name: "a commit that the disk did not confirm, taken for not written",
    harm: "A crash brings back a claim whose key was given back, and a retry meets a payment that nobody sent.",
    edits: [
      {
        file: "packages/storage/sqlite/src/Database.ts",
        find: "(refused || cutOff) && undone",
        replace: "undone"
      }
    ],
    caughtBy: {
      project: "storage-sqlite",
      file: "packages/storage/sqlite/test/GroupCommit.test.ts",
      test: "given a batch, when the disk fails after its COMMIT, then nobody is told that it was not written"
    }
  },
  {
    name: "write without the version, in PostgreSQL",
    harm: "A writer that waited for another one's row writes over what that one decided.",
    edits: [
      {
        file: "packages/storage/postgres/src/CommitWrites.ts",
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a template.
        find: " and t.${expected} returning",
        replace: " returning"
      }
    ],
    caughtBy: {
      project: "storage-postgres",
      file: "packages/storage/postgres/test/Races.test.ts",
      test: "given 8 writers that wait for one payment, then one of them writes it, and the others are stale"
    }
  },
  {
    name: "bodies of undecided messages in a month that is dropped",
    harm: "A message that still moves money loses its body, and cannot be applied any more.",
    edits: [
      {
        file: "packages/storage/postgres/src/MessageBodies.ts",
        find: "  if (yield* isNeeded) return 0\n  yield* lockPartition",
        replace: "  yield* lockPartition"
      },
      {
        file: "packages/storage/postgres/src/MessageBodies.ts",
        find: "until the next upkeep.\n  if (yield* isNeeded) return 0",
        replace: "until the next upkeep."
      }
    ],
    caughtBy: {
      project: "storage-postgres",
      file: "packages/storage/postgres/test/MessageBodies.test.ts",
      test: "given a message that another transaction holds, when its month is over, then the month waits for it"
    }
  },
  {
    name: "answers that are derived from a later change",
    harm: "A replay shows a reference that the payment had before it was answered, and not that of the answer.",
    edits: [
      {
        file: "packages/storage/sql/src/ShortAnswer.ts",
        find: "    answer.version === 2 &&\n    payment.version === 2 &&\n",
        replace: ""
      }
    ],
    caughtBy: {
      project: "storage-sql",
      file: "packages/storage/sql/test/ShortForms.test.ts",
      test: "given an answer with a later change, when it is stored where others are derived, then nothing is derived"
    }
  },
  {
    name: "references of answers that are replaced, in PostgreSQL",
    harm: "A replay shows the reference that the payment got later, and not that of the charge that was answered.",
    edits: [
      {
        file: "packages/storage/postgres/src/CommitParameters.ts",
        find: "then coalesce(t.replaced_ref, t.provider_ref)",
        replace: "then t.replaced_ref"
      }
    ],
    caughtBy: {
      project: "storage-postgres",
      file: "packages/storage/postgres/test/ShortRows.test.ts",
      test: "given an answer, when its payment gets other references, then it has its first (batches: true)"
    }
  },
  {
    name: "answers without what their payments change later",
    harm: "A replay shows a payment as it is now, and not as its request was answered.",
    edits: [
      {
        file: "packages/storage/sql/src/ShortAnswer.ts",
        find: "const base = usual(payment, answer.routing?.attempts ?? [], answered)",
        replace: "const base = answer"
      }
    ],
    caughtBy: {
      project: "storage-sql",
      file: "packages/storage/sql/test/ShortForms.test.ts",
      test: "given an answer with a declined one, when its payment has moved on, then the answer reads as it was"
    }
  },
  {
    name: "claim keys in whatever order, in PostgreSQL",
    harm: "Two servers that write the same keys together wait for each other, until the database ends one of them.",
    edits: [
      {
        file: "packages/storage/postgres/src/CommitWrites.ts",
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a template.
        find: " order by ${list(places)} ",
        replace: " "
      }
    ],
    caughtBy: {
      project: "storage-postgres",
      file: "packages/storage/postgres/test/Together.test.ts",
      test: "given two servers with the same keys in opposite orders, then neither waits for the other in a circle"
    }
  },
  {
    name: "a commit whose answer was lost, taken for not written",
    harm: "Its key is given back although its claim stands, or its charge is settled as never sent.",
    edits: [
      {
        file: "packages/storage/postgres/src/SqlFailures.ts",
        find: "return new CommitUnknown({ operation, cause: causeOf(error) })",
        replace: 'return new Refused("", storageError(operation, error))'
      }
    ],
    caughtBy: {
      project: "storage-postgres",
      file: "packages/storage/postgres/test/LostConnections.test.ts",
      test: "given a commit whose answer is lost, then its end is unknown, and a read tells that it is stored"
    }
  },
  {
    name: "keep a payment busy after an interruption",
    harm: "No later commit of the payment goes through in this process: a capture cannot be recorded until it ends.",
    edits: [
      {
        file: "packages/storage/postgres/src/CommitMany.ts",
        find: "let isAlone = false",
        replace: "const isAlone = line.mayGoAlone(keys, atMost)\n      if (isAlone) line.begin(keys)"
      },
      {
        file: "packages/storage/postgres/src/CommitMany.ts",
        find: "if (!line.mayGoAlone(keys, atMost)) return line.join(drawn, keys)\n          isAlone = true\n          line.begin(keys)",
        replace: "if (!isAlone) return line.join(drawn, keys)"
      }
    ],
    caughtBy: {
      project: "storage-postgres",
      file: "packages/storage/postgres/test/Together.test.ts",
      test: "given commits that are sent at once and interrupted at any step, then their payments are free again"
    }
  },
  {
    name: "send a claim that was refused while it waited to be gathered",
    harm: "A client hears that nothing was written, and its key and payment are claimed later.",
    edits: [
      {
        file: "packages/storage/postgres/src/GatheringLine.ts",
        find: 'line.delete(one)\n          one.end(Exit.fail(noConnection("commit", limit, isClaim)))',
        replace: 'one.end(Exit.fail(noConnection("commit", limit, isClaim)))'
      }
    ],
    caughtBy: {
      project: "storage-postgres",
      file: "packages/storage/postgres/test/Together.test.ts",
      test: "given claims that wait for their turn for a second, then they are refused and never written"
    }
  },
  {
    name: "count changes that no client waits for as a wait of clients",
    harm: "New payments are refused for as long as a report is applied on a slow database.",
    edits: [
      {
        file: "packages/storage/postgres/src/GatheringLine.ts",
        find: "const [oldest] = waiting.awaited",
        replace: "const [oldest] = waiting.others.size > 0 ? waiting.others : waiting.awaited"
      }
    ],
    caughtBy: {
      project: "storage-postgres",
      file: "packages/storage/postgres/test/GatheringLine.test.ts",
      test: "given changes of a report, when a client's change comes after them, then it goes first, and it alone counts as a wait"
    }
  },
  {
    name: "show an event before a smaller id is committed",
    harm: "A follower goes past an event that it never saw: a capture is missing from the follower's books.",
    edits: [
      {
        file: "packages/storage/postgres/src/EventIds.ts",
        find: "return first < afterNewest ? first : afterNewest",
        replace: "return afterNewest"
      }
    ],
    caughtBy: {
      project: "storage-postgres",
      file: "packages/storage/postgres/test/EventOrder.test.ts",
      test: "given a commit that is held open, then later events of its tenant wait for it, and no others"
    }
  },
  {
    name: "show an event of a standby that has not replayed a smaller id",
    harm: "A follower goes past an event that the standby did not have yet: a capture is missing from the follower's books.",
    edits: [
      {
        file: "packages/storage/postgres/src/Reads.ts",
        find: "one !== undefined && one.timeline === newest.timeline && one.lsn <= lsn",
        replace: "one !== undefined && one.timeline === newest.timeline"
      }
    ],
    caughtBy: {
      project: "storage-postgres",
      file: "packages/storage/postgres/test/Standby.test.ts",
      test: "given events that it replayed before one with a smaller id, then none of them shows before that one"
    }
  },
  {
    name: "write without the version, in SQLite",
    harm: "Two writers that decided on the same record overwrite each other.",
    edits: [
      {
        file: "packages/storage/sqlite/src/CommitStatement.ts",
        // `? > 0` takes the place of the version among the values, and is true of every version.
        find: "environment = ? and id = ? and version = ?\n  returning",
        replace: "environment = ? and id = ? and ? > 0\n  returning"
      }
    ],
    caughtBy: {
      project: "storage-sqlite",
      file: "packages/storage/sqlite/test/Sqlite.contract.test.ts",
      test: "given one version, when 64 changes are decided on it, then one wins and all others are stale"
    },
    simulatedOn: "sqlite"
  },
  {
    name: "refund without a reservation",
    harm: "Two refunds that are under way at once give back more than was captured.",
    edits: [
      {
        file: "packages/core/src/model/RefundLedger.ts",
        find: `  Sending: "pending",`,
        replace: `  Sending: "nothing",`
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/RefundLedger.test.ts",
      test: "given 64 at once of a tenth each, then ten reach the provider"
    },
    simulatedOn: "memory"
  },
  {
    name: "release an unknown capture's key",
    harm: "The retry of a capture that may have happened is sent as soon as the payment can be captured again.",
    edits: [
      {
        file: "packages/core/src/verbs/operate/ReplayOperation.ts",
        find: "(operation.outcome === null || operation.reply !== null)",
        replace: "operation.outcome === null"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/OperationAnswers.test.ts",
      test: "nothing, then pointsman/ResultUnknown and CaptureUnknown; the same key says so again, and asks nobody"
    }
  },
  {
    name: "let an older operation decide a newer one",
    harm: "A late refusal of an old capture makes the payment capturable while the new one is at the provider.",
    edits: [
      {
        file: "packages/core/src/decide/OperationFact.ts",
        find: "  const isHeard =\n    isOpen(operation) ||",
        replace: "  const isHeard = true ||"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/LateOperations.test.ts",
      test: "given it refuses while a newer capture is in flight, then that one goes on"
    }
  },
  {
    name: "capture on an unknown commit",
    harm: "A capture goes out under a claim that may not be stored: a void can follow it.",
    edits: [
      {
        file: "packages/core/src/verbs/operate/ClaimOperation.ts",
        find: `          yield* Effect.catch(giveBack(book, inHand), () => background.run(keepTrying(giveBack(book, inHand))))
          return yield* nothingSent(cause)`,
        replace: `          return { _tag: "Begun" as const, book, inHand, cause }`
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/OperationFaults.test.ts",
      test: "of a capture is lost, then nothing is sent, the key is free, and a retry does it once"
    },
    simulatedOn: "memory"
  },
  {
    name: "keep a capture's claim that may be written",
    harm: "An authorization that nobody captures can be neither captured nor voided.",
    edits: [
      {
        file: "packages/core/src/verbs/operate/ClaimOperation.ts",
        find: "        yield* Effect.catch(giveBack(book, inHand), () => background.run(keepTrying(giveBack(book, inHand))))\n",
        replace: ""
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/OperationFaults.test.ts",
      test: "of a capture is written and unheard, then nothing is sent, the key is free, and a retry does it once"
    }
  },
  {
    name: "keep a refund's claim that may be written",
    harm: "An amount that nobody refunds stays reserved.",
    edits: [
      {
        file: "packages/core/src/verbs/refund/ClaimRefund.ts",
        find: "        yield* Effect.catch(giveBack(book, refund), () => background.run(keepTrying(giveBack(book, refund))))\n",
        replace: ""
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/OperationFaults.test.ts",
      test: "of a refund is written and unheard, then nothing is sent, the key is free, and a retry does it once"
    }
  },
  {
    name: "tell a capture's retry another thing than before",
    harm: "A merchant who was answered that the result is unknown gets another answer under the same key, and books it twice.",
    edits: [
      {
        file: "packages/core/src/verbs/operate/RecordOperation.ts",
        find: `stored?._tag === "ResultUnknown" ? stored : told`,
        replace: "told ?? stored"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/OperationFaults.test.ts",
      test: "and a retry was told that the result is unknown, then that is told again"
    }
  },
  {
    name: "tell a refund's retry another thing than before",
    harm: "A merchant who was answered that the result is unknown gets another answer under the same key, and books it twice.",
    edits: [
      {
        file: "packages/core/src/verbs/refund/RecordRefund.ts",
        find: `stored?._tag === "ResultUnknown" ? stored : told`,
        replace: "told ?? stored"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/OperationFaults.test.ts",
      test: "and a retry was told that the result is unknown, then that is told again"
    }
  },
  {
    name: "refunds that do not add up, in memory",
    harm: "Two refunds that were decided on one balance both stand: more goes back than was captured.",
    edits: [
      {
        file: "packages/storage/memory/src/Commit.ts",
        find: "  return brokenBalance(change.payment.after, refundsAfter)",
        replace: "  return undefined"
      }
    ],
    caughtBy: {
      project: "storage-memory",
      file: "packages/storage/memory/test/Memory.contract.test.ts",
      test: "given writers without a guard, when the refunds of others stand, then the sums let one through"
    }
  },
  {
    name: "take what an answer changed for what the create decided",
    harm: "A charge is recorded without its reference and its amount: nothing can be captured or refunded.",
    edits: [
      {
        file: "packages/core/src/model/MovedPayment.ts",
        find: "before !== undefined && createdFields.every((field) => before[field] === after[field])",
        replace: "before !== undefined && createdFields.some((field) => before[field] === after[field])"
      }
    ],
    caughtBy: {
      project: "storage-sqlite",
      file: "packages/storage/sqlite/test/Sqlite.contract.test.ts",
      test: "given Charging, when ChargeAuthorized, then Authorized"
    },
    simulatedOn: "sqlite"
  },
  {
    name: "give up on a sandbox's file that another server makes",
    harm: "Of two servers that start at once on a new folder, one does not start.",
    edits: [
      {
        file: "packages/connectors/sandbox/src/SqliteRecords.ts",
        find: "const walAttempts = 100",
        replace: "const walAttempts = 1"
      }
    ],
    caughtBy: {
      project: "connector-sandbox",
      file: "packages/connectors/sandbox/test/SandboxConnector.test.ts",
      test: "given a new file that another process makes at this moment, when it is opened, then it waits for it"
    }
  },
  {
    name: "refunds that do not add up, in SQLite",
    harm: "A refund is written that its payment does not reserve: its amount can be given back again.",
    edits: [
      {
        file: "packages/storage/sqlite/src/WriteChange.ts",
        find: "if (unbalanced !== undefined) return brokenCommit(unbalanced)",
        replace: ""
      }
    ],
    caughtBy: {
      project: "storage-sqlite",
      file: "packages/storage/sqlite/test/Sqlite.contract.test.ts",
      test: "given refunds, when the payment does not reserve what a new refund asks for, then it dies and nothing is written"
    }
  },
  {
    name: "refunds that do not add up, past our checks",
    harm: "A tool beside the server writes a balance that its refunds do not bear out.",
    edits: [
      {
        file: "packages/storage/sqlite/src/Schema.ts",
        find: 'readFileSync(new URL("./schema.sql", import.meta.url), "utf8")',
        replace:
          'readFileSync(new URL("./schema.sql", import.meta.url), "utf8").replaceAll("where refunded <> new.refunded_minor or pending <> new.refund_pending_minor", "where false")'
      }
    ],
    caughtBy: {
      project: "storage-sqlite",
      file: "packages/storage/sqlite/test/SqliteFile.test.ts",
      test: "given an operation and a refund, when the payment forgets its refunds, then SQLite refuses it whoever writes"
    }
  },
  {
    name: "a second refund under one key, in SQLite",
    harm: "A refund that is asked for again under its key is sent again.",
    edits: [
      {
        file: "packages/storage/sqlite/src/Schema.ts",
        find: 'readFileSync(new URL("./schema.sql", import.meta.url), "utf8")',
        replace:
          'readFileSync(new URL("./schema.sql", import.meta.url), "utf8").replace("create unique index refunds_by_key", "create index refunds_by_key")'
      }
    ],
    caughtBy: {
      project: "storage-sqlite",
      file: "packages/storage/sqlite/test/Sqlite.contract.test.ts",
      test: "given a refund that is Unknown, when another one has its key, then it dies"
    }
  },
  {
    name: "send a hosted payment on an unknown commit",
    harm: "A charge, or a checkout, begins on an attempt that may not be stored; another tab begins a second one.",
    edits: [
      {
        file: "packages/core/src/verbs/hosted/BeginHosted.ts",
        find: "MaybeWritten: ({ value }) => giveUp(value.inHand),",
        replace: "MaybeWritten: ({ value }) => Effect.succeed(value),"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/HostedFaults.test.ts",
      test: `given its fate is unknown, ["lost"], then nothing is sent: FAILED, told of once`
    },
    simulatedOn: "memory"
  },
  {
    name: "take an approved checkout before the step is written",
    harm: "A process that dies leaves no trace of the request, and others ask for the money at the same time.",
    edits: [
      {
        file: "packages/core/src/verbs/hosted/CompleteCheckout.ts",
        find: "  const inHand = yield* claim(book, attemptId, connection)\n",
        replace:
          "  if (open.attempt.id === attemptId)\n    yield* send({ payment, claim: null, connection, attempt: open.attempt, earlier: [] }, Number.POSITIVE_INFINITY)\n  const inHand = yield* claim(book, attemptId, connection)\n"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/CompleteCheckout.test.ts",
      test: "given the provider is asked, then the step is stored already"
    }
  },
  {
    name: "take an approved checkout on an unknown commit",
    harm: "The money is asked for on a step that may not be stored, and another process asks for it too.",
    edits: [
      {
        file: "packages/core/src/verbs/hosted/CompleteCheckout.ts",
        find: "MaybeWritten: () => Effect.void,",
        replace: "MaybeWritten: ({ value }) => Effect.succeed(value),"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/CompleteCheckout.test.ts",
      test: `given its fate is unknown, "lost", then nothing is sent on it, and it is taken later`
    }
  },
  {
    name: "ask for the money again while its result is unknown",
    harm: "A request whose answer was lost is sent again before the provider was asked what it did.",
    edits: [
      {
        file: "packages/core/src/verbs/hosted/CompleteCheckout.ts",
        find: 'if (payment.state !== "CheckoutOpen" ||',
        replace: 'if ((payment.state !== "CheckoutOpen" && payment.state !== "ChargeUnknown") ||'
      },
      {
        file: "packages/core/src/model/PaymentMachine.ts",
        find: 'from: "CheckoutOpen",\n      on: "CompletionSent"',
        replace: 'from: ["CheckoutOpen", "ChargeUnknown"],\n      on: "CompletionSent"'
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/PaymentMachine.test.ts",
      test: "given a provider call, when the rows that begin one are listed, then they are these and no other"
    }
  },
  {
    name: "believe an old approval",
    harm: "A message from before the request opens the checkout again, and the money is asked for a second time.",
    edits: [
      {
        file: "packages/core/src/decide/interpret/InterpretApproved.ts",
        find: 'if (!isCurrent(source)) return payment.state === "CheckoutOpen" ? confirms : older',
        replace: ""
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/CompleteCheckout.test.ts",
      test: "given no answer, when the record cannot be read, then it stays unknown, and nothing is sent"
    }
  },
  {
    name: "ask for an approved order under the id of its opening",
    harm: "PayPal answers with the order as it was opened, and the money is never taken.",
    edits: [
      {
        file: "packages/connectors/paypal/src/PayPalConnector.ts",
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a source
        find: "id: `${id}-completion`",
        replace: "id"
      }
    ],
    caughtBy: {
      project: "connector-paypal",
      file: "packages/connectors/paypal/test/PayPalCheckout.test.ts",
      test: "given an approved order, to be Captured, then one request, with an id of its own"
    }
  },
  {
    name: "give up another tab's charge",
    harm: "A payment reads FAILED while its provider is being asked.",
    edits: [
      {
        file: "packages/core/src/verbs/hosted/BeginHosted.ts",
        find: "if (!attempts.some(({ claimedBy }) => claimedBy === attempt.claimedBy)) return stands(stored, false)",
        replace: ""
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/HostedFaults.test.ts",
      test: "given it is lost and another tab's provider is at work, then its payment is left alone"
    },
    simulatedOn: "memory"
  },
  {
    name: "act on a page that is over",
    harm: "The customer is charged for what the merchant was told is off.",
    edits: [
      {
        file: "packages/core/src/decide/HostedOrder.ts",
        find: "now >= hosted.expiresAt",
        replace: "now > hosted.expiresAt"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/HostedPage.test.ts",
      test: "given Approve, then it acts a millisecond before the end, and not at the end"
    }
  },
  {
    name: "cancel a checkout that can still be paid",
    harm: "The payment reads CANCELLED, the merchant makes another, and the customer pays both.",
    edits: [
      {
        file: "packages/core/src/decide/CheckoutFact.ts",
        find: "isOver && found.conclusive ?",
        replace: "found.conclusive ?"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/HostedCheckout.test.ts",
      test: "given nothing is found, conclusively, then nothing changes: it may still be paid"
    },
    simulatedOn: "memory"
  },
  {
    name: "cancel a checkout on an old look-up",
    harm: "A payment that was made while the provider was looking reads CANCELLED.",
    edits: [
      {
        file: "packages/core/src/verbs/hosted/ReturnFromCheckout.ts",
        find: "...aboutCharge(attempt, found), askedAt }",
        replace: "...aboutCharge(attempt, found), askedAt: yield* Clock.currentTimeMillis }"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/HostedCheckout.test.ts",
      test: "given a look-up that began before the hour and answers after it, then it cannot deny"
    }
  },
  {
    name: "forget the key of an open checkout",
    harm: "After a day the same key makes another page while the customer can still pay on the first.",
    edits: [
      {
        file: keyRetention,
        find: `answeredOpen.has(status) || (status === "REQUIRES_ACTION" && payment.routing !== null)`,
        replace: `answeredOpen.has(status)`
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/HostedCreate.test.ts",
      test: "given a checkout without an end is open, then it is kept; 24 hours after it was paid it is free"
    }
  },
  {
    name: "forgotten outbox row",
    harm: "An event is written and no merchant hears of it: an order is paid and never shipped.",
    edits: [
      {
        file: "packages/storage/sqlite/src/WriteChange.ts",
        find: "        addDeliveries(tenant, written, change.deliverAt ?? event.createdAt)\n",
        replace: ""
      }
    ],
    caughtBy: {
      project: "storage-sqlite",
      file: "packages/storage/sqlite/test/Sqlite.contract.test.ts",
      test: "given endpoints, when an event is written, then it goes to the active ones of the tenant that want it"
    },
    simulatedOn: "sqlite"
  },
  {
    name: "retry a 4xx",
    harm: "A receiver that said no is asked for more than a day, and its endpoint's places are taken by it.",
    edits: [
      {
        file: "packages/core/src/model/Delivery.ts",
        find: "end.status >= 400 && end.status < 500",
        replace: "end.status === 400"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/DeliverWebhooks.test.ts",
      test: "given an answer 404, then it is final"
    }
  },
  {
    name: "apply a message twice",
    harm: "A message that comes again is applied again, to whatever the payment has become.",
    edits: [
      {
        file: "packages/storage/sqlite/src/WriteChange.ts",
        find: "if (Result.isFailure(decided)) return Exit.fail(decided.failure)",
        replace: ""
      }
    ],
    caughtBy: {
      project: "storage-sqlite",
      file: "packages/storage/sqlite/test/Sqlite.contract.test.ts",
      test: "given a decided message, when it is decided with any change or alone, then it is taken and nothing else"
    }
  },
  {
    name: "forget a message that was stored and not applied",
    harm: "The server dies between storing and applying, and the provider's second try changes nothing: money is lost.",
    edits: [
      {
        file: "packages/core/src/verbs/receive/ReceiveMessage.ts",
        find: "return Option.getOrElse(earlier, (): MessageNote => stored)",
        replace: "return { ...stored, outcome: Option.isSome(earlier) ? ('confirmed' as const) : stored.outcome }"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/StoredMessages.test.ts",
      test: "given a store that fails, then nothing is applied, and the message is applied when it comes again"
    }
  },
  {
    name: "apply an applied message again",
    harm: "An operator's second try applies to whatever the payment has become since.",
    edits: [
      {
        file: "packages/core/src/verbs/receive/StoredMessages.ts",
        find: 'if (note.outcome === "applied")',
        replace: 'if (note.outcome === "older")'
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/StoredMessages.test.ts",
      test: "given one that could not be read, when its reader is mended, then it is applied, and once"
    }
  },
  {
    name: "a message denies",
    harm: "A delayed word of the authorization ends a capture that is under way; its money is taken once more.",
    edits: [
      {
        file: "packages/core/src/decide/interpret/InterpretHolder.ts",
        find: "isCurrent(source) ? ofStillAuthorized(book, operation, source, now) : older",
        replace: 'operated(book, operation, { _tag: "NotFound" }, now)'
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ProviderMessages.test.ts",
      test: "given a capture that nobody answered, when the authorization is told late, then it stays unknown"
    }
  },
  {
    name: "keep places for those who hang",
    harm: "Receivers of one platform that hang keep every other merchant from hearing of its payments.",
    edits: [
      {
        file: "packages/core/src/commit/Places.ts",
        find: "now - begun < slowAfterMillis)",
        replace: "now - begun < 1_000 * slowAfterMillis)"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/DeliverWebhooksIsolation.test.ts",
      test: "given two hundred, then the others have all of theirs before the first time-out"
    }
  },
  {
    name: "shrink the authorization to a smaller capture",
    harm: "What the provider captured beyond its first statement is not recorded, and cannot be refunded.",
    edits: [
      {
        file: "packages/core/src/decide/ChargeFact.ts",
        find: "? Math.max(payment.authorizedMinor, fact.amountMinor)",
        replace: "? fact.amountMinor"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ProviderReversals.test.ts",
      test: "given an authorization, when the provider states a smaller capture and then all of it, then all is recorded"
    }
  },
  {
    name: "take a second charge for the first",
    harm: "A customer pays twice on one page and nobody hears of it; the end of one charge ends the other.",
    edits: [
      {
        file: "packages/core/src/decide/interpret/InterpretHolder.ts",
        find: "said.providerRef !== null && said.providerRef !== providerRef",
        replace: 'said.providerRef === ""'
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ProviderMessages.test.ts",
      test: "given operations cancel the second, when that is told, then the first still holds"
    }
  },
  {
    name: "believe another connection",
    harm: "Whoever holds the secret of one connection moves the payments of all.",
    edits: [
      {
        file: "packages/core/src/decide/interpret/Interpret.ts",
        find: 'one.connectionId === connectionId &&\n      ("attemptId"',
        replace: '("attemptId"'
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ProviderMessages.test.ts",
      test: "given a message of another connection than the attempt's, then it touches nothing"
    },
    simulatedOn: "memory"
  },
  {
    name: "believe too early that a charge never arrived",
    harm: "A charge that the provider executes a moment later is FAILED, and the merchant asks for the money again.",
    edits: [
      {
        file: "packages/core/src/decide/SentCall.ts",
        find: " + defaultSendWithinMillis + 2 * timeoutMillis",
        replace: ""
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/CheckDue.test.ts",
      test: "given the charge is younger than twice its time-out, then 'never received' is not believed"
    }
  },
  {
    name: "give up a further attempt with the one before it",
    harm: "An attempt that has just begun is taken for dead; the one that executed nothing is looked up in its place.",
    edits: [
      {
        file: "packages/core/src/verbs/check/CheckPayment.ts",
        find: `  }).pipe(Effect.catchTag("Contended", () => Effect.void))`,
        replace: `  }).pipe(Effect.catchTag("Contended", () => writeFact(payment, { on: "ChargeUnanswered", connectionId: attempt.connectionId })))`
      },
      {
        file: "packages/core/src/verbs/check/CheckPayment.ts",
        find: `import { Turns } from "../../commit/Turns.ts"
`,
        replace: `import { Turns } from "../../commit/Turns.ts"
import { writeFact } from "../../commit/WriteFact.ts"
`
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/CheckDue.test.ts",
      test: "given another write comes between, then a charge in flight is left to it"
    }
  },
  {
    name: "let every payment of a burst probe",
    harm: "A provider that is coming back is hit by all payments at once, and those that it does not answer are UNKNOWN.",
    edits: [
      {
        file: "packages/core/src/routing/run/RoutePayment.ts",
        find: "  if (Result.isSuccess(plan)) circuits.keepProbe(firstOf(plan.success), paymentId, now)\n",
        replace: ""
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/Circuits.test.ts",
      test: "given a circuit that is half-open, when 20 come at the same moment, then one of them is the probe"
    }
  },
  {
    name: "learn from the sandbox",
    harm: "What a developer tries out sends real payments to another connection.",
    edits: [
      {
        file: "packages/core/src/routing/run/LearnedRates.ts",
        find: `          if (tenant.environment !== "production") return
`,
        replace: ""
      },
      {
        file: "packages/core/src/routing/run/LearnedRates.ts",
        find: `          if (tenant.environment !== "production") return () => ({ connection: noOutcomes, segment: noOutcomes })
`,
        replace: ""
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/AutoRouting.test.ts",
      test: "given sandbox outcomes, then nothing is learned"
    }
  },
  {
    name: "take the fee of another currency",
    harm: "A payment is routed by a fee that the provider does not charge for it, to a connection that costs more.",
    edits: [
      {
        file: "packages/core/src/routing/Fees.ts",
        find: "rule.fixed[currency.toUpperCase()]",
        replace: "Object.values(rule.fixed)[0]"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ValueRouting.test.ts",
      test: "given no amount in the payment's currency, or no rule that is met, then the fee is unknown"
    }
  },
  {
    name: "give up any approval for a smaller fee",
    harm: "Payments go to the cheapest connection however many it declines, and the merchant loses their whole amount.",
    edits: [
      {
        file: "packages/core/src/routing/ByValue.ts",
        find: "value.fee !== null && lossPpm <= maxApprovalLossPpm",
        replace: "value.fee !== null"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ValueRouting.test.ts",
      test: "given the cheaper one approves less than may be given up, then the best leads"
    }
  },
  {
    name: "take every difference in a new segment for noise",
    harm: "In each new segment payments go to the cheapest connection, although it is known to decline far more.",
    edits: [
      {
        file: "packages/core/src/routing/ByValue.ts",
        find: "Math.max(weightOf(scoredBy.segment), weightOf(scoredBy.connection))",
        replace: "weightOf(scoredBy.segment)"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ValueRouting.test.ts",
      test: "given a segment without outcomes, then the outcomes of the whole connections decide how much is noise"
    }
  },
  {
    name: "remember what a connection approved before it dropped",
    harm: "Payments go to a cheaper connection for hundreds of declines after its rate has dropped.",
    edits: [
      {
        file: "packages/core/src/model/RateMemory.ts",
        find: "if (sumWorse > worseTest.foundAt) return begunWith(worse)",
        replace: "if (sumWorse > 1000 * worseTest.foundAt) return begunWith(worse)"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/RateMemory.test.ts",
      test: "given a rate that drops, then what came before is forgotten within 20 outcomes, in the short weights too"
    }
  },
  {
    name: "decide by a long memory of few outcomes",
    harm: "A new connection leads because it is cheap, although its last payments were declined.",
    edits: [
      {
        file: "packages/core/src/routing/ByValue.ts",
        find: "if (known < longFrom) return recent",
        replace: "if (known < 0n) return recent"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ValueRouting.test.ts",
      test: "given fewer outcomes of either, then the last fifty decide"
    }
  },
  {
    name: "lose what is remembered of a success rate",
    harm: "After each exchange between servers a cheaper connection is weighed by fifty outcomes again.",
    edits: [
      {
        file: "packages/storage/sql/src/SuccessRates.ts",
        find: "bindJson(rate.memory === undefined ? null : memoryNumbers(rate.memory, version))",
        replace: "bindJson(null)"
      }
    ],
    caughtBy: {
      project: "storage-sqlite",
      file: "packages/storage/sqlite/test/Sqlite.contract.test.ts",
      test: "given rates with a memory and without, when they are written, then each is read as it was"
    }
  },
  {
    name: "accept an expired key",
    harm: "A key that was lent for a period moves money after it.",
    edits: [
      {
        file: "packages/core/src/verbs/administer/Authenticate.ts",
        find: "expiresAt !== null && expiresAt <= now",
        replace: "expiresAt !== null && expiresAt < now - 86_400_000"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ManageApiKeys.test.ts",
      test: "given a key that expires, when its time comes, then it is refused like an unknown key"
    }
  },
  {
    name: "settle a payment without a word in the audit trail",
    harm: "Nobody can tell later who recorded that a charge was captured.",
    edits: [
      {
        file: "packages/core/src/door/Intent.ts",
        find: "      yield* append(yield* auditDraft(action, subject, details))\n",
        replace:
          "      yield* Effect.asVoid(Effect.when(append(yield* auditDraft(action, subject, details)), Effect.succeed(false)))\n"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/Audit.test.ts",
      test: "given acts of operators, when they are begun, then each is recorded before, also if it is refused"
    }
  },
  {
    name: "verify the audit trail without its hashes",
    harm: "Somebody who changes who created a key is not found out.",
    edits: [
      {
        file: "packages/core/src/ports/Audit.ts",
        find: "if (sha256(canonicalEntry(entry)) !== entry.hash) return",
        replace: "if (entry.hash === sha256(sha256(entry.hash))) return"
      }
    ],
    caughtBy: {
      project: "server",
      file: "packages/server/test/Audit.test.ts",
      test: "given entries, when one is changed, deleted or inserted, then verify names the first that is wrong"
    }
  },
  {
    name: "keep the audit entries of commands from the collector",
    harm: "Somebody who owns the database computes the trail anew, and no copy shows which key they created.",
    edits: [
      {
        file: "packages/server/src/commands/OpenDatabase.ts",
        find: "collectAudit(settings.otlpEndpoint)",
        replace: "collectAudit(null)"
      }
    ],
    caughtBy: {
      project: "server",
      file: "packages/server/test/Otlp.test.ts",
      test: "given a collector, when a server starts and commands change something, then it receives every entry of the audit trail"
    }
  },
  {
    name: "accept a key from any network",
    harm: "A key that leaked moves money from outside of the networks that it is limited to.",
    edits: [
      {
        file: "packages/server/src/Serve.ts",
        find: "      NodeTransport.inNetworks(networks)(",
        replace: "      networks.length > 0 || NodeTransport.inNetworks(networks)("
      }
    ],
    caughtBy: {
      project: "server",
      file: "packages/server/test/KeyLimits.test.ts",
      test: "given a trusted proxy, when a caller outside of the key's networks sends it, then it is refused like an unknown key"
    }
  },
  {
    name: "take an operator's revocation for a file's omission",
    harm: "A key that leaked and was revoked can be restored, and moves money again.",
    edits: [
      {
        file: "packages/core/src/verbs/administer/ManageApiKeys.ts",
        find: `    revokedAt: apiKey.revokedAt ?? (yield* Clock.currentTimeMillis),
    source: "operator"
`,
        replace: `    revokedAt: apiKey.revokedAt ?? (yield* Clock.currentTimeMillis)
`
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ManageApiKeys.test.ts",
      test: "given a key that a file omitted, when it is restored, then it works, and an operator's revocation is final"
    }
  },
  {
    name: "take a gateway's 404 for an adapter's word",
    harm: "A charge or refund that was executed is given up as never received, and the money moves twice.",
    edits: [
      {
        file: "packages/connectors/http/src/Answers.ts",
        find: "    body[field] === id\n",
        replace: "    (body[field] ?? id) === id\n"
      },
      {
        file: "packages/connectors/http/src/Protocol.ts",
        find: "  found: Schema.Literal(false),\n",
        replace: "  found: optional(Schema.Literal(false)),\n"
      }
    ],
    caughtBy: {
      project: "connector-http",
      file: "packages/connectors/http/test/HttpConnector.test.ts",
      test: "given 404 with a gateway's JSON to look up a refund, then Unanswered: it is not the adapter's word"
    },
    simulatedOn: "memory",
    simulatedUnder: "gateway"
  },
  {
    name: "believe what an adapter says of another operation",
    harm: "A capture that failed is recorded as captured, or the other way round.",
    edits: [
      {
        file: "packages/connectors/http/src/Answers.ts",
        find: `    if (operation.operation_id !== operationId) return unreadable(answer, "operation_id")
`,
        replace: ""
      }
    ],
    caughtBy: {
      project: "connector-http",
      file: "packages/connectors/http/test/HttpConnector.test.ts",
      test: "given another operation, then Unanswered"
    }
  },
  {
    name: "take an empty list of Checkout.com for its last word",
    harm: "A charge that Checkout.com shows late is called never received, and another provider charges the card again.",
    edits: [
      {
        file: "packages/connectors/checkout/src/LookupAnswers.ts",
        find: `const notFound: Found<never> = { _tag: "NotFound", conclusive: false }`,
        replace: `const notFound: Found<never> = { _tag: "NotFound", conclusive: true }`
      }
    ],
    caughtBy: {
      project: "connector-checkout",
      file: "packages/connectors/checkout/test/CheckoutConnector.test.ts",
      test: "given no payment with our reference, however late, then it may be there still"
    }
  },
  {
    name: "take a captured payment without a stated amount for captured in full",
    harm: "A part that was captured is recorded as the whole.",
    edits: [
      {
        file: "packages/connectors/checkout/src/Answers.ts",
        find: `captured(id, balances?.total_captured ?? undefined, currency)\n    case "voided":`,
        replace: `captured(id, balances?.total_captured ?? amount, currency)\n    case "voided":`
      }
    ],
    caughtBy: {
      project: "connector-checkout",
      file: "packages/connectors/checkout/test/CheckoutConnector.test.ts",
      test: "given captured money of no stated amount, then the result is unknown"
    }
  },
  {
    name: "take a refusal on a payment link for final",
    harm: "The customer pays with another card, and the payment was given up before.",
    edits: [
      {
        file: "packages/connectors/checkout/src/Messages.ts",
        find: `if (isOnPage(data)) return stillOnPage(data)\n  const state: ChargeState`,
        replace: `const state: ChargeState`
      }
    ],
    caughtBy: {
      project: "connector-checkout",
      file: "packages/connectors/checkout/test/Messages.test.ts",
      test: "given payment_declined on a page, where the customer may try again, then Charge"
    }
  },
  {
    name: "take messages of Checkout.com however old they are",
    harm: "Somebody who kept a signed message sends it again, years later.",
    edits: [
      {
        file: "packages/connectors/checkout/src/Messages.ts",
        find: `if (age > ageAtMostMillis || age < -aheadAtMostMillis) {`,
        replace: `if (age < -aheadAtMostMillis) {`
      }
    ],
    caughtBy: {
      project: "connector-checkout",
      file: "packages/connectors/checkout/test/Messages.test.ts",
      test: "given an older message, or one of the future, then it is refused, whatever its signature"
    }
  },
  {
    name: "take a lock's time-out for a limit at Stripe",
    harm: "Stripe may have charged before it ran into the lock; the next connection charges again.",
    edits: [
      {
        file: "packages/connectors/stripe/src/Answers.ts",
        find: `        code !== "lock_timeout" &&
`,
        replace: ""
      }
    ],
    caughtBy: {
      project: "connector-stripe",
      file: "packages/connectors/stripe/test/StripeConnector.test.ts",
      test: "given 429 of a lock with a limiter's header, then Unanswered, whatever was asked"
    }
  },
  {
    name: "call a used key a rejection, at Mollie",
    harm: "Mollie may have charged under the key before; the next connection charges again.",
    edits: [
      {
        file: "packages/connectors/mollie/src/Answers.ts",
        find: "  if (answer.status === 400 || answer.status === 409) return Result.fail(keyUsed(answer))\n",
        replace: ""
      },
      {
        file: "packages/connectors/mollie/src/Answers.ts",
        find: "new Set([401, 403,",
        replace: "new Set([400, 409, 401, 403,"
      }
    ],
    caughtBy: {
      project: "connector-mollie",
      file: "packages/connectors/mollie/test/MollieConnector.test.ts",
      test: "given 400, when money was to be moved, then key used"
    }
  },
  {
    name: "believe at once that Mollie never made a payment",
    harm: "A request that arrives at Mollie late is settled as failed, and the customer pays again.",
    edits: [
      {
        file: "packages/connectors/mollie/src/Lookups.ts",
        find: '  Date.parse(headers["date"] ?? "") >= sentBefore + conclusiveAfterMillis',
        replace: '  Date.parse(headers["date"] ?? "") >= sentBefore || conclusiveAfterMillis === 0'
      }
    ],
    caughtBy: {
      project: "connector-mollie",
      file: "packages/connectors/mollie/test/MollieConnector.test.ts",
      test: "given a list that goes back an hour before it was sent, then it is denied an hour after, and not before"
    }
  },
  {
    name: "deny a charge that Mollie's first page does not show",
    harm: "A charge that 250 newer payments followed is settled as failed, and the customer pays again.",
    edits: [
      {
        file: "packages/connectors/mollie/src/Lookups.ts",
        find: "(since !== null && last !== undefined && last.created < since)",
        replace: "(since !== null && last !== undefined)"
      }
    ],
    caughtBy: {
      project: "connector-mollie",
      file: "packages/connectors/mollie/test/MollieConnector.test.ts",
      test: "given a list that does not go back that far, then the next page is asked for"
    }
  },
  {
    name: "take the whole amount for captured, at Mollie",
    harm: "A payment of which a part was captured is recorded, and refunded, as a whole.",
    edits: [
      {
        file: "packages/connectors/mollie/src/Answers.ts",
        find: "stated: captured ?? asked",
        replace: "stated: asked"
      }
    ],
    caughtBy: {
      project: "connector-mollie",
      file: "packages/connectors/mollie/test/MollieConnector.test.ts",
      test: "given a payment of which a part was captured, when it is looked up, then that part was taken"
    }
  },
  {
    name: "repeat a call to PayPal after any 401",
    harm: "A charge is sent again after an answer that does not say that PayPal executed nothing.",
    edits: [
      {
        file: "packages/connectors/paypal/src/Caller.ts",
        find: "status === 401 && Result.isSuccess(readRefusal(body))",
        replace: "status === 401 && Result.isResult(readRefusal(body))"
      }
    ],
    caughtBy: {
      project: "connector-paypal",
      file: "packages/connectors/paypal/test/PayPalConnector.test.ts",
      test: "given a 401 that does not say that the token ended (0), then no second request"
    }
  },
  {
    name: "take PayPal's used invoice id for a refusal",
    harm: "A charge that PayPal made before is tried at another provider, and the customer pays twice.",
    edits: [
      {
        file: "packages/connectors/paypal/src/Answers.ts",
        find: "issues.some((issue) => usedBefore.has(issue))",
        replace: "issues.some((issue) => !usedBefore.has(issue)) && false"
      }
    ],
    caughtBy: {
      project: "connector-paypal",
      file: "packages/connectors/paypal/test/PayPalConnector.test.ts",
      test: "given a used invoice id, then nothing is known, and that the key was used is"
    }
  },
  {
    name: "ask another provider after a response to PayPal that must be reversed",
    harm: "The issuer still holds the money of the first charge, and a second provider takes it too.",
    edits: [
      {
        file: "packages/connectors/paypal/src/Declines.ts",
        find: `normalized: "response_late", soft: false`,
        replace: `normalized: "response_late", soft: true`
      }
    ],
    caughtBy: {
      project: "connector-paypal",
      file: "packages/connectors/paypal/test/Declines.test.ts",
      test: "given the processor's 0800, then issuer_unavailable/response_late hard"
    }
  },
  {
    name: "believe a message without comparing PayPal's signature",
    harm: "Anybody who names PayPal's certificate says that a payment was captured.",
    edits: [
      {
        file: "packages/connectors/paypal/src/Signature.ts",
        find: 'if (!verify("sha256", signed, key, decoded(signature))) {',
        replace: 'verify("sha256", signed, key, decoded(signature))\n  if (signed.length === 0) {'
      }
    ],
    caughtBy: {
      project: "connector-paypal",
      file: "packages/connectors/paypal/test/OfficialSignature.test.ts",
      test: "given the id of another account's webhook, in any character, or none, then it is refused"
    }
  },
  {
    name: "believe a message that another name than PayPal's signed",
    harm: "An attacker with a certificate of a public authority can report to the server that a payment was captured.",
    edits: [
      {
        file: "packages/connectors/paypal/src/Certificates.ts",
        find: "if (!isOfPayPal(leaf)) return",
        replace: "if (!isOfPayPal(leaf) && at < 0) return"
      }
    ],
    caughtBy: {
      project: "connector-paypal",
      file: "packages/connectors/paypal/test/Messages.test.ts",
      test: "given a message whose certificate has another name, then it is refused"
    }
  },
  {
    name: "refund a capture whose money PayPal has not taken",
    harm: "A refund is requested of money that never arrived.",
    edits: [
      {
        file: "packages/connectors/paypal/src/Lookups.ts",
        find: ".filter(Answers.isTaken)",
        replace: ".slice(0, 1)"
      }
    ],
    caughtBy: {
      project: "connector-paypal",
      file: "packages/connectors/paypal/test/PayPalConnector.test.ts",
      test: "given captures that took nothing where the order is read, then NotSent, and nothing that moves money was sent"
    }
  },
  {
    name: "decline a charge whose order shows no payments at PayPal",
    harm: "A pending charge is tried at another provider while PayPal still takes the money, and the customer pays twice.",
    edits: [
      {
        file: "packages/connectors/paypal/src/Lookups.ts",
        find: 'state._tag === "NeedsCustomer"',
        replace: 'state._tag === "CheckoutOpen"'
      }
    ],
    caughtBy: {
      project: "connector-paypal",
      file: "packages/connectors/paypal/test/PayPalConnector.test.ts",
      test: "given the order of the attempt without payments, then that settles nothing"
    }
  },
  {
    name: "accept a hint that was not looked up",
    harm: "The provider does not send it again, and a charge that was not answered stays unknown.",
    edits: [
      {
        file: "packages/core/src/verbs/receive/ReceiveHint.ts",
        find: "    return yield* new HintNotLookedUp({ reason: found.reason })",
        replace: "    return yield* Effect.succeed<ReadonlyArray<HintedMessage>>([])"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/Hints.test.ts",
      test: "given a lookup that ends in pointsman/Unanswered, then it is not accepted, and its repetition is looked up"
    }
  },
  {
    name: "look a hint up once for all that came meanwhile",
    harm: "A hint that comes while an older state is being read is lost.",
    edits: [
      {
        file: "packages/core/src/verbs/receive/HintShares.ts",
        find: "next === undefined ? done : Effect.andThen(begin(next), done)",
        replace: "next === undefined ? done : Effect.andThen(Deferred.done(next, exit), done)"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/Hints.test.ts",
      test: "given a thousand hints of one object, then one lookup at a time, one more for 64 that wait, and the others are refused"
    }
  },
  {
    name: "declare a loss of records for what the provider stated after a hint",
    harm: "Anybody who can send a hint stops all new payments.",
    edits: [
      {
        file: "packages/core/src/verbs/receive/NoticeLoss.ts",
        find: "if (isHinted(note.eventId)) return",
        replace: 'if (isHinted("")) return'
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/NoticeLoss.test.ts",
      test: "given a statement that came by a hint, then it declares no loss, at once or later; a verified one does"
    }
  },
  {
    name: "believe at once that Stripe never made a payment",
    harm: "A request that Stripe completes after its incident is settled as failed, and the customer pays again.",
    edits: [
      {
        file: "packages/connectors/stripe/src/Lookups.ts",
        find: '  Date.parse(headers["date"] ?? "") >= sentBefore + conclusiveAfterMillis',
        replace: '  Date.parse(headers["date"] ?? "") >= sentBefore || conclusiveAfterMillis === 0'
      }
    ],
    caughtBy: {
      project: "connector-stripe",
      file: "packages/connectors/stripe/test/StripeConnector.test.ts",
      test: "given nothing of ours an hour later, then NotFound, not conclusive"
    }
  },
  {
    name: "take an empty list of something else for Stripe's word",
    harm: "A payment that was made is given up as never received, and the customer pays again.",
    edits: [
      {
        file: "packages/connectors/stripe/src/LookupAnswers.ts",
        find: `      if (url !== \`/v1/\${path}\`) return unreadable(answer, "url")
`,
        replace: `      if (url === path) return unreadable(answer, "url")
`
      }
    ],
    caughtBy: {
      project: "connector-stripe",
      file: "packages/connectors/stripe/test/StripeConnector.test.ts",
      test: "given an empty list that is not the one that was asked for, then Unanswered: it denies nothing"
    }
  },
  {
    name: "deny a charge after looking at the first hour of a day",
    harm: "A charge whose time was lost with its record is called one that never arrived, and is made again.",
    edits: [
      {
        file: "packages/connectors/stripe/src/Lookups.ts",
        find: "{ attemptId, sentAt, sentBefore = sentAt }: ChargeLookup",
        replace: "{ attemptId, sentAt, sentAt: sentBefore }: ChargeLookup"
      }
    ],
    caughtBy: {
      project: "connector-stripe",
      file: "packages/connectors/stripe/test/StripeConnector.test.ts",
      test: "given a charge that was sent at some time of a day, then all of the day is searched, and denied a day after it"
    }
  },
  {
    name: "take a refusal on Stripe's page for the last word",
    harm: "The customer's next card is charged for a payment that the merchant was told is declined.",
    edits: [
      {
        file: "packages/connectors/stripe/src/Messages.ts",
        find: "    isOnPage && paymentIntent.status",
        replace: '    isOnPage && paymentIntent.id === "" && paymentIntent.status'
      }
    ],
    caughtBy: {
      project: "connector-stripe",
      file: "packages/connectors/stripe/test/Messages.test.ts",
      test: "given payment_intent.payment_failed (4), then Charge NeedsCustomer"
    }
  },
  {
    name: "believe what another account says of its payments",
    harm: "A platform's connected account writes an attempt of ours into its metadata, and goods go out unpaid.",
    edits: [
      {
        file: "packages/connectors/stripe/src/Messages.ts",
        find: `  if ((event.account ?? null) !== account) return yield* unreadable("it belongs to another account, at account")
`,
        replace: "  yield* Effect.logDebug(account)\n"
      }
    ],
    caughtBy: {
      project: "connector-stripe",
      file: "packages/connectors/stripe/test/Messages.test.ts",
      test: "given an event of another connected account, then it is not believed"
    }
  },
  {
    name: "believe Adyen's webhooks unsigned",
    harm: "Anybody who knows the address says that money was taken.",
    edits: [
      {
        file: "packages/connectors/adyen/src/Messages.ts",
        find: "  return Mac.timingSafeEqual(",
        replace: "  return true || Mac.timingSafeEqual("
      }
    ],
    caughtBy: {
      project: "connector-adyen",
      file: "packages/connectors/adyen/test/adyen.contract.test.ts",
      test: "given another amount.value than was signed, then it is refused"
    }
  },
  {
    name: "take a key that is at work for a refusal of Adyen's",
    harm: "The first request may be charging; the next connection charges again.",
    edits: [
      {
        file: "packages/connectors/adyen/src/Answers.ts",
        find: `new Set(["703", "704"])`,
        replace: "new Set()"
      }
    ],
    caughtBy: {
      project: "connector-adyen",
      file: "packages/connectors/adyen/test/AdyenConnector.test.ts",
      test: "given 422 with a transient error, or of a key that is at work, then Unanswered"
    }
  },
  {
    name: "ask another connection after an error on the acquirer's side",
    harm: "What the acquirer did before it failed is not known: the money may be held twice.",
    edits: [
      {
        file: "packages/connectors/adyen/src/Answers.ts",
        find: `soft: decline.soft`,
        replace: "soft: refusal.soft"
      }
    ],
    caughtBy: {
      project: "connector-adyen",
      file: "packages/connectors/adyen/test/AdyenConnector.test.ts",
      test: "given Error, whatever its reason, then no other connection is asked, and nobody is to charge again"
    }
  },
  {
    name: "take a payment link that was paid for one that nobody paid",
    harm: "The payment is cancelled while the customer's money is taken.",
    edits: [
      {
        file: "packages/connectors/adyen/src/Answers.ts",
        find: `conclusive: link.status === "expired"`,
        replace: `conclusive: link.status !== "active"`
      }
    ],
    caughtBy: {
      project: "connector-adyen",
      file: "packages/connectors/adyen/test/AdyenConnector.test.ts",
      test: "given the record of a page that is completed, then NotFound, not conclusive"
    }
  },
  {
    name: "take a refused card on Adyen's page for the end of the payment",
    harm: "The payment is declined while the customer pays with another card.",
    edits: [
      {
        file: "packages/connectors/adyen/src/Messages.ts",
        find: "const state: ChargeState = ours.isOnPage\n    ? stillOnPage",
        replace: 'const state: ChargeState = item.pspReference === ""\n    ? stillOnPage'
      }
    ],
    caughtBy: {
      project: "connector-adyen",
      file: "packages/connectors/adyen/test/Messages.test.ts",
      test: "given a refused card on a page, then it is not the last word"
    }
  },
  {
    name: "take every failed capture of Adyen's for its end",
    harm: "Adyen captures again after a technical failure, and the merchant captures or charges a second time.",
    edits: [
      {
        file: "packages/connectors/adyen/src/Messages.ts",
        find: `operationFailed(item, "capture", isNeverCaptured(item.reason), clean)`,
        replace: `operationFailed(item, "capture", item.eventCode !== "", clean)`
      }
    ],
    caughtBy: {
      project: "connector-adyen",
      file: "packages/connectors/adyen/test/adyen.contract.test.ts",
      test: "given operation failed for now, then it is read as that, with its id and its time, and nothing is sent"
    }
  },
  {
    name: "lose the capture that Adyen made again",
    harm: "The message is taken for the first capture's come again, and a payment that was captured stays open.",
    edits: [
      {
        file: "packages/connectors/adyen/src/Messages.ts",
        find: `return isRecaptured(reason) ? ["recaptured"] : []`,
        replace: `return isRecaptured(reason) ? [] : []`
      }
    ],
    caughtBy: {
      project: "connector-adyen",
      file: "packages/connectors/adyen/test/Messages.test.ts",
      test: "given the same event of two payments, or both ends of one, then each has an id of its own"
    }
  },
  {
    name: "send sen of a rupiah to Adyen",
    harm: "The customer is charged a hundred times too little, or a rounded amount.",
    edits: [
      {
        file: "packages/connectors/adyen/src/Amounts.ts",
        find: "return Number.isSafeInteger(result) ? result : undefined",
        replace: "return Math.round(result)"
      }
    ],
    caughtBy: {
      project: "connector-adyen",
      file: "packages/connectors/adyen/test/AdyenConnector.test.ts",
      test: "given what the other side has no word for, then none"
    }
  },
  {
    name: "take a misspelled field of a call",
    harm: "A key under another name is no key: the order is charged once for each time that it is sent.",
    edits: [
      {
        file: "packages/node/src/Orders.ts",
        find: "return unknown === undefined\n",
        replace: "return true\n"
      }
    ],
    caughtBy: {
      project: "node",
      file: "packages/node/test/Errors.test.ts",
      test: "given a key in other letters, when it is called, then the error names the field and nothing is charged"
    }
  },
  {
    name: "say that a call which broke down moved no money",
    harm: "The customer is told that it failed, and pays again what a provider may have charged.",
    edits: [
      {
        file: "packages/node/src/calls/RunCall.ts",
        find: "throw moves === undefined ? brokeDown() : mayHaveMoved(moves.unknown)",
        replace: "throw moves === undefined || moves.unknown !== undefined ? brokeDown() : mayHaveMoved(moves.unknown)"
      }
    ],
    caughtBy: {
      project: "node",
      file: "packages/node/test/Errors.test.ts",
      test: "given a store that breaks down in the middle of a call, when money may have moved, then the error says so"
    }
  },
  {
    name: "close the storage under a call",
    harm: "What the provider said cannot be recorded: the payment is unknown until somebody looks.",
    edits: [
      {
        file: "packages/node/src/Gate.ts",
        find: "Effect.map(Effect.timeoutOption(Deferred.await(idle), limitMillis), () => underWay)",
        replace: "Effect.sync(() => underWay * Math.min(limitMillis, 1))"
      }
    ],
    caughtBy: {
      project: "node",
      file: "packages/node/test/Close.test.ts",
      test: "given a call under way, when it is closed, then the call is answered first, and nothing new is taken"
    }
  },
  {
    name: "a dispute not weighed again",
    harm: "A payment that was disputed before it was captured is refunded in full, and the merchant pays twice.",
    edits: [
      {
        file: "packages/core/src/decide/WeighReported.ts",
        find: `if (taken.has(state) && isDisputed(reported))`,
        replace: `if (false)`
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ProviderReversals.test.ts",
      test: "given a payment that is UNKNOWN, when a dispute is opened and the charge is captured then, then it is CHARGEBACK and cannot be refunded"
    },
    simulatedOn: "memory"
  },
  {
    name: "a waiting dispute dropped with the charge it waited for",
    harm: "The merchant loses a dispute about a payment that nobody was asked to look at.",
    edits: [
      {
        file: "packages/core/src/decide/WeighReported.ts",
        find: `.filter(({ name }) => !reported.contradictions.includes(name))`,
        replace: `.filter(() => false)`
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ProviderReversals.test.ts",
      test: "given a dispute while the charge is pending, when the charge is declined, then operations review the dispute once"
    },
    simulatedOn: "memory"
  },
  {
    name: "the end of a charge that waited for a capture dropped",
    harm: "The provider cancelled the charge during a capture that failed, and the merchant goes on to capture it.",
    edits: [
      {
        file: "packages/core/src/decide/WeighReported.ts",
        find: `if (state === "Authorized" && chargeEnds`,
        replace: `if (state === "Voided" && chargeEnds`
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ProviderReversals.test.ts",
      test: "given a capture that fails then, when the charge was stated as canceled, then the payment is CANCELLED"
    }
  },
  {
    name: "an old failure counts after a success",
    harm: "A late message of an earlier failure takes back a capture that the provider made, and it is captured again.",
    edits: [
      {
        file: "packages/core/src/decide/interpret/ConfirmedAt.ts",
        find: `source.at < (dateOf(payment, id) ?? source.at)`,
        replace: `source.at < 0`
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ProviderReversals.test.ts",
      test: "given a capture that was accepted, then the failure is older, and a newer one counts"
    }
  },
  {
    name: "money that an earlier attempt holds dropped",
    harm: "The customer's money stays held by a provider of which the books say that it did nothing.",
    edits: [
      {
        file: "packages/core/src/decide/interpret/InterpretCharge.ts",
        find: `return tellsOfMoney(held) ? held : "Confirms"`,
        replace: `return tellsOfMoney(fact) ? fact : "Confirms"`
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ProviderMessages.test.ts",
      test: "given a second attempt pending, when the first is reported authorized, then it is Authorized"
    }
  },
  {
    name: "a reversed refund dropped",
    harm: "The refund failed after it had succeeded, and the customer is never repaid.",
    edits: [
      {
        file: "packages/core/src/decide/interpret/InterpretRefund.ts",
        find: `  const fact = refundFactOf(refund.money, state)
`,
        replace: `  if (state._tag === "RefundFailed" && refund.stage === "Succeeded") return older
  const fact = refundFactOf(refund.money, state)
`
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ProviderReversals.test.ts",
      test: "given a full refund, when the provider states that it failed, then the amount is refundable again and operations review it"
    },
    simulatedOn: "memory"
  },
  {
    name: "an old success counts after a reversal",
    harm: "A repeated message of the earlier success hides that the customer was not repaid.",
    edits: [
      {
        file: "packages/core/src/decide/RefundFact.ts",
        find: `return !isCurrent && (isUndated ? stage !== "Failed" : at <= settledAt)`,
        replace: `return false`
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ProviderReversals.test.ts",
      test: "given a reversed refund, when the success arrives again, then it counts only where it is dated after the failure"
    }
  },
  {
    name: "a failed capture dropped",
    harm: "The merchant ships for money that the provider never took.",
    edits: [
      {
        file: "packages/core/src/decide/interpret/InterpretOperation.ts",
        find: `const applied = applyOperationFailure(book, operation, failure, now)`,
        replace: `const applied: ReturnType<typeof applyOperationFailure> = undefined`
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ProviderReversals.test.ts",
      test: "given a capture that is pending, when it fails for good, then the payment is AUTHORIZED and the key is free"
    },
    simulatedOn: "memory"
  },
  {
    name: "a confirmed capture that failed dropped",
    harm: "The merchant keeps books of money that the provider took back.",
    edits: [
      {
        file: "packages/core/src/decide/OperationFailure.ts",
        find: `operation.kind === "void" ? "Contradiction" : reverseCapture(payment, operation, failure, now)`,
        replace: `operation.kind === "void" ? "Contradiction" : undefined`
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ProviderReversals.test.ts",
      test: "given a confirmed capture, when it fails for good, then nothing is captured and an older confirmation does not count"
    },
    simulatedOn: "memory"
  },
  {
    name: "an old confirmation counts after a failed capture",
    harm: "A repeated message of the earlier capture shows money that the provider gave back.",
    edits: [
      {
        file: "packages/core/src/decide/interpret/InterpretOperation.ts",
        find: `if (operation.outcome === "Failed" && state._tag !== "OperationFailed" && !isAfterFailure) {`,
        replace: `if (operation.outcome === "Failed" && now < 0) {`
      },
      {
        file: "packages/core/src/decide/OperationFact.ts",
        find: '(operation.outcome === "Failed" && !isAfterFailure)',
        replace: "false"
      },
      {
        file: "packages/core/src/decide/interpret/InterpretOperation.ts",
        find: "reported?.captureFailedAt !== undefined && !isAfter(reported.captureFailedAt, source)",
        replace: "reported === undefined && source.at === 0"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ProviderReversals.test.ts",
      test: "given a confirmed capture, when it fails for good, then nothing is captured and an older confirmation does not count"
    },
    simulatedOn: "memory"
  },
  {
    name: "refunds stay open after a refunded capture failed",
    harm: "The merchant refunds money that was never captured.",
    edits: [
      {
        file: "packages/core/src/decide/RefundFact.ts",
        find: ` && review?.reasons.includes("capture_failed") !== true`,
        replace: ``
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ProviderReversals.test.ts",
      test: "given a confirmed capture that was refunded, when it fails, then operations review it and refunds are closed"
    }
  },
  {
    name: "a greater capture dropped",
    harm: "The provider took more from the customer than the books say.",
    edits: [
      {
        file: "packages/core/src/decide/interpret/InterpretCaptured.ts",
        find: `return moved(correctCapture(payment, stated, statedAt, now))`,
        replace: `return confirms`
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ProviderReversals.test.ts",
      test: "given a partial capture, when the provider captured more, then it is recorded up to the authorization, with a review"
    },
    simulatedOn: "memory"
  },
  {
    name: "a lookup's contradiction dropped",
    harm: "The provider's record shows a declined or missing charge, and nobody is asked to look.",
    edits: [
      {
        file: "packages/core/src/decide/interpret/InterpretHolder.ts",
        find: "attempt.checkout === null || isCurrent(source) ? contradiction() : older",
        replace: "attempt.checkout === null && !isCurrent(source) ? contradiction() : older"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ProviderLookups.test.ts",
      test: "given an authorization, when the record says declined, then operators review it once"
    }
  },
  {
    name: "an operator's failed capture moves nothing",
    harm: "An operator states that the capture failed, and the books still show the money.",
    edits: [
      {
        file: "packages/core/src/decide/OperatorEvidence.ts",
        find: `_tag: "OperationFailed", isFinal: true, reason: null`,
        replace: `_tag: "OperationFailed", isFinal: false, reason: null`
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/Reviews.test.ts",
      test: "given a confirmed capture, when somebody finds capture_failed, then it is Authorized"
    }
  },
  {
    name: "every process has a budget of lookups of its own",
    harm: "Each server that is added asks the provider as often again, beyond what the operator allowed.",
    edits: [
      {
        file: "packages/core/src/verbs/check/ProveClosed.ts",
        find: `if (!(yield* (yield* Retention).lease({ what: "proof", holder, now, until }))) return none`,
        replace: `yield* (yield* Retention).lease({ what: "proof", holder, now, until })`
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ProveClosed.test.ts",
      test: "given 24 lookups a day and two processes, then each of 2 days has 24"
    }
  },
  {
    name: "a lookup that differs counts as agreement",
    harm: "The panel says that all agrees, and payments differ from the provider's record.",
    edits: [
      {
        file: "packages/core/src/decide/ProofPlan.ts",
        find: `      return "differs"`,
        replace: `      return "agreed"`
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ProveClosed.test.ts",
      test: "given a voided payment that the provider captured after all, then it differs, and operations see it"
    }
  },
  {
    name: "an operator approves their own correction",
    harm: "One person changes the recorded amounts of any payment alone.",
    edits: [
      {
        file: "packages/core/src/verbs/review/DecideCorrection.ts",
        find: `if (isSamePerson(proposedBy, by)) return "nobody approves their own correction: another person has to"`,
        replace: ""
      },
      {
        file: "packages/core/src/verbs/review/DecideCorrection.ts",
        find: "return isAnotherPerson(proposedBy, by)\n        ? undefined",
        replace: "return isAnotherPerson(proposedBy, by) || isSamePerson(proposedBy, by)\n        ? undefined"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/Corrections.test.ts",
      test: "given the person who proposed it, however the name is written, then it is refused and nothing changes"
    }
  },
  {
    name: "a renamed operator is another person",
    harm: "An operator changes the shown name, and approves their own correction.",
    edits: [
      {
        file: "packages/core/src/model/Correction.ts",
        find: `other.of === "operators" && one.id === other.id`,
        replace: `other.of === "operators" && one.name === other.name`
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/Corrections.test.ts",
      test: "given an operator who was renamed, got other roles, or was removed and added again, then it is the same person"
    }
  },
  {
    name: "approval without a fresh decision",
    harm: "A correction that the payment cannot take any more is shown as approved and recorded.",
    edits: [
      {
        file: "packages/core/src/verbs/review/DecideCorrection.ts",
        find: "if (Result.isFailure(applied)) return ended(book, proposed, overtaken(applied.failure))",
        replace:
          "if (Result.isFailure(applied)) return ended(book, proposed, { state: correction.state, decision: correction.decision })"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/Corrections.test.ts",
      test: "given a payment that was settled meanwhile, then the correction is overtaken, and changes nothing"
    }
  },
  {
    name: "approval for another operation than proposed",
    harm: "A correction of one capture, approved late, takes back or confirms the money of a later capture.",
    edits: [
      {
        file: "packages/core/src/verbs/review/DecideCorrection.ts",
        find: "const moved = targetMoved(proposed.target, targetOf(book, stated))",
        replace: "const moved = targetMoved(proposed.target, proposed.target)"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/CorrectionTargets.test.ts",
      test: "given capture_failed, when that capture ended and a later one was confirmed, then it is overtaken, and the later one stays"
    }
  },
  {
    name: "a loss confirms an acceptance without an answer",
    harm: "A merchant is told that a dispute was accepted, and the provider never received the acceptance.",
    edits: [
      {
        file: "packages/core/src/decide/DisputeStatement.ts",
        find: 'new Set<DisputeStatus>(["accepted"])',
        replace: 'new Set<DisputeStatus>(["accepted", "lost"])'
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/Disputes.test.ts",
      test: "given an acceptance without an answer and a loss, when the provider never received it, then the look-up decides"
    }
  },
  {
    name: "new evidence dropped because older evidence was sent",
    harm: "A merchant answers the provider's second request, a message drops the evidence unsent, and the dispute is lost.",
    edits: [
      {
        file: "packages/core/src/decide/DisputeStatement.ts",
        find: "evidence: isEnded(next) ? null : next.evidence",
        replace: `evidence: isEnded(next) || next.submissions.at(-1)?.stage === "Done" ? null : next.evidence`
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/Disputes.test.ts",
      test: "given evidence that is asked for again, when messages come before the new evidence is sent, then it is kept and sent"
    }
  },
  {
    name: "a refused request for an approved checkout ends the payment",
    harm: "A revoked permission at the provider turns a sale that the customer approved into a failed payment.",
    edits: [
      {
        file: "packages/core/src/verbs/create/RecordCharge.ts",
        find: ` || end._tag === "Rejected"\n\n/** What a provider says of the charge itself. */`,
        replace: "\n\n/** What a provider says of the charge itself. */"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/CompleteCheckout.test.ts",
      test: "given a refusal of the request, then the checkout is open again, and the background takes the step later"
    }
  },
  {
    name: "a statement of a small part of a large payment needs one person",
    harm: "An operator states one cent of a large payment alone, and the rest of it is gone.",
    edits: [
      {
        file: "packages/core/src/decide/OperatorEvidence.ts",
        find: '(stated._tag === "Refund" ? refunds.find(({ id }) => id === stated.refundId)?.money : undefined) ?? payment.money',
        replace:
          '(stated._tag === "Refund" ? refunds.find(({ id }) => id === stated.refundId)?.money : stated._tag === "Charge" && stated.amountMinor !== null ? { ...payment.money, minorUnits: stated.amountMinor } : undefined) ?? payment.money'
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/Corrections.test.ts",
      test: "given a limit, when less than it is stated of a payment above it, then a second person is needed"
    }
  },
  {
    name: "refunds reopened by the statement that closes them",
    harm: "The operator who reports a failed capture opens refunds of money that was never captured.",
    edits: [
      {
        file: "packages/core/src/decide/OperatorEvidence.ts",
        find: `isCaptureFailed: isCaptureFailed(applied.payment) && !isCaptureFailed(book.payment)`,
        replace: `isCaptureFailed: false`
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/Reviews.test.ts",
      test: "given a confirmed capture, refunded in part, when somebody finds capture_failed, then it is PartiallyRefunded"
    }
  },
  {
    name: "a lookup without an answer drops the failure",
    harm: "The provider states that a capture failed, its record cannot be read once, and nobody looks again.",
    edits: [
      {
        file: "packages/core/src/commit/RecordLookup.ts",
        find: "isDecided ? meaning : leftUndecided(cleared, decides, now)",
        replace: 'isDecided ? meaning : { _tag: "Confirms" }'
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ProviderLookups.test.ts",
      test: "given a confirmed capture, when it fails and its record is not answered, then one lookup decides: Captured"
    }
  },
  {
    name: "refunds stay open after an automatic capture failed",
    harm: "The merchant refunds money that the provider never took.",
    edits: [
      {
        file: "packages/core/src/decide/interpret/InterpretReported.ts",
        find: `const isCaptureFailed = isOfPayment(book, attempt) &&`,
        replace: `const isCaptureFailed = book.payment.version < 0 &&`
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ProviderReversals.test.ts",
      test: "given a payment that is CAPTURED, when its capture failed, then operators review it once and refunds are closed"
    }
  },
  {
    name: "a refund that is tried again takes an old success",
    harm: "A repeated message of the earlier success shows a refund that the customer never received.",
    edits: [
      {
        file: "packages/core/src/decide/RefundFact.ts",
        find: `(stage === "Pending" && settledAt !== null)`,
        replace: `(stage === "Pending" && providerRefundId === "")`
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ProviderReversals.test.ts",
      test: "given a full refund, when it failed and the provider tries again, then its amount is pending, and only a later success counts"
    }
  },
  {
    name: "an answer's contradiction dropped",
    harm: "A message says that the money was taken and the answer that it was declined, and nobody is asked to look.",
    edits: [
      {
        file: "packages/core/src/verbs/create/RecordCharge.ts",
        find: `if (contradiction !== undefined) return`,
        replace: `if (contradiction !== undefined && now < 0) return`
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ProviderLookups.test.ts",
      test: "given a message that it is captured, when the answer says declined, then operators review it"
    }
  },
  {
    name: "a rejected answer overwrites a confirmed capture",
    harm: "The books show money and a capture that was refused: a later failure of the capture is dropped.",
    edits: [
      {
        file: "packages/core/src/decide/OperationFact.ts",
        find: `fact._tag === "Refused" && operation.outcome === "Confirmed"`,
        replace: `fact._tag === "Refused" && operation.outcome === "NotFound"`
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ProviderLookups.test.ts",
      test: "given a message that a capture is confirmed, when the answer rejects it, then it stays and operators review it"
    }
  },
  {
    name: "a message says that nothing was received",
    harm: "A message ends a charge that the provider executes a moment later, and the merchant charges again.",
    edits: [
      {
        file: "packages/core/src/decide/interpret/Interpretation.ts",
        find: "if (!isCurrent(source)) return",
        replace: "if (source.askedAt < 0) return"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ProviderLookups.test.ts",
      test: "given an unknown charge, when it is old enough, then the message is not believed"
    }
  },
  {
    name: "a contradiction without a review",
    harm: "The provider states that the money is gone, and nobody is asked to look.",
    edits: [
      {
        file: "packages/core/src/decide/interpret/Contradiction.ts",
        find: `withReview(noted, { events: ["payment.conflict"], isCaptureFailed })`,
        replace: `noted`
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ProviderReversals.test.ts",
      test: "given a captured payment, when the provider states that it was canceled, then operations review it once"
    },
    simulatedOn: "memory"
  },
  {
    name: "an unreadable message not stored",
    harm: "What a provider wrote is gone, and cannot be applied once its connector can read it.",
    edits: [
      {
        file: "packages/core/src/verbs/receive/ReceiveMessage.ts",
        find: `  const stored = yield* storeMessage(verified)
`,
        replace: `  if (verified.message === null) return
  const stored = yield* storeMessage(verified)
`
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/StoredMessages.test.ts",
      test: "given one that could not be read, when its reader is mended, then it is applied, and once"
    },
    simulatedOn: "memory"
  },
  {
    name: "an unmatched message not decided",
    harm: "A dispute of a charge that is not here is on nobody's list.",
    edits: [
      {
        file: "packages/core/src/verbs/receive/ReceiveMessage.ts",
        find: `    yield* Effect.logWarning(\`message \${message.id} of connection \${connectionId} \${named}\`)
`,
        replace: `    yield* Effect.logWarning(\`message \${message.id} of connection \${connectionId} \${named}\`)
    return
`
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ProviderMessages.test.ts",
      test: "given a reference of another connection, or of nobody, then it changes nothing and is kept"
    },
    simulatedOn: "memory"
  },
  {
    name: "an unmatched message never applied again",
    harm: "A dispute that overtakes the answer to its charge is never taken back from the payment.",
    edits: [
      {
        file: "packages/core/src/verbs/receive/StoredMessages.ts",
        find: "    if (found.length < batch) return\n",
        replace: "    return\n"
      },
      {
        file: "packages/core/src/verbs/receive/StoredMessages.ts",
        find: "of found.toReversed()",
        replace: "of found.slice(0, 0)"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/StoredMessages.test.ts",
      test: "given a dispute that names a charge by a reference, when a lookup records it later, then a check applies the dispute"
    },
    simulatedOn: "memory"
  },
  {
    name: "an operation in flight that an earlier capture overtook",
    harm: "Where its process died nothing ends it, and its key stays in progress.",
    edits: [
      {
        file: "packages/core/src/decide/OperationFact.ts",
        find: `  state === "Capturing" || state === "Voiding"\n    ? []`,
        replace: `  state !== "Capturing"\n    ? []`
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ProviderReversals.test.ts",
      test: "given a void in flight whose process died, when a capture that had failed is done after all, then the void ended in a conflict"
    }
  },
  {
    name: "take no reference of another charge",
    harm: "A payment that is based on another charge does not take its reference, and another payment takes it too.",
    edits: [
      {
        file: "packages/core/src/model/ChargeReference.ts",
        find: "if (!isKept) name(after, true)",
        replace: "if (before === undefined) name(after, true)"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ChargeReference.test.ts",
      test: "given a payment that moves, when its charge stays, then its own reference is not named again"
    }
  },
  {
    name: "one reference for two payments, in memory",
    harm: "A dispute, a refund or a capture under the reference hits the charge of another payment.",
    edits: [
      {
        file: "packages/storage/memory/src/References.ts",
        find: "if (paymentId !== undefined && paymentId !== change.payment.after.id) {",
        replace: "if (paymentId === change.payment.after.id && providerRef === undefined) {"
      }
    ],
    caughtBy: {
      project: "storage-memory",
      file: "packages/storage/memory/test/Memory.contract.test.ts",
      test: "given a payment has it, when another one takes it, then it is told which, and nothing is written"
    },
    simulatedOn: "memory"
  },
  {
    name: "one reference for two payments, in SQLite",
    harm: "A dispute, a refund or a capture under the reference hits the charge of another payment.",
    edits: [
      {
        file: "packages/storage/sqlite/src/WriteChange.ts",
        find: "    if (Result.isFailure(references)) return Exit.fail(references.failure)\n    references.success()\n",
        replace: ""
      }
    ],
    caughtBy: {
      project: "storage-sqlite",
      file: "packages/storage/sqlite/test/Sqlite.contract.test.ts",
      test: "given a payment has it, when another one takes it, then it is told which, and nothing is written"
    }
  },
  {
    name: "one reference for two payments, in PostgreSQL",
    harm: "A dispute, a refund or a capture under the reference hits the charge of another payment.",
    edits: [
      {
        file: "packages/storage/postgres/src/CommitChecks.ts",
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a template.
        find: "rows: `${holder} and r",
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a template.
        replace: "rows: `${holder} and false and r"
      }
    ],
    caughtBy: {
      project: "storage-postgres",
      file: "packages/storage/postgres/test/Postgres.contract.test.ts",
      test: "given a payment has it, when another one takes it, then it is told which, and nothing is written"
    }
  },
  {
    name: "a reference that is taken at once by two payments, taken for a defect, in PostgreSQL",
    harm: "The second charge is neither recorded nor reviewed.",
    edits: [
      {
        file: "packages/storage/postgres/src/CommitOne.ts",
        find: ` || refused.constraint === "charge_references_pkey"`,
        replace: ""
      }
    ],
    caughtBy: {
      project: "storage-postgres",
      file: "packages/storage/postgres/test/Races.test.ts",
      test: "given 8 payments that wait for one reference, then one takes it, and the others learn who"
    }
  },
  {
    name: "one of two payments with one reference reviewed",
    harm: "Operations settle the second payment, and never hear that the first one's charge may not be its own.",
    edits: [
      {
        file: loop,
        find: "if (id === undefined) return",
        replace: "if (id !== undefined) return"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ReusedReferences.test.ts",
      test: "given two answers at once, then one payment has it, and both are reviewed"
    },
    simulatedOn: "memory"
  },
  {
    name: "the second of two payments with one reference reviewed first",
    harm: "A process that dies in between leaves the first one unreviewed for good.",
    edits: [
      {
        file: loop,
        find: "      if (Result.isFailure(told)) return storeFailed(told.failure)\n",
        replace: ""
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ReusedReferences.test.ts",
      test: "given the first payment's review cannot be written, then nothing is written of the second either"
    }
  },
  {
    name: "a dispute by a reference that two payments were stated to have",
    harm: "The dispute of one customer takes back the money of another one's payment.",
    edits: [
      {
        file: "packages/core/src/decide/ReusedReference.ts",
        find: "  if (claimants.length === 0) return undefined\n",
        replace: "  if (claimants.length >= 0) return undefined\n"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ReusedReferences.test.ts",
      test: "given it says dispute_opened, then it moves neither payment, and is told once"
    }
  },
  {
    name: "apply content that was applied before",
    harm: "A server that restarts with an older file brings back keys that were removed, and withdraws new endpoints.",
    edits: [
      {
        file: "packages/configuration/src/Generation.ts",
        find: "  if (number === undefined && before === undefined) return",
        replace: "  if (number === undefined) return"
      }
    ],
    caughtBy: {
      project: "configuration",
      file: "packages/configuration/test/Generation.test.ts",
      test: "given a rollback, then the older content is the newest generation, and the keys that it names stay revoked"
    },
    simulatedOn: "memory",
    simulatedUnder: "older-file"
  },
  {
    name: "apply a smaller number",
    harm: "A server that restarts with an older file brings back keys that were removed, and withdraws new endpoints.",
    edits: [
      {
        file: "packages/configuration/src/Generation.ts",
        find: "number !== undefined && number > served)",
        replace: "number !== undefined)"
      }
    ],
    caughtBy: {
      project: "configuration",
      file: "packages/configuration/test/Generation.test.ts",
      test: "given a newer number that comes in between, then the older file is not applied at all"
    },
    simulatedOn: "memory",
    simulatedUnder: "older-file"
  },
  {
    name: "one number for two configurations",
    harm: "Servers with different files believe that they serve the same configuration.",
    edits: [
      {
        file: "packages/configuration/src/Generation.ts",
        find: "holder !== undefined && holder.hash !== hash",
        replace: "holder !== undefined && served < 0"
      }
    ],
    caughtBy: {
      project: "configuration",
      file: "packages/configuration/test/Generation.test.ts",
      test: "given other content under the served number, then it stands as the table says"
    }
  },
  {
    name: "do not plan again",
    harm: "A configuration that another one overtook is reported as applied, and none of it is.",
    edits: [
      {
        file: "packages/configuration/src/ApplyConfiguration.ts",
        find: "    if (isApplied) return outcome\n",
        replace: '    if (isApplied || standing._tag === "New") return outcome\n'
      }
    ],
    caughtBy: {
      project: "configuration",
      file: "packages/configuration/test/Generation.test.ts",
      test: "given another configuration that comes in between, then the later one is planned again, on what that one left"
    }
  },
  {
    name: "a file revives a revoked key",
    harm: "A key that was removed because it leaked moves money again.",
    edits: [
      {
        file: "packages/core/src/ports/DirectoryPlan.ts",
        find: '(before.source === "operator" || before.revokedAt !== null)',
        replace: 'before.source === "operator"'
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/DirectoryPlan.test.ts",
      test: "given a key of the configuration, when it is dropped and named again, then it is revoked and stays so"
    },
    simulatedOn: "memory",
    simulatedUnder: "older-file"
  },
  {
    name: "revoke a restored key at a restart",
    harm: "The key that an operator restored stops working when a server restarts.",
    edits: [
      {
        file: "packages/core/src/ports/DirectoryPlan.ts",
        find: ".filter((key) => isNew && ",
        replace: ".filter((key) => "
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/DirectoryPlan.test.ts",
      test: "given a restored key that the configuration omits, when the same is planned again, then the key stays active"
    }
  },
  {
    name: "report a revoked key as restored",
    harm: "The operator tells the merchant that the key works, and its payments are refused.",
    edits: [
      {
        file: "packages/core/src/verbs/administer/ManageApiKeys.ts",
        find: "  if (restored.revokedAt !== null) return yield* new ApiKeyNotRestorable()\n",
        replace: ""
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ManageApiKeys.test.ts",
      test: "given a key that a file omitted, when it is restored, then it works, and an operator's revocation is final"
    }
  },
  {
    name: "count a withdrawal as a failure",
    harm: "A delivery whose endpoint was withdrawn a few times has no attempts left when it returns.",
    edits: [
      {
        file: "packages/core/src/model/Delivery.ts",
        find: 'fact === "AttemptFailed" || fact === "LastAttemptFailed" ? failures : delivery.failures',
        replace: 'state === "Delivered" || state === "Refused" ? delivery.failures : failures'
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/DeliverWebhooks.test.ts",
      test: "given an endpoint that is not active any more, then what was due for it is given up unsent"
    }
  },
  {
    name: "apply over another configuration, in memory",
    harm: "Two files that come at once leave a mix of both: a key of the one works beside the connections of the other.",
    edits: [
      {
        file: "packages/storage/memory/src/Directory.ts",
        find: "        if ((state.configurations.at(-1)?.generation ?? 0) !== after) return Effect.succeed(false)\n",
        replace: ""
      }
    ],
    caughtBy: {
      project: "storage-memory",
      file: "packages/storage/memory/test/Memory.contract.test.ts",
      test: "given a newer generation, when a change comes that was planned before it, then nothing of it is written"
    }
  },
  {
    name: "apply over another configuration, in SQLite",
    harm: "Two files that come at once leave a mix of both: a key of the one works beside the connections of the other.",
    edits: [
      {
        file: "packages/storage/sqlite/src/Directory.ts",
        find: '  if (newest?.["generation"] !== after) return false\n',
        replace: "  if (newest === undefined || after < 0) return false\n"
      }
    ],
    caughtBy: {
      project: "storage-sqlite",
      file: "packages/storage/sqlite/test/Sqlite.contract.test.ts",
      test: "given a newer generation, when a change comes that was planned before it, then nothing of it is written"
    }
  },
  {
    name: "apply over another configuration, in PostgreSQL",
    harm: "Two files that come at once leave a mix of both: a key of the one works beside the connections of the other.",
    edits: [
      {
        file: "packages/storage/postgres/src/Directory.ts",
        find: '    if ((newest?.["generation"] ?? 0) !== after) return false\n',
        replace: "    if (newest === undefined || after < 0) return false\n"
      }
    ],
    caughtBy: {
      project: "storage-postgres",
      file: "packages/storage/postgres/test/Postgres.contract.test.ts",
      test: "given a newer generation, when a change comes that was planned before it, then nothing of it is written"
    }
  },
  {
    name: "forget what waits for an endpoint, in SQLite",
    harm: "The merchant's endpoint is back, and the deliveries that waited for it are never sent.",
    edits: [
      {
        file: "packages/storage/sqlite/src/Directory.ts",
        find: "if (endpoint.active) db",
        replace: "if (endpoint.active && now < 0) db"
      }
    ],
    caughtBy: {
      project: "storage-sqlite",
      file: "packages/storage/sqlite/test/Sqlite.contract.test.ts",
      test: "given a delivery given up for its inactive endpoint, when the endpoint returns, then it is due, with its failures"
    }
  },
  {
    name: "forget what waits for an endpoint, in PostgreSQL",
    harm: "The merchant's endpoint is back, and the deliveries that waited for it are never sent.",
    edits: [
      {
        file: "packages/storage/postgres/src/Directory.ts",
        find: "  if (active.length > 0) yield*",
        replace: "  if (active.length < 0) yield*"
      }
    ],
    caughtBy: {
      project: "storage-postgres",
      file: "packages/storage/postgres/test/Postgres.contract.test.ts",
      test: "given a delivery given up for its inactive endpoint, when the endpoint returns, then it is due, with its failures"
    }
  },
  {
    name: "resume what is exhausted, in SQLite",
    harm: "A receiver that failed for a day is sent everything again whenever the file changes its endpoint.",
    edits: [
      {
        file: "packages/storage/sqlite/src/Directory.ts",
        find: " and last.failure = 'EndpointWithdrawn'",
        replace: ""
      }
    ],
    caughtBy: {
      project: "storage-sqlite",
      file: "packages/storage/sqlite/test/Sqlite.contract.test.ts",
      test: "given a delivery whose schedule is exhausted, when its endpoint returns, then it stays given up"
    }
  },
  {
    name: "give up after the endpoint returned, in SQLite",
    harm: "The merchant's endpoint is back, and the deliveries that waited for it are never sent.",
    edits: [
      {
        file: "packages/storage/sqlite/src/Deliveries.ts",
        find: "again !== undefined && isActive(db, after.endpointId) ? again : after",
        replace: 'again !== undefined && isActive(db, "none") ? again : after'
      }
    ],
    caughtBy: {
      project: "storage-sqlite",
      file: "packages/storage/sqlite/test/Sqlite.contract.test.ts",
      test: "given an endpoint that returned, when an attempt is recorded that found it inactive, then the delivery is due"
    }
  },
  {
    name: "give up after the endpoint returned, in PostgreSQL",
    harm: "The merchant's endpoint is back, and the deliveries that waited for it are never sent.",
    edits: [
      {
        file: "packages/storage/postgres/src/Deliveries.ts",
        find: "  state = case when endpoints.active then 'Due' else ended.state end,\n",
        replace: "  state = ended.state,\n"
      }
    ],
    caughtBy: {
      project: "storage-postgres",
      file: "packages/storage/postgres/test/Postgres.contract.test.ts",
      test: "given an endpoint that returned, when an attempt is recorded that found it inactive, then the delivery is due"
    }
  },
  {
    name: "give up while the endpoint returns, in PostgreSQL",
    harm: "The merchant's endpoint is back, and the deliveries that waited for it are never sent.",
    edits: [
      {
        file: "packages/storage/postgres/src/Deliveries.ts",
        find: " where id in (select endpoint_id from ended where failure = 'EndpointWithdrawn') for share",
        replace: " where id in (select endpoint_id from ended where failure = 'EndpointWithdrawn')"
      }
    ],
    caughtBy: {
      project: "storage-postgres",
      file: "packages/storage/postgres/test/Races.test.ts",
      test: "given an endpoint that is being activated, when an attempt is recorded that found it inactive, then it waits, and the delivery is due"
    }
  },
  {
    name: "keep the place while the provider is asked",
    harm: "A slow provider takes all places, and the payments of every other provider are refused.",
    edits: [
      {
        file: "packages/core/src/call/CallProvider.ts",
        find: "yield* withoutPlace(Deferred.await(end))",
        replace: "yield* Deferred.await(end)"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/Admission.test.ts",
      test: "given a provider that takes its time, then those who wait for it take no place"
    }
  },
  {
    name: "a server's own clock",
    harm: "A server whose clock is ahead takes an unknown result for a failure before the provider captures.",
    edits: [
      {
        file: "packages/core/src/Pointsman.ts",
        find: "Context.add(Clock.Clock, storageClock.clock),",
        replace: "Context.add(Clock.Clock, yield* Clock.Clock),"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/StorageClock.test.ts",
      test: 'given a server whose clock is 65 s ahead, then "never received" is believed by the store\'s time'
    },
    simulatedOn: "memory",
    simulatedUnder: "clocks"
  },
  {
    name: "ages across a change of clocks",
    harm: "After a failover to a clock that is ahead, an unknown result becomes a failure before the provider captures.",
    edits: [
      {
        file: "packages/core/src/decide/SentCall.ts",
        find: "Math.max(sentAt, agesFrom ?? sentAt)",
        replace: "Math.min(sentAt, agesFrom ?? sentAt)"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/StorageClock.test.ts",
      test: "given a clock that changed, then 'never received' is believed once the full age has passed since"
    },
    simulatedOn: "memory",
    simulatedUnder: "promote"
  },
  {
    name: "a clock that follows the machine's",
    harm: "A machine whose clock is set back lets a call go out long after its claim.",
    edits: [
      {
        file: "packages/storage/postgres/src/DatabaseClock.ts",
        find: "Math.max(moment.monotonic - anchor.monotonic, moment.wall - anchor.wall)",
        replace: "(moment.wall - anchor.wall)"
      }
    ],
    caughtBy: {
      project: "storage-postgres",
      file: "packages/storage/postgres/test/DatabaseClock.test.ts",
      test: "given a machine whose clock is set back, then time goes on"
    }
  },
  {
    name: "a database's clock that jumps",
    harm: "The database's clock is set ahead, and an unknown result becomes a failure before the provider captures.",
    edits: [
      {
        file: "packages/storage/postgres/src/DatabaseClock.ts",
        find: "if (jumped > jumpMillis || stepped > jumpMillis)",
        replace: "if (stepped > jumpMillis)"
      }
    ],
    caughtBy: {
      project: "storage-postgres",
      file: "packages/storage/postgres/test/DatabaseClock.test.ts",
      test: "given a database whose clock jumps, then ages begin anew; corrections of milliseconds take no time back"
    }
  },
  {
    name: "serve by a wrong clock",
    harm: "A server whose clock is minutes off goes on sending, with timestamps that providers and receivers refuse.",
    edits: [
      {
        file: "packages/storage/postgres/src/Condition.ts",
        find: "const wrongClockMillis = 30_000",
        replace: "const wrongClockMillis = 3_000_000"
      }
    ],
    caughtBy: {
      project: "storage-postgres",
      file: "packages/storage/postgres/test/WrongClock.test.ts",
      test: "given a database that is 40 s ahead, then the storage refuses, and its time is the database's"
    }
  },
  {
    name: "a lost payment that nobody misses",
    harm: "A standby that lagged was promoted; what it lacks is charged again under new keys, and no server notices.",
    edits: [
      {
        file: "packages/storage/postgres/src/LossWatch.ts",
        find: "and id = c.p and version >= c.v",
        replace: "and id >= '' and version >= 0"
      }
    ],
    caughtBy: {
      project: "storage-postgres",
      file: "packages/storage/postgres/test/LostRecords.test.ts",
      test: "given one that lags, then every server knows of the loss, and since when, also after a restart"
    }
  },
  {
    name: "a loss on one node that hides a later one",
    harm: "A node that was down comes back without payments after a loss on another one; they are charged again.",
    edits: [
      {
        file: "packages/storage/postgres/src/LossWatch.ts",
        find: "acknowledged.forgetBefore(before, new Set(open))",
        replace: "acknowledged.forgetBefore(before, new Set(open.slice(open.length)))"
      }
    ],
    caughtBy: {
      project: "storage-postgres",
      file: "packages/storage/postgres/test/LossWatch.test.ts",
      test: "given a loss on one node, when another node returns without its commits, then that is a loss too"
    }
  },
  {
    name: "a loss that later payments hide",
    harm: "A lagging standby is promoted under load; the servers commit much on it at once, and none notices the loss.",
    edits: [
      {
        file: "packages/storage/sql/src/Acknowledged.ts",
        find: "isCompared ? uncomparedAtMost : newestAtMost",
        replace: "isCompared ? newestAtMost : newestAtMost"
      }
    ],
    caughtBy: {
      project: "storage-postgres",
      file: "packages/storage/postgres/test/LostRecords.test.ts",
      test: "given one that lags, when servers commit much before they compare, then they know of the loss all the same"
    }
  },
  {
    name: "ages across a failover",
    harm: "The promoted standby's clock is ahead, and an unknown result becomes a failure before the provider captures.",
    edits: [
      {
        file: "packages/storage/postgres/src/Timeline.ts",
        find: `if (row?.["is_changed"] === true) clock`,
        replace: `if (row?.["is_changed"] === "never") clock`
      }
    ],
    caughtBy: {
      project: "storage-postgres",
      file: "packages/storage/postgres/test/LostRecords.test.ts",
      test: "given one that has everything, then ages begin anew, and no record is missing"
    }
  },
  {
    name: "believe an operator's never received by another clock",
    harm: "After a failover, a call that is still on its way is taken for lost, and the customer is charged again.",
    edits: [
      {
        file: "packages/core/src/verbs/review/RecordEvidence.ts",
        find: "agesFrom: clock?.agesFrom() ?? null",
        replace: "agesFrom: null"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/StorageClock.test.ts",
      test: "given a clock that changed, then an operator's 'never received' is believed no sooner"
    }
  },
  {
    name: "create at a connection that is not recovered",
    harm: "The store lost the payment of this order; the shop asks again under a new key, and it is charged twice.",
    edits: [
      {
        file: "packages/core/src/verbs/create/CreatePayment.ts",
        find: "if (missing !== undefined) return yield* missing",
        replace: "if (missing === null) return yield* missing"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/RecordLosses.test.ts",
      test: "given connections that are not recovered, then nothing is sent there, and what is on file is answered"
    },
    simulatedOn: "memory",
    simulatedUnder: "restore"
  },
  {
    name: "count on after records were lost",
    harm: "A server that decided on a lost record writes over another one: a capture is recorded twice.",
    edits: [
      {
        file: "packages/storage/memory/src/Commit.ts",
        find: "version: versionIn(history, after.version)",
        replace: "version: versionIn(Math.min(history, 1), after.version)"
      }
    ],
    caughtBy: {
      project: "storage-memory",
      file: "packages/storage/memory/test/Memory.test.ts",
      test: "given another record with the number of a lost one, when a step was decided on the lost one, then it is stale"
    },
    simulatedOn: "memory",
    simulatedUnder: "promote-alive"
  },
  {
    name: "serve on a schema of another release",
    harm: "A server writes what the newer release misreads: an amount or a status turns out wrong.",
    edits: [
      {
        file: "packages/storage/postgres/src/Condition.ts",
        find: "if (schema > newest) refusals",
        replace: "if (schema < 0) refusals"
      }
    ],
    caughtBy: {
      project: "storage-postgres",
      file: "packages/storage/postgres/test/Migrate.test.ts",
      test: "given a storage in use, when a newer server takes a step, then it takes no new work within seconds"
    }
  },
  {
    name: "count on after a failover",
    harm: "A server that decided on a lost record writes over another one: a capture is recorded twice.",
    edits: [
      {
        file: "packages/storage/postgres/src/CommitParameters.ts",
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a template.
        find: "`greatest(${version}, ${base} + (",
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a template.
        replace: "`greatest(${version}, 0 * ${base} + ("
      }
    ],
    caughtBy: {
      project: "storage-postgres",
      file: "packages/storage/postgres/test/LostRecords.test.ts",
      test: "given another record with the number of a lost one, when a step was decided on the lost one, then it is stale"
    }
  },
  {
    name: "adopt what a message states beside a complete list",
    harm: "A lost charge is recorded at the connection that a message about it came to: refunds go to the wrong provider.",
    edits: [
      {
        file: "packages/core/src/verbs/recover/RecoverRecords.ts",
        find: 'end._tag === "NoList" ?',
        replace: 'end._tag !== "Failed" ?'
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/RecoverMessages.test.ts",
      test: "given it came to another connection, then the charge is that of the connection that lists it"
    },
    simulatedOn: "memory",
    simulatedUnder: "restore"
  },
  {
    name: "end a loss before its messages are applied",
    harm: "A dispute that came meanwhile stays unmatched, and its payment is refunded too.",
    edits: [
      {
        file: "packages/core/src/verbs/recover/RecoverMessages.ts",
        find: "  return failed\n",
        replace: "  return Math.min(failed, 0)\n"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/RecoverMessages.test.ts",
      test: "given the store fails as it is applied, then its connection is recovered by the next recovery"
    }
  },
  {
    name: "drop a failure of what a lookup did not find",
    harm: "The provider holds the customer's money, and the payment is CANCELLED without a review.",
    edits: [
      {
        file: "packages/core/src/decide/OperationFailure.ts",
        find: '      if (mayBeOf(operations, payment, operation)) return "Contradiction"\n',
        replace: ""
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/NotFoundOperations.test.ts",
      test: "given its success arrived, when its failure arrives, then operators review it"
    }
  },
  {
    name: "let an older amount replace a newer one",
    harm: "The record says that more was captured than the provider took, and more is refundable.",
    edits: [
      {
        file: "packages/core/src/decide/interpret/InterpretCaptured.ts",
        find: "const isDated = isAsAsked || (!isCurrent(source) && source.at !== null)",
        replace: "const isDated = isAsAsked"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ProviderReversals.test.ts",
      test: "given a capture of more than was asked, when a smaller amount overtakes its older confirmation, then the smaller one stays"
    }
  },
  {
    name: "refund at a connection that is not recovered",
    harm: "The store lost the refund; it is asked for again, and the money is given back twice.",
    edits: [
      {
        file: "packages/core/src/verbs/refund/ClaimRefund.ts",
        find: "if (missing !== undefined) return yield* new NothingSent({ cause: missing })",
        replace: ""
      },
      {
        file: "packages/core/src/verbs/refund/ClaimRefund.ts",
        find: "const missing = yield* missingRecords([connection])",
        replace: "yield* missingRecords([connection])"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/RecordLosses.test.ts",
      test: "given connections that are not recovered, then nothing is sent there, and what is on file is answered"
    },
    simulatedOn: "memory",
    simulatedUnder: "restore"
  },
  {
    name: "capture at a connection that is not recovered",
    harm: "The store lost the capture; it is asked for again at a provider that forgot its key, and is taken twice.",
    edits: [
      {
        file: "packages/core/src/verbs/operate/ClaimOperation.ts",
        find: "if (missing !== undefined) return yield* new NothingSent({ cause: missing })",
        replace: ""
      },
      {
        file: "packages/core/src/verbs/operate/ClaimOperation.ts",
        find: "const missing = yield* missingRecords([connection])",
        replace: "yield* missingRecords([connection])"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/RecordLosses.test.ts",
      test: "given connections that are not recovered, then nothing is sent there, and what is on file is answered"
    },
    simulatedOn: "memory",
    simulatedUnder: "restore"
  },
  {
    name: "write to a file that was replaced",
    harm: "Payments are acknowledged that are in a deleted file, and gone with the next restart.",
    edits: [
      {
        file: "packages/storage/sqlite/src/Committer.ts",
        find: "if (options.isReplaced?.() === true) {",
        replace: "if (options.isReplaced === undefined) {"
      }
    ],
    caughtBy: {
      project: "storage-sqlite",
      file: "packages/storage/sqlite/test/FileWatch.test.ts",
      test: "given a copy from before in its place, then nothing is written, and who opens it knows of the loss"
    }
  },
  {
    name: "page due checks by time alone, in memory",
    harm: "A provider that hangs keeps the unknown results of all others from being looked up.",
    edits: [
      {
        file: "packages/storage/memory/src/Checks.ts",
        find: "inTurn.sort((a, b) => a.place - b.place || a.at - b.at)",
        replace: "inTurn.sort((a, b) => a.at - b.at)"
      }
    ],
    caughtBy: {
      project: "storage-memory",
      file: "packages/storage/memory/test/Memory.contract.test.ts",
      test: "given many of one connection, when a page is taken, then others that wait for less long are on it"
    }
  },
  {
    name: "page due checks by time alone, in SQLite",
    harm: "A provider that hangs keeps the unknown results of all others from being looked up.",
    edits: [
      {
        file: "packages/storage/sqlite/src/Checks.ts",
        find: "a.place - b.place || Number",
        replace: "Number"
      }
    ],
    caughtBy: {
      project: "storage-sqlite",
      file: "packages/storage/sqlite/test/Sqlite.contract.test.ts",
      test: "given many of one connection, when a page is taken, then others that wait for less long are on it"
    }
  },
  {
    name: "page due checks by time alone, in PostgreSQL",
    harm: "A provider that hangs keeps the unknown results of all others from being looked up.",
    edits: [
      {
        file: "packages/storage/postgres/src/Checks.ts",
        find: "  order by place, check_at limit $4\n",
        replace: "  order by check_at limit $4\n"
      }
    ],
    caughtBy: {
      project: "storage-postgres",
      file: "packages/storage/postgres/test/Postgres.contract.test.ts",
      test: "given many of one connection, when a page is taken, then others that wait for less long are on it"
    }
  },
  {
    name: "check without shares",
    harm: "A provider that hangs keeps the unknown results of all others from being looked up.",
    edits: [
      {
        file: "packages/core/src/verbs/check/CheckDue.ts",
        find: "limitPerConnection, underWay })",
        replace: "limitPerConnection: limit, underWay: new Map() })"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/Shares.test.ts",
      test: "given 200 charges at it, then it takes its share, and another's unknown is asked in time"
    }
  },
  {
    name: "keep places for checks that hang",
    harm: "A provider that hangs keeps the unknown results of all others from being looked up.",
    edits: [
      {
        file: "packages/core/src/verbs/check/CheckDue.ts",
        find: "slowAfterMillis: 1_000 }",
        replace: "slowAfterMillis: 1_000_000 }"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/Shares.test.ts",
      test: "given forty of them with more than their shares, then another's unknown is asked within seconds"
    }
  },
  {
    name: "check a rival in the share of the payment's connection",
    harm: "The rival's provider hangs, and unknown results at the payment's connection are not looked up.",
    edits: [
      {
        file: "packages/core/src/decide/CheckSchedule.ts",
        find: "openRivals(state, attempts).at(-1)?.connectionId ?? connectionId",
        replace: "connectionId"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/CheckDue.test.ts",
      test: "given its provider says captured, then it is Captured, is reported once and not looked up again"
    }
  },
  {
    name: "record messages without shares",
    harm: "A provider that sends many messages at once keeps those of others waiting for the storage.",
    edits: [
      {
        file: "packages/core/src/verbs/receive/MessageShares.ts",
        find: "share.places.withPermits(1)(record)",
        replace: "record"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/Shares.test.ts",
      test: "given 100 that the storage is slow to record, then it has its share of them under way, and others go on"
    }
  },
  {
    name: "let any number of messages wait",
    harm: "A storage that hangs fills the memory of the server with messages.",
    edits: [
      {
        file: "packages/core/src/verbs/receive/MessageShares.ts",
        find: "share.inside >= atOnce + waitingAtMost",
        replace: "share.inside < 0"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/Shares.test.ts",
      test: "given more than may wait, then the rest is refused, and taken again when those that waited are gone"
    }
  },
  {
    name: "take an idempotency key that was sent twice",
    harm: "Node joins both into another key, so that a repeated request charges a second time.",
    edits: [
      {
        file: "packages/http/src/RepeatedHeaders.ts",
        find: `if (repeated.has("idempotency-key")) headers =`,
        replace: `if (repeated.has("host")) headers =`
      }
    ],
    caughtBy: {
      project: "server",
      file: "packages/server/test/RepeatedHeaders.test.ts",
      test: "given an idempotency key, when it comes once and then twice, then one payment is made"
    }
  },
  {
    name: "parse messages of any structure",
    harm: "Anyone can keep the server busy: a megabyte of open brackets takes 50 ms, before its signature is checked.",
    edits: [
      {
        file: "packages/core/src/ports/ReadMessage.ts",
        find: "++depth > most.depth || ++containers > most.containers",
        replace: "false"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/MessageJson.test.ts",
      test: "given a megabyte of open lists, when it is read, then it is refused"
    }
  },
  {
    name: "look for card numbers of one network alone",
    harm: "A card number is stored, sent to webhook endpoints and copied to backups.",
    edits: [
      {
        file: "packages/http/src/api/CardNumber.ts",
        find: "creditCardType(digits).some(({ lengths }) =>",
        replace: 'creditCardType(digits).some(({ lengths, type }) => type === "visa" &&'
      }
    ],
    caughtBy: {
      project: "http",
      file: "packages/http/test/CardNumbers.test.ts",
      test: "given the digits 378282246310005 alone, then they are taken, or refused where that is set"
    }
  },
  {
    name: "refund for an operator whom the audit trail does not name",
    harm: "Money moves by hand, and nobody can tell who moved it.",
    edits: [
      {
        file: "packages/core/src/door/Payments.ts",
        find: "if (operator === undefined) return act",
        replace: "if (operator !== null) return act"
      }
    ],
    caughtBy: {
      project: "server",
      file: "packages/server/test/CommandsOperate.test.ts",
      test: "given an audit trail that cannot be written, when a payment is refunded, then the provider is not asked"
    }
  },
  {
    name: "ask for a request's place before its body is read",
    harm: "Under overload the server reads, authenticates and checks what it then refuses, and serves a sixth of its rate.",
    edits: [
      {
        file: "packages/server/src/AdmitRequests.ts",
        find: "setImmediate(() => {",
        replace: "process.nextTick(() => {"
      }
    ],
    caughtBy: {
      project: "server",
      file: "packages/server/test/AdmitRequests.test.ts",
      test: "given no place, when requests come whole, then they are refused before anything is done for them, and counted"
    }
  },
  {
    name: "keep any number of unfinished bodies",
    harm: "A few hundred connections with unsigned, unfinished messages fill the server's memory.",
    edits: [
      {
        file: "packages/server/src/RequestBodies.ts",
        find: "(bySource.get(source) ?? 0) + bytes > ofSource",
        replace: "bytes > ofSource"
      }
    ],
    caughtBy: {
      project: "server",
      file: "packages/server/test/UnfinishedRequests.test.ts",
      test: "given 40 MB of one address, when more comes, then it is 429, and payments are made"
    }
  },
  {
    name: "keep any number of pipelined requests",
    harm: "A hundred connections that pipeline requests and read nothing take the memory and the processor of all others.",
    edits: [
      {
        file: "packages/server/src/Connections.ts",
        find: "connection.waiting.length >= waitingAtMost",
        replace: "connection.waiting.length < 0"
      }
    ],
    caughtBy: {
      project: "server",
      file: "packages/server/test/Connections.test.ts",
      test: "given far more than may wait, when they come at once, then the connection is closed, and one is handled"
    }
  },
  {
    name: "wait two minutes for a TLS handshake",
    harm: "A client that opens connections and never finishes a handshake keeps them eight times as long as others.",
    edits: [
      {
        file: "packages/server/src/Listener.ts",
        find: ", handshakeTimeout: requestTimeoutMillis",
        replace: ""
      }
    ],
    caughtBy: {
      project: "server",
      file: "packages/server/test/TlsConnections.test.ts",
      test: "given the time for it is over, when nothing or a byte at a time came, then the connection is closed"
    }
  },
  {
    name: "count connections after their TLS handshake",
    harm: "One client takes all file descriptors of the server with connections that never finish a handshake.",
    edits: [
      {
        file: "packages/server/src/Listener.ts",
        find: 'server.on("connection", connections.accept)',
        replace: 'server.on(certificate === undefined ? "connection" : "secureConnection", connections.accept)'
      }
    ],
    caughtBy: {
      project: "server",
      file: "packages/server/test/TlsConnections.test.ts",
      test: "given all that one address may have, then more of it are closed, and another address is served"
    }
  },
  {
    name: "serve a TLS key that others may read",
    harm: "Another user of the machine copies the private key and impersonates the server.",
    edits: [
      {
        file: "packages/server/src/TlsCertificate.ts",
        find: "if (mode !== undefined) {",
        replace: "if (mode === null) {"
      }
    ],
    caughtBy: {
      project: "server",
      file: "packages/server/test/Tls.test.ts",
      test: "given a key file of mode 0640, when the server starts, then it ends until only its owner may use the file"
    }
  },
  {
    name: "warn of no unencrypted database",
    harm: "Credentials and payments cross the network in the clear, and no operator learns of it.",
    edits: [
      {
        file: "packages/server/src/DatabaseUrl.ts",
        find: 'if (mode === "verify-full" || isOnThisMachine(host)) return undefined',
        replace: 'if (mode !== "require" || isOnThisMachine(host)) return undefined'
      }
    ],
    caughtBy: {
      project: "server",
      file: "packages/server/test/DatabaseTransport.test.ts",
      test: "given no sslmode, when the server starts, then it and doctor warn once; on loopback they do not"
    }
  },
  {
    name: "tell customers that an unknown charge failed",
    harm: "The customer pays again, and is charged twice.",
    edits: [
      {
        file: "packages/http/src/hosted/Outcomes.ts",
        find: 'ChargeUnknown: "checking",',
        replace: 'ChargeUnknown: "failed",'
      }
    ],
    caughtBy: {
      project: "http",
      file: "packages/http/test/hosted/Pages.test.ts",
      test: "given ChargeUnknown, when the page is opened, then it says Your payment is being checked and leads back"
    }
  },
  {
    name: "allow a hosted page images from anywhere",
    harm: "What a brand brings to the page can report its customers to others.",
    edits: [
      {
        file: "packages/http/src/hosted/PageBrand.ts",
        find: "imagesFrom: logoUrl?.origin,",
        replace: 'imagesFrom: "https:",'
      }
    ],
    caughtBy: {
      project: "http",
      file: "packages/http/test/hosted/Brands.test.ts",
      test: "given the logo https://cdn.example/logo.svg?v=2, when the page is opened, then its origin alone may be asked"
    }
  },
  {
    name: "take a path as the router reads it",
    harm: "A proxy keeps /metrics from the public, and /METRICS or /%6detrics shows them.",
    edits: [
      {
        file: "packages/http/src/Fallbacks.ts",
        find: "if (routes.isMisspelled(request.url))",
        replace: "if (false)"
      }
    ],
    caughtBy: {
      project: "http",
      file: "packages/http/test/Routes.test.ts",
      test: "given /%61pi/v1/payments, when it is asked for, then it is 404"
    }
  },
  {
    name: "show metrics to the clients of a proxy on this machine",
    harm: "The volume, the providers and the failures of all merchants are public.",
    edits: [{ file: "packages/server/src/AdminRoutes.ts", find: " && !wasForwarded(headers)", replace: "" }],
    caughtBy: {
      project: "server",
      file: "packages/server/test/AdminAddress.test.ts",
      test: "given a program on this machine, when it asks for metrics directly, then it gets them, and through a proxy it does not"
    }
  },
  {
    name: "count verified messages by their address",
    harm: "A provider that sends for many connections from one address is refused, and results are heard of late.",
    edits: [
      {
        file: "packages/http/src/ProviderWebhookHandlers.ts",
        find: "        const body = yield* readBody(request)\n",
        replace:
          '        yield* limited(failures.count("message", sourceOf(request)))\n        const body = yield* readBody(request)\n'
      }
    ],
    caughtBy: {
      project: "http",
      file: "packages/http/test/MessageRateLimit.test.ts",
      test: "given signed messages, when more come from one address than may fail, then none is refused"
    }
  },
  {
    name: "believe X-Forwarded-For from every client",
    harm: "A client that writes another address into each request tries API keys without end.",
    edits: [
      {
        file: "packages/server/src/SourceOf.ts",
        find: "forwardedFor === undefined || !isTrusted(source)",
        replace: "forwardedFor === undefined"
      }
    ],
    caughtBy: {
      project: "server",
      file: "packages/server/test/Sources.test.ts",
      test: "given no trusted proxy, when the header changes with each request, then it is one source"
    }
  },
  {
    name: "count no message that fails verification",
    harm: "A sender without the secret keeps the server busy with failing verifications.",
    edits: [
      {
        file: "packages/http/src/ProviderWebhookHandlers.ts",
        find: 'else yield* limited(failures.count("message", sourceOf(request), params.pspId))',
        replace: "else yield* Effect.void"
      }
    ],
    caughtBy: {
      project: "http",
      file: "packages/http/test/ProviderMessages.test.ts",
      test: "given eight at once and one more, then the ninth is 429 with Retry-After, regardless of the signature"
    }
  },
  {
    name: "hide secrets of a provider's text only as they are",
    harm: "A provider that shows its key in a URL twice encoded has it stored, and sent to the merchant: others charge with it.",
    edits: [
      {
        file: "packages/core/src/ports/HideSecrets.ts",
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a template.
        find: "`%(?:25){0,2}${byte}`",
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a template.
        replace: "`%${byte}`"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/HideSecrets.test.ts",
      test: "given a secret in a URL in a URL, when a text with it is cleaned, then nothing of it is left"
    }
  },
  {
    name: "warn of refused messages once for ever",
    harm: "Forged messages, or a wrong webhook secret after a rotation, go on for days and the log shows the first one alone.",
    edits: [
      {
        file: "packages/core/src/verbs/receive/RefuseMessage.ts",
        find: "now - (refusalLoggedAt.get(connectionId) ?? Number.NEGATIVE_INFINITY) >= warningMillis",
        replace: "!refusalLoggedAt.has(connectionId)"
      }
    ],
    caughtBy: {
      project: "http",
      file: "packages/http/test/RefusedMessages.test.ts",
      test: "given messages that are refused, then each connection has one line for a minute, and one more after it"
    }
  },
  {
    name: "send more than the store records",
    harm: "A store that is slow to record is given more and more: memory grows, and a crash sends all of it again.",
    edits: [
      {
        file: "packages/core/src/commit/Places.ts",
        find: "2 * atOnce - fast - unrecorded, ",
        replace: ""
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/DeliverWebhooksIsolation.test.ts",
      test: "given a store that is slow to record, then no more is sent than it can keep up with"
    }
  },
  {
    name: "send what another process may have taken",
    harm: "A delivery whose lease ended while it waited for a place is sent by two processes.",
    edits: [
      {
        file: "packages/core/src/verbs/deliver/TakenAhead.ts",
        find: "now - one.takenAt <= leaseMillis / 2",
        replace: "now >= one.takenAt"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/DeliverWebhooksAhead.test.ts",
      test: "given one that waited for half of its lease, when there is a place, then its next taker sends it"
    }
  },
  {
    name: "deliver without shares",
    harm: "One merchant's endpoint that hangs keeps all others from hearing of their payments.",
    edits: [
      {
        file: "packages/core/src/verbs/deliver/DeliverWebhooks.ts",
        find: "limitPerEndpoint: atOncePerEndpoint",
        replace: "limitPerEndpoint: limit"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/DeliverWebhooksIsolation.test.ts",
      test: "given one for which more waits than there are places, then it holds four of them all the same"
    }
  },
  {
    name: "look up in another account",
    harm: "A charge that was captured is not found in another account, and recorded as failed; its customer pays again.",
    edits: [
      {
        file: "packages/core/src/call/LookUp.ts",
        find: '  if (other !== undefined) return { _tag: "OtherAccount", ...other } satisfies AtOtherAccount\n',
        replace: ""
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/Accounts.test.ts",
      test: "given a payment that is unanswered, when it is looked up there, then nothing moves, once under review"
    },
    simulatedOn: "memory",
    simulatedUnder: "account"
  },
  {
    name: "believe never received in an account that is not named",
    harm: "The credentials may open another account, which never received what was captured in the first one.",
    edits: [
      {
        file: "packages/core/src/call/LookUp.ts",
        find: "!isVerified && connection.account !== undefined",
        replace: "false"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/Accounts.test.ts",
      test: "given a provider that does not name the account, then what is not found may be in the one before"
    },
    simulatedOn: "memory",
    simulatedUnder: "account"
  },
  {
    name: "capture in another account",
    harm: "Another merchant's charge with the same reference would be captured or voided.",
    edits: [
      {
        file: "packages/core/src/verbs/operate/ClaimOperation.ts",
        find: "  if (other !== undefined) return yield* new",
        replace: "  if (Date.now() < 0 && other !== undefined) return yield* new"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/Accounts.test.ts",
      test: "given a payment of the first account, when a capture is asked for, then nothing is sent there"
    }
  },
  {
    name: "refund in another account",
    harm: "Another merchant's charge with the same reference would be refunded.",
    edits: [
      {
        file: "packages/core/src/verbs/refund/ClaimRefund.ts",
        find: "  if (other !== undefined) return yield* new",
        replace: "  if (Date.now() < 0 && other !== undefined) return yield* new"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/Accounts.test.ts",
      test: "given a payment of the first account, when a refund is asked for, then nothing is sent there"
    }
  },
  {
    name: "believe a message of another account",
    harm: "What happened to a charge of another account would move a payment.",
    edits: [
      {
        file: "packages/core/src/verbs/receive/ReceiveMessage.ts",
        find: "  if (Option.isSome(elsewhere)) {",
        replace: "  if (Option.isSome(elsewhere) && Date.now() < 0) {"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/Accounts.test.ts",
      test: "given a message through it, then nothing moves, and operations review it"
    }
  },
  {
    name: "charge in another account",
    harm: "New payments go to an account that is not the merchant's, and later look-ups and refunds are refused.",
    edits: [
      {
        file: "packages/core/src/routing/Eligibility.ts",
        find: "account !== undefined && account.changedAt !== null",
        replace: "account !== undefined && account.changedAt === -1"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/Accounts.test.ts",
      test: "given credentials of another account, then that connection alone takes no new payments"
    }
  },
  {
    name: "send a further attempt to a deactivated connection",
    harm: "An operator deactivates a connection, and it is charged all the same.",
    edits: [
      {
        file: nextAttempt,
        find: "now === undefined || !now.active",
        replace: "now === undefined"
      }
    ],
    caughtBy: {
      project: "core",
      file: failoverTest,
      test: "given a connection that was deactivated meanwhile, when the first attempt fails, then the next is asked"
    }
  },
  {
    name: "send a further attempt by the rules as they were",
    harm: "A charge goes to another account than the one that the merchant's payments are at.",
    edits: [
      {
        file: nextAttempt,
        find: "const exclusion = plan.exclusionOf(now)",
        replace: "const exclusion = plan.exclusionOf(before)"
      }
    ],
    caughtBy: {
      project: "core",
      file: failoverTest,
      test: "given a connection whose account changed meanwhile, then it is not used"
    }
  },
  {
    name: "send a further attempt to a connection that is not recovered",
    harm: "A charge that was lost with the database's last records is made again.",
    edits: [
      {
        file: nextAttempt,
        find: "yield* missingRecords([now])",
        replace: "yield* missingRecords([])"
      }
    ],
    caughtBy: {
      project: "core",
      file: failoverTest,
      test: "given records that were lost meanwhile, then a connection that is not recovered is not used"
    }
  },
  {
    name: "start with another encryption key once every connection was removed",
    harm: "Fingerprints of repeated requests no longer match, and a retry is refused or taken for another request.",
    edits: [
      {
        file: "packages/configuration/src/CheckSeals.ts",
        find: "unreadable.length === sealed.length ? sealed[0] : undefined",
        replace: "undefined"
      }
    ],
    caughtBy: {
      project: "configuration",
      file: "packages/configuration/test/CheckSeals.test.ts",
      test: "given that nothing can be decrypted, then the start goes on only if the key is the right one"
    }
  },
  {
    name: "take a commit under way for a loss",
    harm: "Every payment is refused because a message was faster than its payment.",
    edits: [{ file: noticeLoss, find: "now - named.until < claimWindowMillis || ", replace: "" }],
    caughtBy: {
      project: "core",
      file: noticeLossTest,
      test: "given a charge with a drawn id that is as young as a commit under way may be, then nothing is known until it is older"
    }
  },
  {
    name: "take another workspace's charge for a loss",
    harm: "Every payment is refused because two workspaces share an account.",
    edits: [{ file: noticeLoss, find: "[tenant, ...others]", replace: "[tenant]" }],
    caughtBy: {
      project: "core",
      file: noticeLossTest,
      test: "given another workspace's charge at the same account, then no loss is known"
    }
  },
  {
    name: "take the sandbox's messages for a loss",
    harm: "Live payments are refused because two installations share a test account.",
    edits: [
      {
        file: noticeLoss,
        find: 'tenant.environment === "production" ? namedAttempt(note) : undefined',
        replace: "namedAttempt(note)"
      }
    ],
    caughtBy: {
      project: "core",
      file: noticeLossTest,
      test: "given the sandbox, or a charge of long ago, then no loss is known"
    }
  },
  {
    name: "recover from the charge that a message named alone",
    harm: "Charges that were lost before it stay missing, and are made again.",
    edits: [
      {
        file: noticeLoss,
        find: "(last?.createdAt ?? named.from - unknownMillis) - marginMillis",
        replace: "named.from - marginMillis"
      }
    ],
    caughtBy: {
      project: "core",
      file: noticeLossTest,
      test: "given an attempt of ours with a drawn id, then a loss since the last record before it is known, and nothing is sent"
    }
  },
  {
    name: "declare an accepted loss again",
    harm: "An operator ends a loss, and the next message refuses every payment again.",
    edits: [
      {
        file: noticeLoss,
        find: "loss !== null && from <= loss.declaredAt && (loss.ended !== null || loss.since <= until)",
        replace: "loss !== null && loss.ended === null && loss.since <= until"
      }
    ],
    caughtBy: {
      project: "core",
      file: noticeLossTest,
      test: "given a loss that an operator ended, then a charge of before it declares none"
    }
  },
  {
    name: "forget the account of an attempt",
    harm: "A payment would be looked up, captured and refunded in whichever account is known by then.",
    edits: [
      {
        file: "packages/core/src/verbs/create/NewPayment.ts",
        find: "account: connection.account?.current ?? null",
        replace: "account: null"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/Accounts.test.ts",
      test: "given a provider with accounts, when it is asked, then the account is kept with each new attempt"
    }
  },
  {
    name: "forget a change of account",
    harm: "Credentials that went back and forth hide payments in another account.",
    edits: [
      {
        file: "packages/core/src/model/ProviderAccount.ts",
        find: "changedAt: known.changedAt ?? (",
        replace: "changedAt: ("
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/Accounts.test.ts",
      test: "given no other connection, then creates are refused, also by a new process and by the first account"
    }
  },
  {
    name: "forget a change of account, in SQL",
    harm: "Credentials that went back and forth hide payments in another account.",
    edits: [
      {
        file: "packages/storage/sql/src/DirectoryRows.ts",
        find: "else account_changed_at end",
        replace: "else null end"
      }
    ],
    caughtBy: {
      project: "storage-sqlite",
      file: "packages/storage/sqlite/test/Sqlite.contract.test.ts",
      test: "given a connection, when its provider names accounts, then the first and the last are kept"
    }
  },
  {
    name: "record the account of earlier credentials",
    harm: "A late answer says that the credentials in use open the account of the ones before.",
    edits: [
      {
        file: "packages/storage/sql/src/DirectoryRows.ts",
        find: "and sealed_credentials = ",
        replace: "and sealed_credentials <> '' and '' <> "
      }
    ],
    caughtBy: {
      project: "storage-sqlite",
      file: "packages/storage/sqlite/test/Sqlite.contract.test.ts",
      test: "given a connection with other credentials by now, when an account is recorded, then it is not"
    }
  },
  {
    name: "accept a weak encryption key",
    harm: "A key of zeros seals the credentials of every provider: an attacker with a copy of the database reads them.",
    edits: [
      { file: "packages/core/src/ports/SecretsLayer.ts", find: "isWeak(key) ? Result", replace: "false ? Result" }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/Secrets.test.ts",
      test: "given a key that follows a pattern, when it is read, then it is refused, and taken as an earlier one"
    }
  },
  {
    name: "accept an encryption key file that the group may read",
    harm: "Other users of the machine read the key, and with it the credentials of every provider.",
    edits: [
      { file: "packages/server/src/SecretFile.ts", find: "(mode & 0o077) === 0", replace: "(mode & 0o007) === 0" }
    ],
    caughtBy: {
      project: "server",
      file: "packages/server/test/EncryptionKeys.test.ts",
      test: "given a key file of mode 0640, when the server starts, then it stops until only its owner may use the file"
    }
  },
  {
    name: "seal without the place",
    harm: "Credentials that are moved to another connection's record open there: its payments go to another account.",
    edits: [
      {
        file: "packages/core/src/ports/Sealing.ts",
        find: "{ nonce, aad: utf8.encode(place) }",
        replace: '{ nonce, aad: utf8.encode("") }'
      },
      {
        file: "packages/core/src/ports/Sealing.ts",
        find: "          aad: utf8.encode(place)\n",
        replace: '          aad: utf8.encode("")\n'
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/Secrets.test.ts",
      test: "given a sealed text, when it is opened in another place, then it is broken and names the place alone"
    }
  },
  {
    name: "rotate the encryption key in one pass",
    harm: "Credentials that a server stores meanwhile stay under the old key: without it, their payments fail.",
    edits: [
      {
        file: "packages/core/src/verbs/administer/RotateEncryption.ts",
        find: "pass < maxPasses",
        replace: "pass < maxPasses - 2"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/RotateEncryption.test.ts",
      test: "given credentials that a server changes meanwhile, when the key is rotated, then the new ones are kept"
    }
  },
  {
    name: "derive ids from the current encryption key",
    harm: "After a rotation a retried request is taken for another one, and a repeated charge gets another id: paid twice.",
    edits: [
      {
        file: "packages/core/src/ports/SecretsLayer.ts",
        find: "Effect.flatMap(storedDerivation(source), (keys)",
        replace:
          "Effect.flatMap(Effect.andThen(storedDerivation(source), Effect.flatMap(source, ({ current }) => derivedFrom(current))), (keys)"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/Secrets.test.ts",
      test: "given a store, when its encryption key is replaced, then fingerprints, ids and page tokens stay"
    }
  },
  {
    name: "take the new encryption key for the first one",
    harm: "An older installation that updates and rotates at once derives other ids: a retried charge is made again.",
    edits: [
      {
        file: "packages/core/src/ports/SecretsLayer.ts",
        find: "if (connection === undefined) return current",
        replace: "if (connection === undefined || previous.length > 0) return current"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/Secrets.test.ts",
      test: "given a store without derivation keys, when it starts under a new key, then the key that sealed its texts derives"
    }
  },
  {
    name: "overwrite credentials that were written since they were read",
    harm: "Rotating the encryption key brings back a provider's old credentials: payments fail, or reach another account.",
    edits: [
      {
        file: "packages/storage/sqlite/src/SealedTexts.ts",
        find: "} = ?1`",
        replace: "} <> '' and ?1 <> ''`"
      }
    ],
    caughtBy: {
      project: "storage-sqlite",
      file: "packages/storage/sqlite/test/Sqlite.contract.test.ts",
      test: "given a text that was written since it was read, when it is replaced, then the newer text stays"
    }
  },
  {
    name: "believe never received of a used key",
    harm: "The provider has a request under the key, which may have moved money; recorded as failed, it is made again.",
    edits: [
      {
        file: "packages/core/src/decide/interpret/Interpretation.ts",
        find: "if (call.code === keyUsedCode && ",
        replace: 'if (call.code === "" && '
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/UsedKeys.test.ts",
      test: "given a charge, then it is unknown, and what is not found later settles nothing"
    }
  },
  {
    name: "forget that the key of a capture was used",
    harm: "The provider has a request under the key, which may have moved money; recorded as failed, it is made again.",
    edits: [
      {
        file: "packages/core/src/decide/OperationFact.ts",
        find: "code: unansweredCode(end)",
        replace: "code: null"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/UsedKeys.test.ts",
      test: "given a capture, then what is not found later settles nothing"
    }
  },
  {
    name: "forget that the key of a refund was used",
    harm: "The provider has a request under the key, which may have moved money; recorded as failed, it is made again.",
    edits: [
      {
        file: "packages/core/src/decide/RefundFact.ts",
        find: "code: unansweredCode(end)",
        replace: "code: null"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/UsedKeys.test.ts",
      test: "given a refund, then what is not found later gives nothing back"
    }
  },
  {
    name: "forget that the answer named another attempt",
    harm: "The provider has a request under the key, which may have moved money; recorded as failed, it is made again.",
    edits: [
      {
        file: "packages/core/src/model/ProviderStatement.ts",
        find: "isKeyUsed === true || ofAnother !== undefined ?",
        replace: "isKeyUsed === true ?"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/UsedKeys.test.ts",
      test: "given a charge of ours, then that one is settled by it, and the one that was asked stays unknown"
    }
  },
  {
    name: "forget that a lookup named another attempt",
    harm: "The provider has a request under the key, which may have moved money; recorded as failed, it is made again.",
    edits: [
      {
        file: "packages/core/src/decide/interpret/Interpret.ts",
        find: 'return attempt?.outcome === "Unanswered" && attempt.code === null',
        replace: 'return attempt?.outcome === "Unanswered" && attempt.code === ""'
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/UsedKeys.test.ts",
      test: "given a lookup, then the named one is settled, and what is not found later settles nothing"
    }
  },
  {
    name: "adopt from another connection",
    harm: "Another provider's word would settle a charge that it was never asked for.",
    edits: [
      {
        file: "packages/core/src/commit/AdoptAnswer.ts",
        find: " && one.connectionId === connectionId)",
        replace: ")"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/UsedKeys.test.ts",
      test: "given an attempt of another connection, then it stays as it is"
    }
  },
  {
    name: "adopt from another account",
    harm: "A charge of another account would settle a payment.",
    edits: [
      {
        file: "packages/core/src/commit/AdoptAnswer.ts",
        find: "accounts.current(connection)",
        replace: "undefined"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/UsedKeys.test.ts",
      test: "given an attempt in another account by now, then it stays as it is, and operations review it"
    }
  },
  {
    name: "call a used key no used key, at Stripe",
    harm: "The provider has a request under the key, which may have moved money; recorded as failed, it is made again.",
    edits: [
      {
        file: "packages/connectors/stripe/src/Answers.ts",
        find: "    isKeyUsed: true",
        replace: "    isKeyUsed: false"
      }
    ],
    caughtBy: {
      project: "connector-stripe",
      file: "packages/connectors/stripe/test/StripeConnector.test.ts",
      test: "given one with other parameters, then Unanswered, which says so"
    }
  },
  {
    name: "call a used key no used key, over HTTP",
    harm: "The provider has a request under the key, which may have moved money; recorded as failed, it is made again.",
    edits: [
      {
        file: "packages/connectors/http/src/Answers.ts",
        find: "isKeyUsed: true",
        replace: "isKeyUsed: false"
      }
    ],
    caughtBy: {
      project: "connector-http",
      file: "packages/connectors/http/test/HttpConnector.test.ts",
      test: "given 409 of a key that was used before with other parameters, then Unanswered, and never a refusal"
    }
  },
  {
    name: "call a used key no used key, at Adyen",
    harm: "The provider has a request under the key, which may have moved money; recorded as failed, it is made again.",
    edits: [
      {
        file: "packages/connectors/adyen/src/Answers.ts",
        find: 'isKeyUsed: errorCode === "704"',
        replace: 'isKeyUsed: errorCode === "703"'
      }
    ],
    caughtBy: {
      project: "connector-adyen",
      file: "packages/connectors/adyen/test/AdyenConnector.test.ts",
      test: "given 422 with a transient error, or of a key that is at work, then Unanswered"
    }
  },
  {
    name: "look for no lost charge once the loss was accepted",
    harm: "A provider without a list has the charge of a lost request, which is made again after midnight.",
    edits: [
      {
        file: findLostCharge,
        find: 'loss.ended?.outcome === "recovered") return none',
        replace: "loss.ended !== null) return none"
      }
    ],
    caughtBy: {
      project: "core",
      file: lostKeysTest,
      test: "given no list and midnight, when the loss was accepted, then the charge that is found answers"
    }
  },
  {
    name: "look for lost charges of one day",
    harm: "The lost request was made the day before: its charge is made again.",
    edits: [
      {
        file: findLostCharge,
        find: "const places = connections.flatMap((connection) => days.map(",
        replace: "const places = connections.flatMap((connection) => days.slice(-1).map("
      }
    ],
    caughtBy: {
      project: "core",
      file: lostKeysTest,
      test: "given a loss of two days, then nothing is sent until the keys of the first day have ended"
    }
  },
  {
    name: "look for lost charges where no circuit is open",
    harm: "The connection that charged a lost request has an open circuit since, and another one charges again.",
    edits: [
      {
        file: findLostCharge,
        find: "if (open.length === 0) return order",
        replace: "if (open.length >= 0) return order"
      }
    ],
    caughtBy: {
      project: "core",
      file: lostKeysTest,
      test: "given a circuit that opened since, then the connection that charged is asked all the same"
    }
  },
  {
    name: "send a lost request again under the id of today",
    harm: "The provider keeps the id of the day on which it charged, and charges again under another one.",
    edits: [
      {
        file: "packages/core/src/verbs/create/ClaimCharge.ts",
        find: "createdAt: day ?? now }",
        replace: "createdAt: now }"
      }
    ],
    caughtBy: {
      project: "core",
      file: lostKeysTest,
      test: "given midnight, when the key comes again, then it is sent under the id of the lost day"
    }
  },
  {
    name: "take a provider that cannot say for one that denies",
    harm: "After a loss, a request that Adyen charged is charged again: it cannot look a charge up.",
    edits: [
      {
        file: findLostCharge,
        find: 'return found.conclusive && isOldEnough(attempt, asked) ? "denied" : "possible"',
        replace: 'return "denied"'
      }
    ],
    caughtBy: {
      project: "core",
      file: lostKeysTest,
      test: "given midnight, when the key comes again, then it is sent under the id of the lost day"
    }
  },
  {
    name: "send although a lookup for a lost charge was not answered",
    harm: "The provider has the charge, and is asked for another one.",
    edits: [
      {
        file: "packages/core/src/decide/LostCharge.ts",
        find: "if (unanswered !== undefined) return {",
        replace: "if (unanswered?.day === -1) return {"
      }
    ],
    caughtBy: {
      project: "core",
      file: lostKeysTest,
      test: "given it does not answer, then nothing is sent, until it does"
    }
  },
  {
    name: "send although two connections may have a lost charge",
    harm: "The second connection charged the lost request, and the first one charges it again.",
    edits: [
      {
        file: "packages/core/src/decide/LostCharge.ts",
        find: "if (others.length > 0 || last !== undefined) return {",
        replace: "if (last !== undefined) return {"
      }
    ],
    caughtBy: {
      project: "core",
      file: lostKeysTest,
      test: "given two such connections, then nothing is sent for a day, unless servers serve all the same"
    }
  },
  {
    name: "look for a lost charge around the time of its lookup",
    harm: "The provider searches among charges of today, denies the one of yesterday, and is asked for it again.",
    edits: [
      {
        file: "packages/core/src/call/LookUp.ts",
        find: "return { sentAt: Math.min(sentAt, Math.max(loss.since, day)), sentBefore: sentAt }",
        replace: "return { sentAt }"
      }
    ],
    caughtBy: {
      project: "core",
      file: lostKeysTest,
      test: "given no list and midnight, when the loss was accepted, then the charge that is found answers"
    }
  },
  {
    name: "compare recovered keys of today alone",
    harm: "After midnight a merchant repeats a request whose record was lost, and its charge is made again.",
    edits: [
      {
        file: recoveredKey,
        find: "for (const createdAt of daysOf(loss, now)) {",
        replace: "for (const createdAt of [now]) {"
      }
    ],
    caughtBy: {
      project: "core",
      file: recoverTest,
      test: "given midnight and an open circuit since, when the key comes again, then nothing is charged"
    },
    simulatedOn: "memory",
    simulatedUnder: "restore"
  },
  {
    name: "compare recovered keys of two days alone",
    harm: "The record of a charge that is pending for days was lost. A merchant repeats its request, and it is charged again.",
    edits: [
      {
        file: recoveredKey,
        find: "if (day + keyRetentionMillis > since - clockMillis) days.add(day)",
        replace: ""
      }
    ],
    caughtBy: {
      project: "core",
      file: recoverTest,
      test: "given a charge that is pending for days, when its key comes again, then its payment answers"
    }
  },
  {
    name: "compare recovered keys of the newest loss alone",
    harm: "Records are lost again on the next day. A merchant repeats a request of the first loss, and it is charged again.",
    edits: [
      {
        file: recoveredKey,
        find: "const isRecent = now < declaredAt + 2 * keyRetentionMillis",
        replace: "const isRecent = now < since"
      }
    ],
    caughtBy: {
      project: "core",
      file: recoverTest,
      test: "given another loss on the next day, when the key comes again, then nothing is charged"
    }
  },
  {
    name: "compare recovered keys of one connection",
    harm: "A request whose record was lost was charged at another connection, and is charged again.",
    edits: [
      {
        file: recoveredKey,
        find: "for (const { id: connectionId } of connections) {",
        replace: "for (const { id: connectionId } of connections.slice(0, 1)) {"
      }
    ],
    caughtBy: {
      project: "core",
      file: recoverTest,
      test: "given a recovered charge, when its key comes again, then its payment answers and nothing is charged"
    },
    simulatedOn: "memory",
    simulatedUnder: "restore"
  },
  {
    name: "answer a recovered key whatever is asked",
    harm: "A merchant who asks for another amount is told that it was charged.",
    edits: [
      {
        file: recoveredKey,
        find: "if (money.currency !== payment.money.currency || money.minorUnits !== payment.money.minorUnits) {",
        replace: 'if (money.currency === "") {'
      }
    ],
    caughtBy: {
      project: "core",
      file: recoverTest,
      test: "given a recovered charge, when its key comes again, then its payment answers and nothing is charged"
    }
  },
  {
    name: "recover a charge under a drawn id",
    harm: "Two recoveries at once store two payments of one charge, and each can be refunded.",
    edits: [
      {
        file: findRecord,
        find: 'JSON.stringify(["recovered payment", attemptId])',
        replace: 'JSON.stringify(["recovered payment", attemptId, Math.random()])'
      }
    ],
    caughtBy: {
      project: "core",
      file: recoverTest,
      test: "given a provider that was not told payment ids, then two recoveries at once store one payment"
    }
  },
  {
    name: "adopt another tenant's charge",
    harm: "A charge of production is adopted in the sandbox, whose keys then refund it.",
    edits: [
      {
        file: findRecord,
        find: "if (Option.isSome(yield* ledger.bookOf(other, { attemptId }))) return undefined",
        replace: "yield* ledger.bookOf(other, { attemptId })"
      }
    ],
    caughtBy: {
      project: "core",
      file: recoverTest,
      test: "given a list that names its charge, then the charge is not adopted here"
    }
  },
  {
    name: "leave a paid page open",
    harm: "The customer paid on the page, the record was lost, and the page takes the money again.",
    edits: [
      {
        file: planCharge,
        find: "    isPaidSince ||\n",
        replace: "    (isPaidSince && false) ||\n"
      }
    ],
    caughtBy: {
      project: "core",
      file: recoverTest,
      test: "given it waits for its customer here, when it is recovered, then it is paid, and not paid again"
    }
  },
  {
    name: "believe an old list during a capture",
    harm: "A list from before a capture opens the authorization again, and a second capture is sent.",
    edits: [
      {
        file: planCharge,
        find: "attempt === undefined || inOperation.has(book.payment.state)",
        replace: "attempt === undefined"
      }
    ],
    caughtBy: {
      project: "core",
      file: recoverTest,
      test: "given a capture in flight and a list from before it, then the payment keeps waiting for its capture"
    }
  },
  {
    name: "adopt more refunds than was captured",
    harm: "A refund that the record has no room for breaks its balance, and the recovery dies.",
    edits: [
      {
        file: planRefund,
        find: "refundable.has(payment.state) && minorUnits <= refundableMinor(payment)",
        replace: "refundable.has(payment.state)"
      }
    ],
    caughtBy: {
      project: "core",
      file: recoverTest,
      test: "given more refunded than was captured, or a refund made elsewhere, then operations review the payment"
    }
  },
  {
    name: "make another hosted page under a lost key",
    harm: "A customer who paid on the page of a lost payment is sent to a second page, and pays again.",
    edits: [
      {
        file: "packages/core/src/verbs/create/CreatePayment.ts",
        find: "idempotencyKey === null ? undefined : yield* missingAnywhere(caller.tenant)",
        replace: 'caller.tenant.workspaceId !== "" ? undefined : yield* missingAnywhere(caller.tenant)'
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/RecordLosses.test.ts",
      test: "given connections that are not recovered, then nothing is sent there, and what is on file is answered"
    }
  },
  {
    name: "take a lost refund for the unsent one whose id it took",
    harm: "A refund that the customer has stays recorded as refused after a recovery, and may be sent again.",
    edits: [
      {
        file: planRefund,
        find: "known !== undefined && !isTakenAgain(known, listed)",
        replace: 'known !== undefined && (known.id !== "" || !isTakenAgain(known, listed))'
      }
    ],
    caughtBy: {
      project: "core",
      file: recoverTest,
      test: "given a refund of which nothing was sent, when the next one under its key is lost, then that is recorded"
    }
  },
  {
    name: "recover refunds without their lost capture",
    harm: "A captured payment stays authorized after a recovery, and its refunds are recorded by no later report.",
    edits: [
      {
        file: planRefund,
        find: "isAdoptable || isLookedUp ? undefined : uncapturedAttempt(book)",
        replace: "undefined as ReturnType<typeof uncapturedAttempt>"
      }
    ],
    caughtBy: {
      project: "core",
      file: recoverTest,
      test: "given lost refunds of a lost capture, when its charge is looked up, then all of them are recorded"
    }
  },
  {
    name: "send a lost refund again that no list had",
    harm: "A refund that was executed after the recovery is made again once its provider has forgotten the key.",
    edits: [
      {
        file: "packages/core/src/door/Payments.ts",
        find: "adoptLostRefund(caller, order), refund",
        replace: 'order.paymentId === "" ? adoptLostRefund(caller, order) : Effect.void, refund'
      }
    ],
    caughtBy: {
      project: "core",
      file: lostRefundsTest,
      test: "given one that was executed after the recovery, when its key comes again, then it is not made again"
    }
  },
  {
    name: "send a refund that may be lost although its provider does not answer",
    harm: "A lost refund is made again while its provider cannot be asked for it.",
    edits: [
      {
        file: "packages/core/src/verbs/recover/AdoptLostRefund.ts",
        find: 'afterRestore === "serve") return',
        replace: 'afterRestore !== "serve") return'
      }
    ],
    caughtBy: {
      project: "core",
      file: lostRefundsTest,
      test: "given a provider that does not answer, then nothing is sent until it does"
    }
  },
  {
    name: "forget keys of recovered refunds",
    harm: "A merchant repeats a refund whose record was lost, and the customer is refunded twice.",
    edits: [
      { file: replayRefund, find: "named ?? (yield* recoveredRefund(book, order.idempotencyKey))", replace: "named" }
    ],
    caughtBy: {
      project: "core",
      file: recoverTest,
      test: "given recovered refunds, when their keys come again, then their answers are repeated"
    },
    simulatedOn: "memory",
    simulatedUnder: "restore"
  },
  {
    name: "recover a connection that did not answer",
    harm: "Servers charge again although a part of what was lost is not recovered.",
    edits: [
      { file: recoverFile, find: 'from <= loss.since && one.end._tag === "Complete"', replace: "from <= loss.since" }
    ],
    caughtBy: {
      project: "core",
      file: recoverTest,
      test: "given a page that is never answered, then its connection is not recovered, and the next time it is"
    }
  },
  {
    name: "recover a connection from too late",
    harm: "Servers charge again although what was lost before is not recovered.",
    edits: [
      {
        file: recoverFile,
        find: 'from <= loss.since && one.end._tag === "Complete"',
        replace: 'one.end._tag === "Complete"'
      }
    ],
    caughtBy: {
      project: "core",
      file: recoverTest,
      test: "given a recovery that began later than the loss, then no connection is recovered"
    }
  },
  {
    name: "take an unanswered page for the last one",
    harm: "Charges on later pages are missing, and the connection counts as recovered.",
    edits: [
      {
        file: listsFile,
        find: "if (failure === undefined) continue",
        replace: 'if (failure === undefined || failure.reason !== "the connector has no list") continue'
      }
    ],
    caughtBy: {
      project: "core",
      file: recoverTest,
      test: "given windows that hold too many, then shorter ones are asked for, and nothing is missed"
    }
  },
  {
    name: "write in a dry run",
    harm: "A dry run stores payments, and merchants receive their webhooks.",
    edits: [
      {
        file: recoverRecords,
        find: "  isDryRun\n    ? Effect.flatMap(",
        replace: "  isDryRun && false\n    ? Effect.flatMap("
      }
    ],
    caughtBy: {
      project: "core",
      file: recoverTest,
      test: "given a dry run, then it reports the same, and stores nothing"
    }
  },
  {
    name: "answer a recovered capture whatever is asked",
    harm: "A merchant who asks to capture another amount is told that it was captured.",
    edits: [
      {
        file: recoveredOperation,
        find: 'if (order.kind === "capture" && asked.operation.money.minorUnits !== book.payment.capturedMinor) {',
        replace: "if (order.kind === null) {"
      }
    ],
    caughtBy: {
      project: "core",
      file: recoverTest,
      test: "given keys of a capture and a void, when they come again, then the provider's record answers"
    }
  },
  {
    name: "erase the payments of every reference",
    harm: "An erasure for one customer erases the references of all payments of the workspace.",
    edits: [
      {
        file: erasePayments,
        find: "reference: order.reference,",
        replace: ""
      },
      {
        file: erasePayments,
        find: "texts?.book.payment.reference !== reference",
        replace: "texts === undefined || texts.book.payment.reference === null"
      }
    ],
    caughtBy: {
      project: "core",
      file: erasePaymentsTest,
      test: "given payments with other references, when one reference is erased, then theirs are untouched"
    }
  },
  {
    name: "leave the metadata that a search finds after an erasure",
    harm: "Personal data that was erased stays in the database, and a search confirms it.",
    edits: [
      {
        file: "packages/storage/sqlite/src/Erasure.ts",
        find: "    db.prepare(forgetMetadata).run(...bindTenant(tenant), bindText(paymentId))\n",
        replace: ""
      }
    ],
    caughtBy: {
      project: "storage-sqlite",
      file: "packages/storage/sqlite/test/Sqlite.contract.test.ts",
      test: "given metadata whose texts are erased, then it finds its payment no more"
    }
  },
  {
    name: "take a create with other metadata for the same one",
    harm: "The answer of one order is given to another order that has its key.",
    edits: [
      {
        file: "packages/core/src/verbs/create/Fingerprint.ts",
        find: "    metadata: byName(details.metadata),",
        replace: "    metadata: undefined,"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/IdempotentCreate.test.ts",
      test: 'given metadata and lines, when {"metadata":null} differs, then KeyReused'
    }
  },
  {
    name: "leave erased texts in the free space of pages",
    harm: "Personal data that was erased is read from a copy of the file.",
    edits: [
      {
        file: "packages/storage/sqlite/src/Database.ts",
        find: "PRAGMA secure_delete = ON",
        replace: "PRAGMA secure_delete = OFF"
      }
    ],
    caughtBy: {
      project: "server",
      file: "packages/server/test/CommandsErase.test.ts",
      test: "given payments, when a reference is erased beside a server, then neither table nor file shows it, and replays are answered without it"
    }
  },
  {
    name: "leave erased texts in the log of the file",
    harm: "Personal data that was erased stays beside the database of a server that is seldom used.",
    edits: [
      {
        file: "packages/storage/sqlite/src/Ledger.ts",
        find: "erasing.add(erasure.paymentId)",
        replace: "erasing.delete(erasure.paymentId)"
      }
    ],
    caughtBy: {
      project: "server",
      file: "packages/server/test/CommandsErase.test.ts",
      test: "given payments, when a reference is erased beside a server, then neither table nor file shows it, and replays are answered without it"
    }
  },
  {
    name: "erase texts under a customer's page",
    harm: "A customer who is about to pay loses the way back to the shop.",
    edits: [
      {
        file: erasePayments,
        find: 'if (isInUse(texts.book)) return done<Ended>("InUse")',
        replace: 'if (isInUse(texts.book) && isDryRun) return done<Ended>("InUse")'
      }
    ],
    caughtBy: {
      project: "core",
      file: erasePaymentsTest,
      test: "given a page whose customer has not acted, then it is left alone until it is over, and then erased"
    }
  },
  {
    name: "rerun slow inputs where they were sent before",
    harm: "A create that costs seconds of the processor passes the fuzz test, because its second run is a replay.",
    edits: [
      {
        file: "packages/server/test/fuzz/Judge.ts",
        find: "const other = await open()",
        replace: "const other = receiver"
      }
    ],
    caughtBy: {
      project: "server",
      file: "packages/server/test/fuzz/Fuzz.test.ts",
      test: "given a handler that is slow for one input and then replays it, when inputs are sent, then the input is named"
    }
  },
  {
    name: "show everybody the details of readiness",
    harm: "An outsider learns which providers a merchant uses, whose accounts they are and which of them fail.",
    edits: [
      {
        file: "packages/server/src/AdminRoutes.ts",
        find: "return atAdminAddress.has(asked) || isFromHere(asked)",
        replace: "return atAdminAddress.has(asked) || asked !== undefined"
      }
    ],
    caughtBy: {
      project: "server",
      file: "packages/server/test/AdminAddress.test.ts",
      test: "given a program on this machine, when it asks for readiness directly, then it gets the details, and through a proxy the status alone"
    }
  },
  {
    name: "parse unverified messages as verified ones",
    harm: "Anyone keeps the server busy: a message of 20,000 fields takes 15 ms, before its signature is checked.",
    edits: [
      {
        file: "packages/core/src/ports/ReadMessage.ts",
        find: "parsed(body, ofUnverified)",
        replace: "parsed(body, ofVerified)"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/MessageJson.test.ts",
      test: "given a field more than it may have, when it is read, then it is refused"
    }
  },
  {
    name: "refuse messages as soon as it is known",
    harm: "By the time of a refusal anyone learns which connections exist, and which provider each is for.",
    edits: [
      {
        file: "packages/core/src/verbs/receive/ReceiveMessage.ts",
        find: "refuseAtTicks(verify(incoming))",
        replace: "Effect.mapError(verify(incoming), (failure) => failure)"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/RefuseMessage.test.ts",
      test: "given connections that exist or do not, whatever verification takes, then it is refused after the same time"
    }
  },
  {
    name: "refuse messages of no connection while the key is unavailable",
    harm: "An outage of the key service shows anyone which connections exist.",
    edits: [
      {
        file: "packages/core/src/verbs/receive/RefuseMessage.ts",
        find: 'Effect.fail(keyStorageError("refusing a message")(cause)),\n      "pointsman/SealBroken": () => Effect.void',
        replace: 'Effect.logDebug("the key is unavailable", cause),\n      "pointsman/SealBroken": () => Effect.void'
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/RefuseMessage.test.ts",
      test: "given a key that is unavailable, then a connection that does not exist fails as one that does"
    }
  },
  {
    name: "keep any number of unfinished bodies of many addresses",
    harm: "Messages that some addresses never finish fill the server's memory, 16 MiB for each address.",
    edits: [{ file: "packages/server/src/RequestBodies.ts", find: "all + bytes > ofAll", replace: "bytes > ofAll" }],
    caughtBy: {
      project: "server",
      file: "packages/server/test/UnfinishedRequests.test.ts",
      test: "given 16 MiB of each of five addresses, when more is held than the server keeps in all, then it is 503, and payments are made"
    }
  },
  {
    name: "take any number of connections of many addresses",
    harm: "Some addresses use up the server's file descriptors, and nobody else can connect.",
    edits: [
      {
        file: "packages/server/src/Connections.ts",
        find: "isFull || accepted.size >= connectionsInAll",
        replace: "isFull"
      }
    ],
    caughtBy: {
      project: "server",
      file: "packages/server/test/Connections.test.ts",
      test: "given all that five addresses may have together, then one more of any address is closed, and a place that is left is taken"
    }
  },
  {
    name: "render metrics for each that asks",
    harm: "A client that scrapes without end takes the processor from payments.",
    edits: [
      {
        file: "packages/server/src/Metrics.ts",
        find: "yield* sharedEvery(renderEveryMillis, render)",
        replace: "render"
      }
    ],
    caughtBy: {
      project: "server",
      file: "packages/server/test/Metrics.test.ts",
      test: "given one that was answered, when 50 come, then they are rendered once, a second after it, and each is answered"
    }
  },
  {
    name: "make a new key for each refund of the console",
    harm: "An operator who clicks twice refunds twice.",
    edits: [
      {
        file: "packages/console/src/payments/ActPages.ts",
        find: 'const key = visit.form.get("key") ?? ""',
        replace: "const key = yield* newKey"
      }
    ],
    caughtBy: {
      project: "console",
      file: "packages/console/test/Pages.test.ts",
      test: "given a refund, when its form is reloaded and sent twice at once, then one refund is made"
    }
  },
  {
    name: "take evidence on a record that has changed",
    harm: "A form that was left open, or is sent again, overrides what the provider has stated since.",
    edits: [
      {
        file: "packages/core/src/verbs/review/RecordEvidence.ts",
        find: "if (isStale(book, basedOn)) {",
        replace: "if (isStale(book, undefined)) {"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ReviewFile.test.ts",
      test: "given the payment moved on meanwhile, then it is refused, and so is another statement"
    }
  },
  {
    name: "show and apply messages of every workspace in the console",
    harm: "An operator of one workspace reads and applies the messages of another one.",
    edits: [
      {
        file: "packages/console/src/messages/MessageDesk.ts",
        find: "found?.workspaceId !== tenant.workspaceId || found.environment !== tenant.environment",
        replace: "found === undefined"
      }
    ],
    caughtBy: {
      project: "console",
      file: "packages/console/test/Messages.test.ts",
      test: "given a message of another environment or workspace, then it is not found, and not applied"
    }
  },
  {
    name: "close differences of every workspace",
    harm: "An operator of one workspace explains the differences of another one away.",
    edits: [
      {
        file: "packages/console/src/reconciliation/ReconciliationDesk.ts",
        find: "if (!(yield* connections(path)).some(({ id }) => id === connection)) return",
        replace: "if (connection === '') return"
      }
    ],
    caughtBy: {
      project: "console",
      file: "packages/console/test/Reconciliation.test.ts",
      test: "given no note, a note that may be a card number, another tenant or another role, then nothing is closed"
    }
  },
  {
    name: "read a form with files before the role is known",
    harm: "Anybody who is signed in fills the server's memory with forms that only some may send, and large files are cut.",
    edits: [
      {
        file: "packages/console/src/frame/Page.ts",
        find: "isPost && !InProcess.isEvidenceForm(request)",
        replace: "isPost"
      }
    ],
    caughtBy: {
      project: "console",
      file: "packages/console/test/Disputes.test.ts",
      test: "given a role that may not answer, no session, or another page, when a large form is sent, then nothing of it is read"
    }
  },
  {
    name: "answer a dispute under another key for each copy of the form",
    harm: "An operator who clicks twice sends an answer twice, and its repetition is not recognized.",
    edits: [
      {
        file: "packages/console/src/disputes/AnswerPages.ts",
        find: "yield* Desk.answer(path, kind, key)",
        replace: "yield* Desk.answer(path, kind, yield* newKey)"
      }
    ],
    caughtBy: {
      project: "console",
      file: "packages/console/test/Disputes.test.ts",
      test: "given an acceptance, then the form names the amount, and the dispute is accepted"
    }
  },
  {
    name: "send a webhook again for each copy of the form",
    harm: "An operator who clicks twice has the receiver act twice.",
    edits: [
      {
        file: "packages/core/src/verbs/deliver/ReadDeliveries.ts",
        find: "seenAttempts !== undefined && seenAttempts !== before.attempts",
        replace: "seenAttempts !== undefined && seenAttempts < 0"
      }
    ],
    caughtBy: {
      project: "console",
      file: "packages/console/test/Webhooks.test.ts",
      test: "given a refused delivery, when its form is sent twice, and once more after it was refused again, then it is sent once"
    }
  },
  {
    name: "rotate a secret for an older form",
    harm: "A form in a browser's history replaces a secret that the receiver has just learned, and every webhook is refused.",
    edits: [
      {
        file: "packages/core/src/verbs/deliver/RotateEndpointSecret.ts",
        find: "  if ((endpoint.rotation?.at ?? null) !== seenRotation) return yield* new EndpointChanged()\n",
        replace: ""
      }
    ],
    caughtBy: {
      project: "console",
      file: "packages/console/test/SecretRotation.test.ts",
      test: "given an older form, when it is sent after another one, then its secret is refused, and the other one stays"
    }
  },
  {
    name: "bring a rotated secret back with the next start",
    harm: "A leaked secret signs again, and webhooks that are signed with the new one stop.",
    edits: [
      {
        file: "packages/configuration/src/ConfiguredDirectory.ts",
        find: "before.rotation.configured === configured || ",
        replace: ""
      }
    ],
    caughtBy: {
      project: "configuration",
      file: "packages/configuration/test/RotatedSecrets.test.ts",
      test: "given a configuration that names the former secret, when it is applied, then the new one stays"
    }
  },
  {
    name: "let every operator act everywhere",
    harm: "An operator of one workspace, or one who may only read, refunds the payments of all.",
    edits: [
      {
        file: "packages/console/src/gate/Authorize.ts",
        find: "if (!isAllowed(signedIn.operator, access, workspace)) return",
        replace: "if (access === undefined) return"
      }
    ],
    caughtBy: {
      project: "console",
      file: "packages/console/test/Api.test.ts",
      test: "given every role, endpoint, workspace and environment, then exactly what the role allows there is done"
    }
  },
  {
    name: "open every page of the console to every operator",
    harm: "An operator of one workspace, or one who may only read, refunds the payments of all by a form.",
    edits: [
      {
        file: "packages/console/src/frame/Page.ts",
        find: 'isAllowed(signedIn.operator, access, visit.params["workspace"])',
        replace: "access !== undefined"
      }
    ],
    caughtBy: {
      project: "console",
      file: "packages/console/test/Escalation.test.ts",
      test: "given every page and endpoint of a workspace, then it is forbidden, and nothing changes"
    }
  },
  {
    name: "lead out of the console after a sign-in",
    harm: "A link to the sign-in page leads an operator elsewhere after it signed in, or leaves it without a response.",
    edits: [
      {
        file: "packages/console/src/frame/Navigation.ts",
        find: "=== text && areaNames",
        replace: "!== undefined && areaNames"
      }
    ],
    caughtBy: {
      project: "console",
      file: "packages/console/test/HostileRequests.test.ts",
      test: "given every kind of next page, then it is a path of the console, or the start"
    }
  },
  {
    name: "create another key when a form is sent again",
    harm: "A key that works is shown again in a browser that another person uses by now.",
    edits: [
      {
        file: "packages/core/src/verbs/administer/ManageApiKeys.ts",
        find: "if (Option.isSome(yield* (yield* Directory).keyHolder(hash))) {",
        replace: "if (hash === undefined) {"
      }
    ],
    caughtBy: {
      project: "console",
      file: "packages/console/test/Keys.test.ts",
      test: "given a draft, when it is sent twice, then one key is created, and shown once"
    }
  },
  {
    name: "let the last administrator lose the role",
    harm: "Two administrators remove each other at once, and no operator can let another one in.",
    edits: [
      {
        file: "packages/storage/sqlite/src/Operators.ts",
        find: "if (needsOtherAdmin && !others",
        replace: "if (needsOtherAdmin && others === undefined && !others"
      }
    ],
    caughtBy: {
      project: "storage-sqlite",
      file: "packages/storage/sqlite/test/Sqlite.contract.test.ts",
      test: "given two who may manage operators, when both lose the role at once, then one of them keeps it"
    }
  },
  {
    name: "show the audit trail of all workspaces to an administrator of one",
    harm: "An administrator of one merchant reads what was done to the payments and keys of another one.",
    edits: [
      {
        file: "packages/console/src/audit/AuditDesk.ts",
        find: "workspaceIds: workspace === undefined ? undefined : [workspace] }",
        replace: "workspaceIds: undefined }"
      }
    ],
    caughtBy: {
      project: "console",
      file: "packages/console/test/Audit.test.ts",
      test: "given a role in one workspace, then only entries about that workspace are answered"
    }
  },
  {
    name: "take requests of other sites",
    harm: "A page that an operator visits has its browser refund a payment.",
    edits: [
      {
        file: "packages/console/src/gate/CrossSite.ts",
        find: 'return site !== "same-origin"',
        replace: "return false"
      }
    ],
    caughtBy: {
      project: "console",
      file: "packages/console/test/Api.test.ts",
      test: "given a session, when another site has its browser send a request, then it is refused before it is read"
    }
  },
  {
    name: "export payments without an entry of the audit trail",
    harm: "An operator takes all payments of a workspace, and the audit trail does not show it.",
    edits: [
      {
        file: "packages/core/src/door/Payments.ts",
        find: "if (operator === undefined) return exported",
        replace: "return exported"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ExportPayments.test.ts",
      test: "given an operator, then an entry names the filter before anything is read, and of texts the name alone"
    }
  },
  {
    name: "export cells that a spreadsheet runs",
    harm: "A customer's reference is run as a formula on the operator's machine, and sends other cells elsewhere.",
    edits: [
      {
        file: "packages/core/src/model/CsvField.ts",
        find: "(beginsFormula.test(cell) ?",
        replace: "(cell === text.repeat(2) ?"
      }
    ],
    caughtBy: {
      project: "console",
      file: "packages/console/test/Export.test.ts",
      test: "given text that a spreadsheet would run, or that RFC 4180 quotes, then it is harmless and reads as one field"
    }
  },
  {
    name: "let streams outlive their session",
    harm: "A removed operator goes on to export payments, and to see when they change.",
    edits: [
      {
        file: "packages/console/src/gate/SessionEnd.ts",
        find: "if (isOver) return",
        replace: "if (isOver) continue"
      }
    ],
    caughtBy: {
      project: "console",
      file: "packages/console/test/Live.test.ts",
      test: "given a removed operator, one who signed out and one who lost the role, then their streams end within seconds"
    }
  },
  {
    name: "mount the console under every spelling of its path",
    harm: "A program's own check of the path is passed by another spelling of it.",
    edits: [
      {
        file: "packages/node/src/OpenConsole.ts",
        find: 'pathUnder(mount, originalUrl(request).split("?", 1)[0] ?? "")',
        replace: 'pathUnder(mount, urlOf(request)?.pathname ?? "")'
      }
    ],
    caughtBy: {
      project: "node",
      file: "packages/node/test/Console.test.ts",
      test: "given a next, then paths outside of the mount, and other spellings of it, go there"
    }
  },
  {
    name: "leave out fields of a form that a body parser nested",
    harm: "A refund whose amount was lost on its way gives all of the money back.",
    edits: [
      {
        file: "packages/node/src/FormBody.ts",
        find: 'if (typeof one !== "string") return undefined',
        replace: 'if (typeof one !== "string") continue'
      }
    ],
    caughtBy: {
      project: "node",
      file: "packages/node/test/Console.test.ts",
      test: "given a parser that leaves nested fields, then it says what to do and changes nothing"
    }
  },
  {
    name: "count no sign-ins by password",
    harm: "A password is found by sending enough guesses.",
    edits: [
      {
        file: "packages/core/src/verbs/administer/SignIn.ts",
        find: '  yield* countGuess("source", source)\n  yield* countGuess("login", loginKey(login))\n  const found',
        replace: "  const found"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/Operators.test.ts",
      test: "given guesses at one login from many sources, then the eleventh is refused without a comparison"
    }
  },
  {
    name: "take an e-mail address that the issuer did not verify",
    harm: "A person who enters an operator's address at the issuer is that operator.",
    edits: [
      {
        file: "packages/console/src/oidc/OidcClaims.ts",
        find: 'if (loginClaim === "email" && claims["email_verified"] !== true) {',
        replace: 'if (loginClaim === "email" && claims["email_verified"] === null) {'
      }
    ],
    caughtBy: {
      project: "console",
      file: "packages/console/test/Oidc.test.ts",
      test: "given an e-mail that is not verified, or none, then it is refused"
    }
  },
  {
    name: "add an operator again whom an administrator removed",
    harm: "A person who was removed in the console refunds again, because a group at the issuer was forgotten.",
    edits: [
      {
        file: "packages/core/src/verbs/administer/SignInWithOidc.ts",
        find: "if (stored?.active === false || grants === null) return stored",
        replace:
          "if (grants === null) return stored\n  if (stored?.active === false) return yield* addOperator({ ...stored, grants })"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/SignInWithOidc.test.ts",
      test: "given no roles of the issuer, then an operator keeps its own, and an unknown person is refused"
    }
  },
  {
    name: "take the answer to any challenge of a passkey",
    harm: "A response of a passkey that was recorded once signs in again.",
    edits: [
      {
        file: "packages/core/src/verbs/administer/SignInWithPasskey.ts",
        find: "if (!(yield* takeChallenge(challenge, null))) return",
        replace: 'if (challenge === "") return'
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/Passkeys.test.ts",
      test: "given a challenge, then it is answered once, in time, and not by one of a registration"
    }
  },
  {
    name: "take passkeys of other sites",
    harm: "A site that looks like the console gets a response that signs in here.",
    edits: [
      {
        file: "packages/console/src/passkeys/WebAuthn.ts",
        find: `          clientExtensionResults: {}
        },
        expectedChallenge: challenge,
        expectedOrigin: origin,`,
        replace: `          clientExtensionResults: {}
        },
        expectedChallenge: challenge,
        expectedOrigin: [origin, "http://evil.test"],`
      }
    ],
    caughtBy: {
      project: "console",
      file: "packages/console/test/Passkeys.test.ts",
      test: "given another origin, then it is refused"
    }
  },
  {
    name: "let an open payment leave the store",
    harm: "An authorization that a provider still holds is neither captured nor voided, because its record is gone.",
    edits: [
      {
        file: "packages/core/src/decide/MayLeave.ts",
        find: '  Authorized: "open",',
        replace: '  Authorized: "none",'
      }
    ],
    caughtBy: {
      project: "storage-memory",
      file: "packages/storage/memory/test/Memory.contract.test.ts",
      test: "given payments in every state, when years have passed, then the closed ones leave and the sums stay"
    }
  },
  {
    name: "remove a payment that was written since it was read",
    harm: "A payment leaves with a dispute that no archive has and no operator sees.",
    edits: [
      {
        file: "packages/storage/memory/src/Retention.ts",
        find: "if (payment === undefined || payment.version !== version) return false",
        replace: "if (payment === undefined || version === 0) return false"
      }
    ],
    caughtBy: {
      project: "storage-memory",
      file: "packages/storage/memory/test/Memory.contract.test.ts",
      test: "given a dispute that comes between the archive and the removal, then its payment stays whole"
    }
  },
  {
    name: "remove a payment of SQLite that was written since it was read",
    harm: "A payment leaves with a dispute that no archive has and no operator sees.",
    edits: [
      {
        file: "packages/storage/sqlite/src/Retention.ts",
        find: "id = ? and version = ?`).get(...key, version)",
        replace: "id = ? and version >= ?`).get(...key, version)"
      }
    ],
    caughtBy: {
      project: "storage-sqlite",
      file: "packages/storage/sqlite/test/Sqlite.contract.test.ts",
      test: "given a dispute that comes between the archive and the removal, then its payment stays whole"
    }
  },
  {
    name: "remove a payment of PostgreSQL that was written since it was read",
    harm: "A payment leaves with a dispute that no archive has and no operator sees.",
    edits: [
      {
        file: "packages/storage/postgres/src/Retention.ts",
        find: 'versions.get(row["id"] as string) === row["version"]',
        replace: 'versions.has(row["id"] as string)'
      }
    ],
    caughtBy: {
      project: "storage-postgres",
      file: "packages/storage/postgres/test/Postgres.contract.test.ts",
      test: "given a dispute that comes between the archive and the removal, then its payment stays whole"
    }
  },
  {
    name: "remove payments before they are archived",
    harm: "A process that dies, or an archive that is full, loses payments for good.",
    edits: [
      {
        file: "packages/core/src/verbs/retain/RemovePayments.ts",
        find: "  yield* beforeRemoval(yield* withSettlements(tenant, disputed))\n",
        replace: ""
      },
      {
        file: "packages/core/src/verbs/retain/RemovePayments.ts",
        find: "  return removed.length\n",
        replace: "  yield* beforeRemoval(yield* withSettlements(tenant, disputed))\n  return removed.length\n"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/SweepStore.test.ts",
      test: "given something that must happen before a removal, when it fails, then the payment stays"
    }
  },
  {
    name: "drop a partition that holds undelivered deliveries",
    harm: "A webhook that waits for its receiver is never sent.",
    edits: [
      {
        file: "packages/storage/postgres/src/Partitions.ts",
        find: "(found) => found.length > 0",
        replace: "(found) => found.length < 0"
      }
    ],
    caughtBy: {
      project: "storage-postgres",
      file: "packages/storage/postgres/test/Partitions.test.ts",
      test: "given a partition that is over, when its deliveries have ended, then it is dropped, and not before"
    }
  },
  {
    name: "remove payments without the archive",
    harm: "Payments leave the database, and the archive that was configured does not have them.",
    edits: [
      {
        file: "packages/core/src/verbs/retain/ArchiveFirst.ts",
        find: "Effect.andThen(before(payments), putAll(archive, payments))",
        replace: "before(payments).pipe(Effect.tap(() => Effect.forkDetach(Effect.ignore(putAll(archive, payments)))))"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/Archive.test.ts",
      test: "given an archive that fails, then the payments stay, and the next sweep archives them again"
    }
  },
  {
    name: "remove payments that the archive did not keep",
    harm: "An archive that wrote fewer payments than it was given loses the others.",
    edits: [
      {
        file: "packages/core/src/verbs/retain/ArchiveFirst.ts",
        find: "if (kept !== payments.length)",
        replace: "if (kept > payments.length)"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/Archive.test.ts",
      test: "given an archive that loses one, then the payments stay, and the next sweep archives them again"
    }
  },
  {
    name: "report an object as written before its manifest is",
    harm: "Payments leave the database although a part of what was to be archived of them is missing.",
    edits: [
      {
        file: "packages/archive/src/ObjectArchive.ts",
        find: "    yield* put(manifestOfObject(manifest.object), json)",
        replace: "    yield* Effect.ignore(put(manifestOfObject(manifest.object), json))"
      }
    ],
    caughtBy: {
      project: "archive",
      file: "packages/archive/test/Faults.test.ts",
      test: "given a process that ends between object and manifest (refused), then the next put completes it"
    }
  },
  {
    name: "count an archived payment in each object that has it",
    harm: "A crash between archive and removal adds the payment's money to the verified sums twice.",
    edits: [
      {
        file: "packages/archive/src/VerifyArchive.ts",
        find: "firstPaymentId <= last)",
        replace: "firstPaymentId < last)"
      }
    ],
    caughtBy: {
      project: "archive",
      file: "packages/archive/test/Archive.test.ts",
      test: "given a payment in two objects, when verified, then it counts once, at its greatest version"
    }
  },
  {
    name: "archive the address of a checkout",
    harm: "A reader of the archive gets what pays on a customer's page, as far as the encryption key is known.",
    edits: [
      {
        file: "packages/archive/src/ArchiveLine.ts",
        find: "  const { sealedUrl: _, ...rest } = checkout",
        replace: "  const rest = checkout"
      }
    ],
    caughtBy: {
      project: "archive",
      file: "packages/archive/test/Archive.test.ts",
      test: "given what opens something, then no line has it"
    }
  },
  {
    name: "believe that a plain connector sent nothing after another call was answered",
    harm: "A charge is sent to a second connection although the first one may have executed it.",
    edits: [
      {
        file: "packages/node/src/connector/RunOperation.ts",
        find: "calls.notSent === calls.begun",
        replace: "calls.notSent > 0"
      }
    ],
    caughtBy: {
      project: "node",
      file: "packages/node/test/Connector.test.ts",
      test: "given two calls, when the first was answered and the second not sent, then the result is unknown"
    }
  },
  {
    name: "believe a plain connector's rejection after a call that was not answered",
    harm: "A function that catches a time-out and answers `rejected` gives up a charge that was executed.",
    edits: [
      {
        file: "packages/node/src/connector/RunOperation.ts",
        find: "openOf(calls) > 0 && letsAnotherCharge(result.success)",
        replace: "openOf(calls) > calls.begun && letsAnotherCharge(result.success)"
      }
    ],
    caughtBy: {
      project: "node",
      file: "packages/node/test/Connector.test.ts",
      test: "given a call that was not answered, when the function answers `rejected`, then the result is unknown"
    }
  },
  {
    name: "believe a plain connector's `not_found` after a call that was not answered",
    harm: "A function that catches the failure of its lookup gives up a charge that was executed.",
    edits: [
      {
        file: "packages/node/src/connector/RunOperation.ts",
        find: "isDoubtful && isTagged(result",
        replace: "calls.answered > calls.begun && isTagged(result"
      }
    ],
    caughtBy: {
      project: "node",
      file: "packages/node/test/Connector.test.ts",
      test: "given a lookup whose call was not answered, and the function caught it, when it answers `not_found` as conclusive, then conclusive is false"
    }
  },
  {
    name: "send to the endpoint as it was taken",
    harm: "Webhooks that waited are signed with a replaced secret, and refused for good, or go to a withdrawn endpoint.",
    edits: [
      {
        file: "packages/core/src/verbs/deliver/SendDelivery.ts",
        find: "- takenAt < staleAfterMillis) return endpoint",
        replace: "- takenAt >= 0) return endpoint"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/DeliverWebhooksAhead.test.ts",
      test: "given an endpoint that is withdrawn while one waits, when there is a place, then nothing is sent to it"
    }
  },
  {
    name: "secrets that the connector's copy of Effect cannot read",
    harm: "A loaded connector fails at every stored credential, after the claim: the payments become UNKNOWN.",
    edits: [
      {
        file: "packages/core/src/ports/AdoptConnector.ts",
        find: "isForeign(redact) && withSecretsBy(redact, connector)",
        replace: "isForeign(redact) && {}"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/AdoptConnector.test.ts",
      test: "given secrets of this copy, when it charges and reads messages, then it receives them as its own copy makes them"
    }
  },
  {
    name: "a loaded connector in the place of another",
    harm: "A connector that calls itself stripe receives Stripe's credentials, and answers for its payments.",
    edits: [
      {
        file: "packages/server/src/LoadConnectors.ts",
        find: "if (holder === undefined) {",
        replace: "if (holder !== definition.name) {"
      }
    ],
    caughtBy: {
      project: "server",
      file: "packages/server/test/OwnConnectors.test.ts",
      test: "given a connector with the name of a built-in one, when the file is checked, then it is refused"
    }
  },
  {
    name: "advise to retry a hard decline",
    harm: "A merchant charges a refused card again and again, and the schemes fine it.",
    edits: [
      {
        file: "packages/core/src/model/Decline.ts",
        find: 'isSoft ? "retry_later" : "use_another_method"',
        replace: '"retry_later"'
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/Decline.test.ts",
      test: "given any code, when the decline is hard, then the same method is not to be tried again"
    }
  },
  {
    name: "advise another method after an error of the acquirer",
    harm: "The customer pays with another card, and the first payment is taken as well.",
    edits: [
      {
        file: "packages/connectors/adyen/src/Answers.ts",
        find: 'payment.resultCode === "Error" ? declineAfterError(refusal) : refusal',
        replace: "refusal"
      }
    ],
    caughtBy: {
      project: "connector-adyen",
      file: "packages/connectors/adyen/test/AdyenConnector.test.ts",
      test: "given Error, whatever its reason, then no other connection is asked, and nobody is to charge again"
    }
  },
  {
    name: "a direct charge is taken by the name of its method alone",
    harm: "A token is charged as a card at a provider that takes the named method only on its page.",
    edits: [
      {
        file: "packages/core/src/routing/Eligibility.ts",
        find: "question.payment.paymentMethod === undefined || isDirect(question)",
        replace: "question.payment.paymentMethod === undefined"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/PaymentMethods.test.ts",
      test: "given a connector that declares kinds and names, then the name decides where a page is opened, and the kind of a direct charge"
    }
  },
  {
    name: "a name that no connector declares is taken",
    harm: "A customer who chose iDEAL is sent to a page of another method, or to one that does not open.",
    edits: [
      {
        file: "packages/core/src/routing/Eligibility.ts",
        find: 'field === "paymentMethods" && limited.length === 0',
        replace: 'field === "paymentMethods" && limited.length > 1'
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/PaymentMethods.test.ts",
      test: "given that neither the connection nor its connector declares methods, then only a payment without a name is taken"
    }
  },
  {
    name: "a method that is captured at once is held",
    harm: "A payment that was only to be authorized takes the customer's money at once.",
    edits: [
      {
        file: "packages/core/src/routing/Eligibility.ts",
        find: 'limits.manualCapture === false && captureMethod === "manual"',
        replace: 'limits.manualCapture === true && captureMethod === "manual"'
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/PaymentMethods.test.ts",
      test: "given a method that is captured at once, when the capture is manual, then it is not taken"
    }
  },
  {
    name: "fractions of a minor unit are cut off a report's amount",
    harm: "A provider's report is read with less money than it states, and the difference is never seen.",
    edits: [
      {
        file: "packages/reconcile/src/DecimalText.ts",
        find: "whole === undefined || !zeros.test(decimals.slice(scale))",
        replace: "whole === undefined"
      }
    ],
    caughtBy: {
      project: "reconcile",
      file: "packages/reconcile/test/Formats.test.ts",
      test: "given an amount of more decimals than its currency has, when read, then it is not cut"
    }
  },
  {
    name: "a report's net amount is taken unchecked",
    harm: "A provider keeps more than the fee that its report states, and nobody is told.",
    edits: [
      {
        file: "packages/reconcile/src/Cells.ts",
        find: "before.minorUnits - fee.minorUnits !== net.minorUnits",
        replace: "before.currency === ''"
      }
    ],
    caughtBy: {
      project: "reconcile",
      file: "packages/reconcile/test/Formats.test.ts",
      test: "given a net amount that is off by a cent, when read, then the row is not taken"
    }
  },
  {
    name: "a statement of a report is taken as applied where the store failed",
    harm: "A payment that a report settles stays as it was, and the run says that its row is applied.",
    edits: [
      {
        file: loop,
        find: "decideAndCommit({ ...loop, begun: { sent: decision, failure } })",
        replace: "failure && Effect.succeed(decision.value)"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ReconcileFaults.test.ts",
      test: "given a store that fails and wrote nothing, when it is applied, then its payment is settled once"
    }
  },
  {
    name: "line ends of texts are written as letters",
    harm: "A reference with a line end is stored as another text in PostgreSQL, and its payment is not found by it.",
    edits: [
      {
        file: "packages/storage/postgres/src/CommitStatement.ts",
        find: "letterEscape.test(json) ?",
        replace: 'json === "" ?'
      }
    ],
    caughtBy: {
      project: "storage-postgres",
      file: "packages/storage/postgres/test/Postgres.contract.test.ts",
      test: "given entries with every field and odd text, when they are written, then they are read back"
    }
  },
  {
    name: "equal rows of a report have one id",
    harm: "Of two equal fees in a report, one is taken for the other and not counted.",
    edits: [
      {
        file: "packages/reconcile/src/RowIds.ts",
        find: "time === 1",
        replace: "time >= 1"
      }
    ],
    caughtBy: {
      project: "reconcile",
      file: "packages/reconcile/test/Formats.test.ts",
      test: "given fees with fractions, another payer, and a type of next year, when read, then no row is dropped"
    }
  },
  {
    name: "fractions of fees are lost between rows",
    harm: "The fees of a payout do not add up to what the provider kept.",
    edits: [
      {
        file: "packages/reconcile/src/formats/CheckoutFinancialActions.ts",
        find: "carried.set(key, sum - units * unit)",
        replace: "carried.set(key, 0n)"
      }
    ],
    caughtBy: {
      project: "reconcile",
      file: "packages/reconcile/test/Formats.test.ts",
      test: "given fees in fractions of a penny, when read, then the rows make up the exact sum, and none is off by a penny"
    }
  },
  {
    name: "a report writes without its lease",
    harm: "Two reports of a connection interleave: an older version of a row counts, and payments of one report are missing in the other.",
    edits: [
      {
        file: "packages/storage/memory/src/Settlements.ts",
        find: "  if (held?.holder !== lease.holder) return false\n",
        replace: ""
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ReconcileReport.test.ts",
      test: "given a process that pauses for longer than its lease, when another report is read, then it writes no more"
    }
  },
  {
    name: "a report that breaks forgets what its statements closed",
    harm: "A difference stays open although the payment says the same, and somebody looks for money that is there.",
    edits: [
      {
        file: "packages/core/src/verbs/reconcile/RunReport.ts",
        find: "yield* writeBatch(holder, run, after, { ...nothing, closes })\n  return yield* new ReportBroken",
        replace: "yield* writeBatch(holder, run, after, nothing)\n  return yield* new ReportBroken"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ReconcileReport.test.ts",
      test: "given a file that breaks after a statement was taken, then its difference is closed all the same"
    }
  },
  {
    name: "a batch of a report without its position",
    harm: "A run that ended early begins with rows that are stored, and says that it read none of them.",
    edits: [
      {
        file: "packages/core/src/verbs/reconcile/RunReport.ts",
        find: "        rowsDone: end,",
        replace: "        rowsDone: run.rowsDone,"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ReconcileReport.test.ts",
      test: "given another provider's format, then it is refused; given a broken file, then it goes on once mended"
    }
  },
  {
    name: "a batch of a report counts as applied when it is stored",
    harm: "A run is killed before it applied what a row states, and the payment stays wrong.",
    edits: [
      {
        file: "packages/core/src/verbs/reconcile/RunReport.ts",
        find: "...counted, rowsApplied: applied",
        replace: "...counted, rowsApplied: end"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ReconcileReport.test.ts",
      test: "given every payment that a run moves, when it dies before or after that, then the next one ends the same"
    }
  },
  {
    name: "a row of a report is taken twice",
    harm: "A second report with the same rows counts their money twice.",
    edits: [
      {
        file: "packages/core/src/verbs/reconcile/WeighBatch.ts",
        find: "} else if (same.runId !== run.id) {",
        replace: "} else if (same.runId === contents) {"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ReconcileReport.test.ts",
      test: "given a report that was read, when it or its rows come again, then nothing changes"
    },
    simulatedOn: "memory"
  },
  {
    name: "a difference that ended before a death stays open",
    harm: "Finance looks for money that the record has, because a process died before it noted the end.",
    edits: [
      {
        file: "packages/core/src/verbs/reconcile/WeighBatch.ts",
        find: "    const isNoted = isStored && weighed.result",
        replace: "    const isNoted = statement === undefined && isStored && weighed.result"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ReconcileGuards.test.ts",
      test: "given a capture without a record, when the same file is read again, then the difference ends"
    }
  },
  {
    name: "open differences are not compared again",
    harm: "A refund that was reported before it was recovered is counted twice in the books, for good.",
    edits: [
      {
        file: "packages/core/src/verbs/reconcile/RunReport.ts",
        find: "  const compared = yield* compareInRun(connection, { holder, run: read }, order.rowsAtOnce)",
        replace: "  const compared = read"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/CompareDifferences.test.ts",
      test: "given it is in an earlier report, then the dispute is recorded, and no difference stays open"
    }
  },
  {
    name: "an entry that is matched later is changed",
    harm: "A month that finance exported and closed changes when a payment is recovered.",
    edits: [
      {
        file: "packages/core/src/verbs/reconcile/CompareEntries.ts",
        find: "    const rowId = versionRowId(entry.rowId, entry.contents)\n    const isMatched",
        replace: "    const rowId = entry.rowId\n    const isMatched"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/CompareDifferences.test.ts",
      test: "given both rows were read before, when the records are recovered, then both match, and books only grow"
    }
  },
  {
    name: "what a difference states is written before it is applied",
    harm: "A process dies between the two, and the payout of a payment is never recorded.",
    edits: [
      {
        file: "packages/core/src/verbs/reconcile/CompareDifferences.ts",
        find: "  const applied = first.stated.length\n",
        replace: "  const applied = 0\n  if (first.entries.length > 0) return { applied, ...first }\n"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/CompareDifferences.test.ts",
      test: "given both rows were read before, when the records are recovered, then both match, and books only grow"
    }
  },
  {
    name: "a later refund stands in for one that the provider made",
    harm: "The row of a refund from the dashboard counts as ours, and nobody sees that two were paid.",
    edits: [
      {
        file: "packages/core/src/decide/reconcile/OpenDifference.ts",
        find: "refundId === null || (refund !== undefined && isNamed(refund, row))",
        replace: "refundId === null || refund !== undefined"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/CompareDifferences.test.ts",
      test: "given a refund that the provider made, when one of its amount is made here, then the row is not of that one"
    }
  },
  {
    name: "newer rules of fees explain older fees",
    harm: "A fee that the provider charged wrongly is forgotten when the contract changes.",
    edits: [
      {
        file: "packages/core/src/decide/reconcile/OpenDifference.ts",
        find: ' && result !== "fee_differs"',
        replace: ""
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/CompareDifferences.test.ts",
      test: "given a fee that differs, when the connection's rules change to it, then it stays open"
    }
  },
  {
    name: "a dispute of a report has no deadline",
    harm: "Nobody is reminded of a dispute whose messages were lost, and the money is lost with the deadline.",
    edits: [
      {
        file: "packages/core/src/verbs/reconcile/ApplyStatement.ts",
        find: "stated.before === undefined && lacksDeadline",
        replace: "stated.before !== undefined && lacksDeadline"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ReadDisputes.test.ts",
      test: "given the provider can be asked, then its deadline and reason are recorded, and it is asked once"
    }
  },
  {
    name: "an answer about another dispute is believed",
    harm: "The deadline of another dispute is announced, and the right one passes.",
    edits: [
      {
        file: "packages/core/src/call/LookUp.ts",
        find: "return isOfOther ? undefined : answer",
        replace: "return isOfOther && answer === undefined ? undefined : answer"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ReadDisputes.test.ts",
      test: "given an answer about another dispute, then it is no answer"
    }
  },
  {
    name: "processes that ask of a dispute together use up all tries",
    harm: "The provider is never asked for the deadline again, nobody is reminded of it, and the money is lost.",
    edits: [
      {
        file: "packages/core/src/verbs/dispute/ReadStated.ts",
        find: "        isSameLookUp(file.dispute.lookUp, lookUp)\n          ? write(stepOf(file, lookUp,",
        replace: "        file.dispute.lookUp !== undefined\n          ? write(stepOf(file, file.dispute.lookUp,"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ReadDisputes.test.ts",
      test: "given processes that ask together, when the provider does not answer, then that is one try of five"
    }
  },
  {
    name: "a statement that our clock dated ahead outranks the provider's",
    harm: "A dispute that was won stays lost, and its payment CHARGEBACK, until the wrong time has passed.",
    edits: [
      {
        file: "packages/core/src/decide/SentCall.ts",
        find: "isDatedAhead(recorded, now) && !isDatedAhead(at, now) ? at - 1 : recorded",
        replace: "Number.isNaN(at - now) ? at : recorded"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ReadDisputes.test.ts",
      test: "given it was read as lost under a clock that was ahead, when it is won, then the payment says so"
    }
  },
  {
    name: "a recovered charge leaves the attempt before it in flight",
    harm: "An attempt that executed nothing is in flight for good, and operations look for its money.",
    edits: [
      {
        file: "packages/core/src/verbs/recover/PlanCharge.ts",
        find: "attempt.outcome === null && attempt.sentAt < created + clockSkewMillis",
        replace: "attempt.outcome === null && attempt.sentAt < 0"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/RecoverRecords.test.ts",
      test: "given the first attempt's end was lost, when the next one is recovered, then a look-up ends the first"
    }
  },
  {
    name: "a recovered charge ends the attempt before it",
    harm: "The attempt is under way and takes the money a second time, and nobody looks for it.",
    edits: [
      {
        file: "packages/core/src/verbs/recover/PlanCharge.ts",
        find: "{ ...unansweredAttempt(attempt), reason:",
        replace: '{ ...attempt, outcome: "Rejected", reason:'
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/RecoverRecords.test.ts",
      test: "given the first attempt is under way, when the next one is recovered, then its money is found"
    }
  },
  {
    name: "a process writes its second attempt alone after a loss",
    harm: "The record has a second attempt and no first one, and does not say who was asked before.",
    edits: [
      {
        file: "packages/core/src/verbs/create/RecordCharge.ts",
        find: "[...lostOf(attempts, earlier), ...told]",
        replace: "told"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/LateWriters.test.ts",
      test: "given its first attempt is lost, when its second one ends, then both are stored with their ends"
    }
  },
  {
    name: "a process writes the end of its first attempt over a message's",
    harm: "The customer paid twice, and the record no longer has the reference of the first charge.",
    edits: [
      {
        file: "packages/core/src/verbs/create/RecordCharge.ts",
        find: "stored.find(({ id, outcome }) => id === ours.id && !isOpen(outcome)) ?? ours",
        replace: "stored.find((one) => one === ours) ?? ours"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ProviderMessages.test.ts",
      test: "given the first attempt is reported captured while the second one waits, when that is Captured, then the first stays"
    }
  },
  {
    name: "a row of a payment that is known later overlooks newer rows",
    harm: "Two rows of one charge are matched, the journal has its money twice, and nobody is told.",
    edits: [
      {
        file: "packages/core/src/verbs/reconcile/CompareEntries.ts",
        find: "countsAll(entry, row) ? last : place",
        replace: "isOfDispute(row) ? last : place"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/CompareDifferences.test.ts",
      test: "given a charge that is known later, when another row of it came first, then that one alone is matched"
    }
  },
  {
    name: "a missing payment is missing once",
    harm: "A payment is captured again after its capture failed, is never paid out, and no report tells of it.",
    edits: [
      {
        file: "packages/storage/memory/src/Settlements.ts",
        find: 'corrected === null && closed?.by !== "comparison"',
        replace: "corrected === null && closed?.by !== null"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/CompareDifferences.test.ts",
      test: "given a payment that no report has, when its capture failed, then it is missing no longer until it is captured again"
    }
  },
  {
    name: "the entry of a payment that is missing again is dropped",
    harm: "The second entry has the first one's id, so that the store keeps the first, which is closed.",
    edits: [
      {
        file: "packages/core/src/verbs/reconcile/FindMissing.ts",
        find: "before.has(first) ? missingAgainRowId(payment.id, capturedAt) : first",
        replace: "before.has(missingAgainRowId(payment.id, capturedAt)) ? payment.id : first"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/CompareDifferences.test.ts",
      test: "given a payment that no report has, when its capture failed, then it is missing no longer until it is captured again"
    }
  },
  {
    name: "somebody else's evidence confirms ours",
    harm: "Evidence that the provider never had is deleted, because a person sent other evidence on the dashboard.",
    edits: [
      {
        file: "packages/core/src/decide/DisputeStatement.ts",
        find: 'submission.kind !== "accept" || !accepted.has(status)',
        replace: '(submission.kind === "accept" ? !accepted.has(status) : status !== "under_review")'
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/Disputes.test.ts",
      test: "given a message that evidence is under review, then the look-up decides at once whose it is"
    }
  },
  {
    name: "a row of a guessed payment moves money",
    harm: "Another charge of the same amount settles a payment that nobody paid.",
    edits: [
      {
        file: "packages/core/src/decide/reconcile/WeighRow.ts",
        find: '&& reason === "by_id" ? stated',
        replace: '&& reason !== "ambiguous" ? stated'
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ReconcileGuards.test.ts",
      test: "given a payment of its amount and time, when its charge is unknown, then the row moves no money"
    }
  },
  {
    name: "money that leaves again after a dispute was won states an open dispute",
    harm: "The merchant has lost the dispute, and the record says for ever that it was won.",
    edits: [
      {
        file: "packages/core/src/decide/reconcile/WeighRow.ts",
        find: 'moves.length - backCount >= backCount ? "lost"',
        replace: 'moves.length < 0 ? "lost"'
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ReconcileGuards.test.ts",
      test: "given a dispute that was won, when its money leaves again, then it is lost"
    }
  },
  {
    name: "a lost capture that the provider shows is not recorded",
    harm: "The store lost a capture of a part, and the provider is asked to capture that part once more.",
    edits: [
      {
        file: lostOperation,
        find: 'found.state._tag === "Authorized") return',
        replace: 'found.state._tag !== "Pending") return'
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/LostOperations.test.ts",
      test: "given a capture that comes again, then its result is returned, and nothing is captured"
    }
  },
  {
    name: "a capture is sent while the provider may be at one that was lost",
    harm: "Both are executed, and the customer pays twice.",
    edits: [
      {
        file: lostOperation,
        find: 'found.state._tag === "Pending")',
        replace: 'found.state._tag === "Declined")'
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/LostOperations.test.ts",
      test: "given a provider that does not say, then nothing is sent until it does"
    }
  },
  {
    name: "an attempt that was never sent is written after the store lost its claim",
    harm: "The payment has two first attempts, of which one never was.",
    edits: [
      {
        file: "packages/core/src/verbs/create/RecordCharge.ts",
        find: 'fact.on === "ChargeAbandoned" && stored.state === "AwaitingCustomer"',
        replace: 'fact.on === "ChargeAbandoned" && stored.version < 0'
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/LateWriters.test.ts",
      test: "given a page, when it wakes, then nothing is written of its attempt, and the page is used again"
    }
  },
  {
    name: "a report that Adyen does not make is an empty one",
    harm: "Nobody notices that automatic generation is off, and no payment is compared.",
    edits: [
      {
        file: "packages/connectors/adyen/src/Reports.ts",
        find: "if (own !== null) return own",
        replace: 'if (own !== null || date !== "") return own'
      }
    ],
    caughtBy: {
      project: "connector-adyen",
      file: "packages/connectors/adyen/test/Reports.test.ts",
      test: "given a day without a file, when none of the days before has one, then it is unanswered"
    }
  },
  {
    name: "a refund that was guessed by its amount is confirmed",
    harm: "A refund from the provider's dashboard stands in for ours, which the customer never gets.",
    edits: [
      {
        file: "packages/core/src/decide/reconcile/RowStatement.ts",
        find: "refund === undefined || !isNamed(refund, row)",
        replace: "refund === undefined"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ReconcileGuards.test.ts",
      test: "given another refund of the same amount, when ours is unknown, then only an id of ours confirms it"
    }
  },
  {
    name: "statements of a killed run are lost",
    harm: "A run dies before it applies a row, the next file has the row too, and the payment stays wrong.",
    edits: [
      {
        file: "packages/core/src/verbs/reconcile/WeighBatch.ts",
        find: "if (isOver || isApplied) continue",
        replace: "if (isOver || isApplied || number > 0) continue"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ReconcileGuards.test.ts",
      test: "given a newer file with the same rows, then their statements are applied, and the differences end"
    }
  },
  {
    name: "the row of a whole authorization states what was captured",
    harm: "A capture of a part is corrected to all that was authorized, and refunds may give back money that was never taken.",
    edits: [
      {
        file: "packages/core/src/decide/reconcile/PartialCapture.ts",
        find: "return capturedMinor < payment.authorizedMinor ? { capturedMinor, isConfirmed } : undefined",
        replace: "return capturedMinor < 0 ? { capturedMinor, isConfirmed } : undefined"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ReconcilePartialCaptures.test.ts",
      test: "given the authorization first, in 1 reports, then the payment is settled with what was captured"
    }
  },
  {
    name: "a part of a capture that comes back is a failure of all of it",
    harm: "The provider takes back a part, and the merchant does not ship what was paid.",
    edits: [
      {
        file: "packages/core/src/decide/reconcile/WeighRow.ts",
        find: 'kind !== "charge_failed" || capturedMinor === 0',
        replace: 'kind !== "charge_failed" || capturedMinor >= 0'
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ReconcilePartialCaptures.test.ts",
      test: "given another amount than what is captured, then the row is a difference, and states nothing"
    }
  },
  {
    name: "a row belongs to the payment that gave its request up",
    harm: "The payment that took the money is missing in the report, and the one that never charged is captured.",
    edits: [
      {
        file: "packages/storage/sql/src/Settlements.ts",
        find: "coalesce(outcome, '') = 'Abandoned', ",
        replace: ""
      }
    ],
    caughtBy: {
      project: "storage-sqlite",
      file: "packages/storage/sqlite/test/Sqlite.contract.test.ts",
      test: "given an attempt id of several payments, when it is looked up, then it finds the one that was sent"
    }
  },
  {
    name: "remove rows of reports that the archive did not get",
    harm: "What a provider paid for a payment, and kept as its fee, is gone for good with the payment.",
    edits: [
      {
        file: "packages/core/src/verbs/retain/RemovePayments.ts",
        find: "beforeRemoval(yield* withSettlements(tenant, disputed))",
        replace: "beforeRemoval(disputed)"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/SweepStore.test.ts",
      test: "given rows of reports about a payment, when it leaves, then the archive gets them with it"
    }
  },
  {
    name: "a payout counts what the provider corrected",
    harm: "A payout seems to have money that it does not pay, and its rows never add up to it.",
    edits: [
      {
        file: "packages/storage/sql/src/Settlements.ts",
        find: "reason <> 'same_row' and corrected_at is null\"",
        replace: "reason <> 'same_row'\""
      }
    ],
    caughtBy: {
      project: "storage-sqlite",
      file: "packages/storage/sqlite/test/Sqlite.contract.test.ts",
      test: "given rows of two payouts, when one is read, then it has what counts of its own rows, by currency"
    }
  },
  {
    name: "a payout has the rows of another connection",
    harm: "Two providers name a payout alike, and the money of one of them is added to the other's.",
    edits: [
      {
        file: "packages/storage/memory/src/Payouts.ts",
        find: "one.connectionId === connectionId && one.payoutId === payoutId",
        replace: "one.payoutId === payoutId"
      }
    ],
    caughtBy: {
      project: "storage-memory",
      file: "packages/storage/memory/test/Memory.contract.test.ts",
      test: "given rows of two payouts, when one is read, then it has what counts of its own rows, by currency"
    }
  },
  {
    name: "the rest of a payout leaves out its fees",
    harm: "A payout that is complete seems to be short of its fees, and somebody looks for money that is there.",
    edits: [
      {
        file: "packages/core/src/model/Payout.ts",
        find: " - sums.feesMinor + sums.payoutsMinor",
        replace: " + sums.payoutsMinor"
      }
    ],
    caughtBy: {
      project: "console",
      file: "packages/console/test/Reconciliation.test.ts",
      test: "given a payout, then its page has its amounts, and its rows with links to what they are about"
    }
  },
  {
    name: "a version of a row that was corrected counts beside the newest one",
    harm: "The fees and the payout of a payment are counted twice once the provider fills in its payout.",
    edits: [
      {
        file: "packages/core/src/model/SettlementEntry.ts",
        find: "&& corrected === null)",
        replace: "&& corrected !== undefined)"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ReconcileReport.test.ts",
      test: "given a row that comes again with other contents, then the newest version counts, and none is counted twice"
    }
  },
  {
    name: "a row that was corrected stays in the books",
    harm: "The books have the fees of both versions of a row, and the receivable is not what the provider owes.",
    edits: [
      {
        file: "packages/core/src/decide/journal/ReportedEffect.ts",
        find: "movement.isWithdrawn === true",
        replace: 'movement.rowId === ""'
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/EntryMovements.test.ts",
      test: "given a row that the provider corrected, then it is withdrawn, and the receivable is what the newer one says"
    }
  },
  {
    name: "a payment is missing before the provider's delay is over",
    harm: "Operators look for money that the provider reports a day later.",
    edits: [
      {
        file: "packages/core/src/verbs/reconcile/FindMissing.ts",
        find: "Math.min(period.until, now) - delayMillis",
        replace: "Math.min(period.until, now)"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ReconcileReport.test.ts",
      test: "given the provider's delay, when it is not over, then nothing is missing; a late row ends it after"
    }
  },
  {
    name: "a posting is missing",
    harm: "The books do not add up to zero: what a provider owes appears from nowhere.",
    edits: [
      {
        file: "packages/core/src/decide/journal/PostingSum.ts",
        find: "    this.add(account, place, -minorUnits)\n",
        replace: ""
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/Journal.test.ts",
      test: "given a capture, then the provider owes it and it is sold"
    },
    simulatedOn: "memory"
  },
  {
    name: "a refund is posted twice",
    harm: "The books have more refunds than there are, and less income than was earned.",
    edits: [
      {
        file: "packages/core/src/decide/journal/RecordedFacts.ts",
        find: "    refundedMinor = now\n",
        replace: ""
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/Journal.test.ts",
      test: "given refunds of which one failed after it had succeeded, then it is a further transaction"
    },
    simulatedOn: "memory"
  },
  {
    name: "a row that arrives late is posted into a closed month",
    harm: "A month that was exported and closed has other amounts when it is exported again.",
    edits: [
      {
        file: "packages/core/src/decide/journal/PostingDate.ts",
        find: "isOpen ? Math.min(occurredAt, recordedAt) : recordedAt",
        replace: "isOpen ? Math.min(occurredAt, recordedAt) : occurredAt"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/ReadJournal.test.ts",
      test: "given an exported month, when its report arrives after it was closed, then the month stays as it was"
    }
  },
  {
    name: "a row that comes twice is posted twice",
    harm: "A report that is read again moves the provider's balance and the fees again.",
    edits: [
      {
        file: "packages/core/src/decide/journal/Journal.ts",
        find: "      sum.addAll(before.effect.postings, -1)\n",
        replace: ""
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/Journal.test.ts",
      test: "given the same row twice, then it is posted once; given a corrected one, then the difference follows"
    },
    simulatedOn: "memory"
  },
  {
    name: "a fetched report whose rows changed while they were read",
    harm: "Rows that a provider changed while they were read count as read, and the next fetch begins behind them.",
    edits: [
      {
        file: "packages/core/src/verbs/reconcile/FetchReports.ts",
        find: "read.hash === hash ? ",
        replace: 'read.hash !== "" ? '
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/FetchReports.test.ts",
      test: "given rows that change between two readings, then the run does not end, and the next one has them all"
    }
  },
  {
    name: "a fetch that begins anew where a run was killed",
    harm: "A run that was killed stays unfinished for good, and its rows are read again under another window.",
    edits: [
      {
        file: "packages/core/src/verbs/reconcile/FetchReports.ts",
        find: "begun === undefined ? windowsIn",
        replace: "begun !== null ? windowsIn"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/FetchDue.test.ts",
      test: "given a process that dies at page 4, then another goes on with its run, and no row is twice"
    }
  },
  {
    name: "every process fetches the reports that are due",
    harm: "Providers are asked by each server at once, and refuse what is too much.",
    edits: [
      {
        file: "packages/core/src/verbs/reconcile/FetchDue.ts",
        find: '(yield* (yield* Retention).lease({ what: "reports", holder, now, until: now + leaseMillis }))',
        replace:
          '((yield* (yield* Retention).lease({ what: "reports", holder, now, until: now + leaseMillis })) || true)'
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/FetchDue.test.ts",
      test: "given two processes, when reports are due, then one of them asks the provider"
    }
  },
  {
    name: "a provider that fails to give a report is asked without a pause",
    harm: "A provider that refuses is asked again with each look, for as long as the credentials are wrong.",
    edits: [
      {
        file: "packages/core/src/verbs/reconcile/FetchDue.ts",
        find: "(dueAt <= now ? now + retryAfterMillis : dueAt)",
        replace: "dueAt"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/FetchDue.test.ts",
      test: "given a provider that does not answer, then it is asked again in ten minutes and told as late, and others are fetched"
    }
  },
  {
    name: "reports of a connection that is not configured any more",
    harm: "The credentials of a connection that the merchant removed are used for good.",
    edits: [
      {
        file: "packages/core/src/ports/DirectoryPlan.ts",
        find: "present.connections.map(unscheduled)",
        replace: "present.connections"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/DirectoryPlan.test.ts",
      test: "given a connection with scheduled reports that is no longer named, when planned, then none are fetched"
    }
  },
  {
    name: "transactions that PayPal has not listed yet",
    harm: "Rows that PayPal lists later are passed over for good: the next fetch begins behind them.",
    edits: [
      {
        file: "packages/connectors/paypal/src/Reports.ts",
        find: "Protocol.reportMillis(refreshed) < request.createdBefore",
        replace: "Protocol.reportMillis(refreshed) < request.createdFrom"
      }
    ],
    caughtBy: {
      project: "connector-paypal",
      file: "packages/connectors/paypal/test/Reports.test.ts",
      test: "given data that is older than the window's end, then the page is unanswered"
    }
  },
  {
    name: "money that waits at PayPal counts as taken",
    harm: "A payment that PayPal holds is captured by its row, and goods are sent for no money.",
    edits: [
      {
        file: "packages/connectors/paypal/src/Reports.ts",
        find: 'status === "P" && (',
        replace: 'status === "X" && ('
      }
    ],
    caughtBy: {
      project: "connector-paypal",
      file: "packages/connectors/paypal/test/Reports.test.ts",
      test: "given transactions that wait, were denied or only hold money, then they are no rows"
    }
  },
  {
    name: "a settlement of Mollie's that failed",
    harm: "Payments count as paid out although the bank sent the money back.",
    edits: [
      {
        file: "packages/connectors/mollie/src/Reports.ts",
        find: 'isInside && settlement.status === "paidout"',
        replace: "isInside"
      }
    ],
    caughtBy: {
      project: "connector-mollie",
      file: "packages/connectors/mollie/test/Reports.test.ts",
      test: "given many settlements and pages, then each row of those that were paid out in the window comes once"
    }
  },
  {
    name: "a refund that comes back in a settlement of Mollie's",
    harm: "Money that came back counts as refunded, and the customer who did not get it is told that it is.",
    edits: [
      {
        file: "packages/connectors/mollie/src/Reports.ts",
        find: "comes : settled.minorUnits > 0",
        replace: "comes : comes"
      }
    ],
    caughtBy: {
      project: "connector-mollie",
      file: "packages/connectors/mollie/test/Reports.test.ts",
      test: "given money that comes back, or was converted, then the sign and the amount of the settlement count"
    }
  },
  {
    name: "a report row whose sign is not that of its kind",
    harm: "An adapter that writes refunds above 0 moves the books the wrong way.",
    edits: [
      {
        file: "packages/connectors/http/src/Reports.ts",
        find: "  if (!isOfItsSign({ kind, gross: { minorUnits, currency } })) {",
        replace: "  if (false as boolean) {"
      }
    ],
    caughtBy: {
      project: "connector-http",
      file: "packages/connectors/http/test/Reports.test.ts",
      test: 'given a row with a charge below 0, then it is unreadable at "gross", others are not'
    }
  },
  {
    name: "a report of Checkout.com's that has no file to read",
    harm: "A payout is passed over because its report was scheduled as a spreadsheet, and nobody hears of it.",
    edits: [
      {
        file: "packages/connectors/checkout/src/Reports.ts",
        find: "    if (texts.length === 0) {",
        replace: "    if (texts.length < 0) {"
      }
    ],
    caughtBy: {
      project: "connector-checkout",
      file: "packages/connectors/checkout/test/Reports.test.ts",
      test: "given a report without a CSV file, then the list is unanswered and says why, and is never an empty one"
    }
  },
  {
    name: "the rest of a fetched file that cannot be read",
    harm: "Rows behind the place at which a file was cut off are passed over, and the next fetch begins behind them.",
    edits: [
      {
        file: "packages/reconcile/src/ReportText.ts",
        find: "    Stream.mapError(({ column, reason, row }) =>",
        replace: "    Stream.catch(() => Stream.empty),\n    Stream.mapError(({ column, reason, row }: never) =>"
      }
    ],
    caughtBy: {
      project: "server",
      file: "packages/server/test/ScheduledReports.test.ts",
      test: "given a provider that gives files, when they are fetched by hand, then their rows are read, and a cut one is not"
    }
  },
  {
    name: "reports are fetched while records are missing",
    harm: "Rows of refunds that are recovered later stay differences, and somebody looks for money that is there.",
    edits: [
      {
        file: "packages/core/src/verbs/reconcile/FetchDue.ts",
        find: " && !isMissing(one.of.id))",
        replace: ")"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/FetchDue.test.ts",
      test: "given lost records, then a connection is fetched once it is recovered"
    }
  },
  {
    name: "a report without rows forgets up to where payments were looked for",
    harm: "A captured payment that no settlement has is never found, where many reports without rows are between two of them.",
    edits: [
      {
        file: "packages/core/src/verbs/reconcile/FindMissing.ts",
        find: "return end === undefined ? null : windowFrom(end + 1, end)",
        replace: "return null"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/FindMissing.test.ts",
      test: "given more than 100 reports without rows between two settlements, then a payment between is missing"
    }
  },
  {
    name: "a settlement of Mollie's that is still pending",
    harm: "A window counts as read before its settlement is paid out, and no later one asks for it.",
    edits: [
      {
        file: "packages/connectors/mollie/src/Reports.ts",
        find: 'isInside && settlement.status === "pending"',
        replace: '(false as boolean) && settlement.status === "pending"'
      }
    ],
    caughtBy: {
      project: "connector-mollie",
      file: "packages/connectors/mollie/test/Reports.test.ts",
      test: "given a settlement of the window that is pending, then the page is unanswered; one of another is not"
    }
  },
  {
    name: "an answer of PayPal's that does not say how new its data is",
    harm: "Transactions that PayPal lists later are passed over, because their window counts as read.",
    edits: [
      {
        file: "packages/connectors/paypal/src/Reports.ts",
        find: "    if (refreshed == null) {",
        replace: '    if (refreshed === "") {'
      }
    ],
    caughtBy: {
      project: "connector-paypal",
      file: "packages/connectors/paypal/test/Reports.test.ts",
      test: "given an answer that does not say how new its data is, then the page is unanswered"
    }
  },
  {
    name: "a window that was fetched behind a gap",
    harm: "The days between, whose fetches failed, are never asked for, and their money is never compared.",
    edits: [
      {
        file: "packages/core/src/decide/reconcile/FetchedWindow.ts",
        find: "from <= end ? Math.max(end, until) : end",
        replace: "Math.max(end, from, until)"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/FetchGaps.test.ts",
      test: "given a day that was fetched by hand behind a gap, then the next fetch reads the gap, and then goes on"
    }
  },
  {
    name: "a window is fetched while its rows may still come",
    harm: "Rows that the provider lists late are passed over, because the next fetch begins behind them.",
    edits: [
      {
        file: "packages/core/src/verbs/reconcile/FetchReports.ts",
        find: "if (until > listedUntil) {",
        replace: "if (until > now) {"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/FetchReports.test.ts",
      test: "given an order that cannot be carried out, then the refusal names the field and what was expected"
    }
  },
  {
    name: "a report's runs among those of the whole connection",
    harm: "A report that fails while others of the connection go on is begun anew seven days ago, and the days before are never read.",
    edits: [
      {
        file: "packages/core/src/verbs/reconcile/FetchReports.ts",
        find: "connectionId: id, format, limit",
        replace: "connectionId: id, limit"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/FetchGaps.test.ts",
      test: "given 1,000 newer runs of another report, then the next fetch begins where its own one ended"
    }
  },
  {
    name: "a window that a clock fetched ahead of time is an end",
    harm: "Rows of the days by which the clock was ahead are never fetched.",
    edits: [
      {
        file: "packages/core/src/decide/reconcile/FetchedWindow.ts",
        find: "window === undefined || window.until > listedUntil ? [] :",
        replace: "window === undefined ? [] :"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/FetchGaps.test.ts",
      test: "given a clock that was three days ahead, when it is right again, then those days are fetched again"
    }
  },
  {
    name: "a declined charge that is recovered ends a payment with an open attempt",
    harm: "The open attempt captures, nobody looks for its money, and the merchant was told that the payment was declined.",
    edits: [
      {
        file: "packages/core/src/verbs/recover/PlanCharge.ts",
        find: 'return leavesOpen(charge, onFile.named) ? { _tag: "Known" } : planLost(at, charge, onFile, now)',
        replace: "return planLost(at, charge, onFile, now)"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/RecoverRecords.test.ts",
      test: "given the first attempt is under way, when the next one is listed as declined, then the first one decides"
    }
  },
  {
    name: "a wait that a clock ahead of time set is kept",
    harm: "No report of the connection is fetched for as many days as the clock was ahead.",
    edits: [
      {
        file: "packages/core/src/verbs/reconcile/FetchDue.ts",
        find: "  nextAt <= now || nextAt > now + (of.reports?.everyMillis ?? 0) + retryAfterMillis",
        replace: '  nextAt <= now || of.id === ""'
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/FetchDue.test.ts",
      test: "given a clock that was days ahead at a look, when it is right again, then the next look fetches"
    }
  },
  {
    name: "evidence of a clock ahead of time outranks the provider",
    harm: "The provider asks for more evidence, nobody is reminded, and the dispute is lost.",
    edits: [
      {
        file: "packages/core/src/decide/DisputeStatement.ts",
        find: "  const submittedAt = comparableTime(recorded.evidenceSubmittedAt ?? 0, at, now)",
        replace: "  const submittedAt = recorded.evidenceSubmittedAt ?? now - now"
      }
    ],
    caughtBy: {
      project: "core",
      file: "packages/core/test/DisputeClocks.test.ts",
      test: "given evidence of a clock days ahead, when the provider asks for more, then it waits for a response again"
    }
  }
]

/** What a day needs a person for, in words. */
import { standingOf } from "../connections/ConnectionApi.ts"
import type { EnvironmentArea } from "../frame/Navigation.ts"
import { percent, successRange } from "../routing/SuccessRange.ts"
import { countedAtMost, type Day } from "./DayApi.ts"

/** `3 payments`, `1 payment`. */
export const counted = (count: number, what: string, many = `${what}s`): string =>
  `${count} ${count === 1 ? what : many}`

export const bounded = (count: number): string => (count >= countedAtMost ? `${countedAtMost} or more` : String(count))

export interface Todo {
  readonly words: string
  /** What to do, as the text of the link. */
  readonly act: string
  readonly area: EnvironmentArea
  /** Below the area's first page. */
  readonly path?: ReadonlyArray<string>
  readonly query?: string
}

/** What waits longest or costs most comes first. */
export const todosOf = (day: Day): ReadonlyArray<Todo> => [
  ...ofUnknown(day),
  ...ofReviews(day),
  ...ofDisputes(day),
  ...ofConnections(day),
  ...ofApproval(day),
  ...ofAgreement(day)
]

const ofUnknown = ({ reviews, unknown: { older } }: Day): ReadonlyArray<Todo> => {
  if (older === 0) return []
  const words = `${counted(older, "payment")} in doubt for more than a day`
  return reviews === null
    ? [{ words, act: "see which", area: "payments", query: "?status=UNKNOWN" }]
    : [{ words, act: "review them", area: "reviews" }]
}

/** Those beside unknown payments, which are under review too. */
const ofReviews = ({ reviews, unknown }: Day): ReadonlyArray<Todo> => {
  const others = (reviews?.older ?? 0) - unknown.older
  return others <= 0
    ? []
    : [{ words: `${counted(others, "review")} open for more than a day`, act: "settle them", area: "reviews" }]
}

const ofDisputes = ({ disputes: { in_3_days } }: Day): ReadonlyArray<Todo> =>
  in_3_days === 0
    ? []
    : [
        {
          words: `${counted(in_3_days, "dispute")} with a deadline within 3 days`,
          act: "answer them",
          area: "disputes"
        }
      ]

const ofConnections = ({ connections }: Day): ReadonlyArray<Todo> =>
  (connections ?? []).flatMap((connection) => {
    const [tone, text] = standingOf(connection)
    return tone === "bad"
      ? [
          {
            words: `${connection.name}: ${text.toLowerCase()}`,
            act: "see why",
            area: "connections",
            path: [connection.id]
          }
        ]
      : []
  })

/** Only a fall that chance does not explain: the ranges do not meet. */
const ofApproval = ({ approval: { before, today } }: Day): ReadonlyArray<Todo> => {
  const [now, then] = [successRange(today), successRange(before)]
  if (now === undefined || then === undefined || now.high >= then.low) return []
  return [
    {
      words: `${percent(now.rate)} of today’s payments were authorized, and ${percent(then.rate)} in the days before`,
      act: "see the declined ones",
      area: "payments",
      query: "?status=DECLINED"
    }
  ]
}

const ofAgreement = ({ agreement }: Day): ReadonlyArray<Todo> => {
  if (agreement === null) return []
  const open = agreement.differences.reduce((sum, { count }) => sum + count, 0)
  const failed = agreement.reports.flatMap(
    ({ name, newest }): ReadonlyArray<Todo> =>
      newest?.state === "failed"
        ? [
            {
              words: `The newest report of ${name} could not be read to its end`,
              act: "see why",
              area: "reconciliation",
              path: ["reports", newest.id]
            }
          ]
        : []
  )
  return [
    ...failed,
    ...(open === 0
      ? []
      : [
          {
            words: `${counted(open, "difference")} between reports and records`,
            act: "explain them",
            area: "reconciliation",
            path: ["differences"]
          } as const
        ])
  ]
}

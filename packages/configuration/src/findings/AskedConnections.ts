/** Which connections a part of the settings may ever ask, whatever is drawn and whichever circuit is open. Pure. */
import type { RoutingMode } from "@pointsman/core"

export interface CourseSettings {
  readonly mode: RoutingMode
  readonly order?: ReadonlyArray<string> | undefined
  readonly split?: Readonly<Record<string, number>> | undefined
}

export interface AskedConnections {
  readonly asked: ReadonlyArray<string>
  /** Named, and never asked all the same, with what the settings do instead. */
  readonly passedOver: ReadonlyArray<{ readonly id: string; readonly because: string }>
  /** The settings name them: that one of them is never asked is worth a word. */
  readonly areNamed: boolean
}

/** `active`: the ids of the connections that are active. */
export const askedConnections = (
  { mode, order, split }: CourseSettings,
  active: ReadonlyArray<string>
): AskedConnections => {
  const drawn = Object.entries(split ?? {}).flatMap(([id, weight]) => (weight === 0 ? [] : [id]))
  const named = order ?? (split === undefined ? undefined : Object.keys(split))
  if (mode !== "fixed") {
    return { asked: [...new Set([...drawn, ...(named ?? active)])], passedOver: [], areNamed: named !== undefined }
  }
  const first = named?.[0]
  // Without an order it is the first by priority of those that can do what is asked, such as open a checkout: any.
  if (first === undefined) return { asked: active, passedOver: [], areNamed: false }
  const asked = drawn.length > 0 ? drawn : [first]
  const because =
    drawn.length > 0 ? "mode fixed tries only the connections of the split" : `mode fixed tries only ${first}`
  const passedOver = [...new Set(named)].filter((id) => !asked.includes(id)).map((id) => ({ id, because }))
  return { asked, passedOver, areNamed: true }
}

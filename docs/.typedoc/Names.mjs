/** Names a module of the reference as it is imported: `@pointsman/core/connector`, not by its file. */
import { Converter } from "typedoc"
import { doors } from "./Doors.mjs"

/** @param {import("typedoc").Application} app */
export const load = (app) => {
  const names = new Map(doors().map(({ file, name }) => [file, name]))
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, (context) => {
    for (const module of context.project.children ?? []) {
      const file = context.project.files.getReflectionPath(module)
      module.name = names.get(file ?? "") ?? module.name
    }
  })
}

// The packages' TypeScript, without a build.
import { registerHooks } from "node:module"

registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier, { ...context, conditions: [...context.conditions, "@pointsman/source"] })
})

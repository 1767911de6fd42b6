export { definition, definition as default } from "./NewProviderConnector.ts"

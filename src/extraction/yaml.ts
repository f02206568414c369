/** The parts of the YAML library that are in use. Dynamic imports of a CommonJS package have no such names in a bundle. */
export { isScalar, parseDocument, stringify, visit } from "yaml";

import { runCommand } from "../../scripts/run_command.ts";

/** Version of the registry whose source contains the schemas that it checks entries with. */
const REGISTRY = "github.com/modelcontextprotocol/registry@v1.8.8";
const AJV = "npm:ajv@8.20.0";
const AJV_FORMATS = "npm:ajv-formats@3.0.1";

interface Ajv {
  validate(schema: object, value: unknown): boolean;
  readonly errors: unknown;
}

/**
 * Validates `server.json` by the schema that its `$schema` names, as the MCP registry does. The schema comes from the
 * registry's Go module; nothing of the module is built or run.
 *
 * @returns Whether the module could be downloaded; without it, nothing is checked.
 * @throws {Error} When server.json is invalid.
 */
export async function validateServerJson(): Promise<boolean> {
  const folder = await registryFolder();
  if (folder === undefined) return false;
  const server = JSON.parse(await Deno.readTextFile("server.json"));
  const date = /schemas\/([\d-]+)\/server\.schema\.json$/.exec(server.$schema)?.[1];
  const schema = JSON.parse(await Deno.readTextFile(`${folder}/internal/validators/schemas/${date}.json`));
  const { default: Ajv }: { default: new (options: object) => Ajv } = await import(AJV);
  const { default: addFormats }: { default: (ajv: Ajv) => void } = await import(AJV_FORMATS);
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats(ajv);
  if (ajv.validate(schema, server)) return true;
  throw new Error(`server.json does not match its schema: ${JSON.stringify(ajv.errors, undefined, 2)}`);
}

async function registryFolder(): Promise<string | undefined> {
  try {
    const { code, output } = await runCommand(["go", "mod", "download", "-json", REGISTRY]);
    return code === 0 ? JSON.parse(output).Dir : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

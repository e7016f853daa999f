// Writes the types of api.d.ts from the OpenAPI document of a server:
//
//     node generate.mjs http://127.0.0.1:8080/api/v1/openapi.json > api.d.ts
//
// It includes the schemas that respondents and viewers of results need, and the schemas that these refer to.

import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const roots = ["Answer", "Ask", "Outcome", "Problem", "Question", "Skip", "Undo", "Verdict"];

/** Returns the TypeScript type of a schema. */
function typeOf(schema) {
  if (schema.$ref) return schema.$ref.split("/").pop();
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(" | ");
  switch (schema.type) {
    case "array":
      return `${wrapped(typeOf(schema.items))}[]`;
    case "object":
      return schema.additionalProperties ? `Record<string, ${typeOf(schema.additionalProperties)}>` : "object";
    case "integer":
      return "number";
    case "string":
    case "boolean":
    case "number":
    case "null":
      return schema.type;
    default:
      return "unknown";
  }
}

const wrapped = (type) => (type.includes(" ") ? `(${type})` : type);

/** Returns the names of the schemas that a schema refers to. */
function references(schema) {
  return [...JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map((match) => match[1]);
}

function comment(text, indent = "") {
  return text ? `${indent}/** ${text.replaceAll("*/", "*\\/")} */\n` : "";
}

/** Returns the declaration of a schema. */
function declaration(name, schema) {
  const fields = Object.entries(schema.properties ?? {}).filter(([field]) => field !== "$schema");
  const lines = fields.map(([field, value]) => {
    const optional = schema.required?.includes(field) ? "" : "?";
    return `${comment(value.description, "  ")}  ${field}${optional}: ${typeOf(value)};\n`;
  });
  return `${comment(schema.description)}export interface ${name} {\n${lines.join("")}}\n`;
}

/** Returns the contents of api.d.ts for an OpenAPI document. */
export function generate(document) {
  const schemas = document.components.schemas;
  const wanted = new Set();
  const add = (name) => {
    if (!wanted.has(name)) {
      wanted.add(name);
      references(schemas[name]).forEach(add);
    }
  };
  roots.forEach(add);
  const head = "// Generated from the OpenAPI document of bestpick by generate.mjs. Do not edit.\n";
  return [head, ...[...wanted].sort().map((name) => declaration(name, schemas[name]))].join("\n");
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const source = process.argv[2] ?? "http://127.0.0.1:8080/api/v1/openapi.json";
  const text = /^https?:/.test(source) ? await (await fetch(source)).text() : await readFile(source, "utf8");
  process.stdout.write(generate(JSON.parse(text)));
}

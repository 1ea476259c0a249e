/* check.mjs FILE...: is a file as GitHub or GitLab takes it? A workflow is held to
 * the schema that action-validator has, a file of GitLab to GitLab's own, which
 * gitlab-ci-local has, and a form for issues to what GitHub documents of those
 * members that ours have. What is wrong is printed, each with its file. */
import {readFileSync} from "node:fs";
import {basename} from "node:path";
import Ajv from "ajv";
import yaml from "js-yaml";
import validator from "@action-validator/core";
import {schema as gitlabSchema} from "gitlab-ci-local/src/schema/schema.js";

/* Its schema has keywords and formats of its editor, too. */
const gitlab = new Ajv({strict: false, validateFormats: false}).compile(gitlabSchema);

const text = {type: "string", minLength: 1};
const object = (properties, ...required) =>
  ({type: "object", properties, required, additionalProperties: false});
const item = (types, attributes, needed) => object({type: {enum: types}, id: text,
  attributes: object(attributes, needed),
  validations: object({required: {type: "boolean"}})}, "type", "attributes");

const config = new Ajv().compile(object({blank_issues_enabled: {type: "boolean"}}));
const form = new Ajv().compile(object({
  name: text, description: text, labels: {type: "array", items: text},
  body: {type: "array", minItems: 1, items: {
    type: "object",
    if: {properties: {type: {const: "markdown"}}},
    then: item(["markdown"], {value: text}, "value"),
    else: item(["input", "textarea"], {label: text, description: text,
      placeholder: text, render: text}, "label")}},
}, "name", "description", "body"));

/* What reads a file: by its name. */
function schemaOf(file) {
  return basename(file).includes("gitlab") ? gitlab :
    !file.includes("ISSUE_TEMPLATE/") ? null :
      basename(file) === "config.yml" ? config : form;
}

/* The innermost: that none of several forms fits does not say why. */
const reasons = (error) => error.states?.length ?
  error.states.flatMap((state) => state.errors.flatMap(reasons)) :
  [`${error.path ?? ""} ${error.detail || error.title}`];

let found = 0;
for (const file of process.argv.slice(2)) {
  const content = readFileSync(file, "utf8");
  const schema = schemaOf(file);
  const wrong = !schema ? validator.validateWorkflow(content).errors.flatMap(reasons) :
    schema(yaml.load(content)) ? [] :
      schema.errors.map((e) => `${e.instancePath} ${e.message}`);

  for (const what of new Set(wrong))
    console.log(`${file}: ${what}`);
  found += wrong.length;
}
process.exit(found > 0 ? 1 : 0);

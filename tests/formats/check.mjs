/* check.mjs FILE...: is a file as GitHub or GitLab takes it? A workflow is held to
 * the schema that action-validator has, and a file of GitLab to GitLab's own, which
 * gitlab-ci-local has. What is wrong is printed, each with its file. */
import {readFileSync} from "node:fs";
import {basename} from "node:path";
import Ajv from "ajv";
import yaml from "js-yaml";
import validator from "@action-validator/core";
import {schema} from "gitlab-ci-local/src/schema/schema.js";

/* Its schema has keywords and formats of its editor, too. */
const gitlab = new Ajv({strict: false, validateFormats: false}).compile(schema);

/* The innermost: that none of several forms fits does not say why. */
const reasons = (error) => error.states?.length ?
  error.states.flatMap((state) => state.errors.flatMap(reasons)) :
  [`${error.path ?? ""} ${error.detail || error.title}`];

let found = 0;
for (const file of process.argv.slice(2)) {
  const text = readFileSync(file, "utf8");
  const wrong = basename(file).includes("gitlab") ?
    gitlab(yaml.load(text)) ? [] :
      gitlab.errors.map((e) => `${e.instancePath} ${e.message}`) :
    validator.validateWorkflow(text).errors.flatMap(reasons);

  for (const what of new Set(wrong))
    console.log(`${file}: ${what}`);
  found += wrong.length;
}
process.exit(found > 0 ? 1 : 0);

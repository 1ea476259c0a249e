/* eslint.config.mjs: what JavaScript is held to: nothing that is surely a
 * mistake, and one layout. The scripts of a timeline's page are one script, of
 * which run.sh makes one file. */
import js from "@eslint/js";
import stylistic from "@stylistic/eslint-plugin";
import globals from "globals";

const layout = {
  "array-bracket-spacing": "never",
  "arrow-parens": "always",
  "brace-style": ["1tbs", {allowSingleLine: true}],
  "comma-dangle": "only-multiline",
  "eol-last": "always",
  "keyword-spacing": {},
  "max-len": [{code: 100, ignoreRegExpLiterals: true}],
  "no-tabs": {},
  "no-trailing-spaces": {},
  "object-curly-spacing": "never",
  "quotes": ["double", {avoidEscape: true, allowTemplateLiterals: "avoidEscape"}],
  "semi": "always",
  "space-before-blocks": "always",
};
const rules = Object.fromEntries(Object.entries(layout).map(([rule, how]) =>
  [`@stylistic/${rule}`, ["error", ...[how].flat()]]));

export default [
  {ignores: ["**/node_modules/**", "build/**"]},
  js.configs.recommended,
  {
    plugins: {"@stylistic": stylistic},
    languageOptions: {ecmaVersion: 2022, globals: {...globals.browser,
      ...globals.worker, ...globals.serviceworker, ...globals.node}},
    rules: {
      ...rules,
      "eqeqeq": "error",
      "no-regex-spaces": "off",
      "no-unused-vars": ["error", {argsIgnorePattern: "^_"}],
      "no-useless-escape": "off", // a page holds no "</script>"
      "no-var": "error",
      "prefer-const": "error",
    },
  },
  {
    files: ["timeline/page/*"],
    rules: {"no-undef": "off", "no-unused-vars": "off"},
  },
];

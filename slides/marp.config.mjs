/* marp.config.mjs: how Marp renders the decks. tool/build.mjs runs it. */
import {fileURLToPath} from "node:url";

const near = (name) => fileURLToPath(new URL(name, import.meta.url));

export default {
  themeSet: [near("theme.css")],
  html: true,
  bespoke: {progress: true},
  options: {math: false, markdown: {breaks: false},
    emoji: {unicode: false, shortcode: false}},
  browser: "chrome",
  browserPath: process.env.CHROMIUM,
  browserTimeout: 120,
};

/* search-options.js: how the index is made, and read. */
export const OPTIONS = {
  fields: ["title", "heading", "text"], storeFields: ["title", "heading"],
  searchOptions: {boost: {title: 2, heading: 3}, prefix: true,
    fuzzy: (word) => word.length > 4 ? 0.2 : false, combineWith: "AND"},
};

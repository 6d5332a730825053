/** Building elements. Every text goes through textContent: names come from strangers. */

/**
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {{[name: string]: string|boolean|undefined}} [attributes] `text` sets the text, true a bare attribute.
 * @param {...(Node|string)} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (name === "text") made.textContent = String(value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

/**
 * Return the element, or say which one the page lacks.
 * @param {string} selector @param {ParentNode} [root]
 * @returns {HTMLElement}
 */
export function need(selector, root = document) {
  const found = root.querySelector(selector);
  if (!(found instanceof HTMLElement)) throw new Error(`The page has no element ${selector}.`);
  return found;
}

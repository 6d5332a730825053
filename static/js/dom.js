/** Builds elements. All texts are set by textContent, because names come from strangers. */

/**
 * Return a new element.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {{[name: string]: string|boolean|undefined}} [attributes] `text` sets the text; true sets an attribute without a value.
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
 * Return an element of the page. Throws an error that names its selector if there is none.
 * @param {string} selector @param {ParentNode} [root]
 * @returns {HTMLElement}
 */
export function need(selector, root = document) {
  const found = root.querySelector(selector);
  if (!(found instanceof HTMLElement)) throw new Error(`The page has no element ${selector}.`);
  return found;
}

"""How pages name their scripts."""

from __future__ import annotations

from django import template
from django.templatetags.static import static
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from portal.staticfiles import imported

register = template.Library()


@register.simple_tag
def module(name: str) -> SafeString:
    """Return the tag of a JavaScript module, after links to all that it imports.

    Without the links the browser finds a module only once it has read the one that imports it: a page over a slow
    line would wait for as many answers, one after the other, as imports lie behind each other.
    """
    links = format_html_join("", '<link rel="modulepreload" href="{}">', ((address,) for address in imported(name)))
    return format_html('{}<script type="module" src="{}"></script>', links, static(name))

package io.loligo.server.exchange.settings.pages;

import java.util.List;

/**
 * The built-in page of one failure in one language, and its texts for other forms. Immutable.
 *
 * @param failing the failure
 * @param title a few words; no fact is in it
 * @param text what has happened
 * @param who the party that is responsible, in words
 * @param steps what the reader may try
 * @param html the whole page; %y is the style of all pages, %l a further style element, %k status
 *     and name, %v the rows of details
 */
public record BuiltInPage(
    Failing failing,
    String title,
    PageTemplate text,
    PageTemplate who,
    List<PageTemplate> steps,
    PageTemplate html) {}

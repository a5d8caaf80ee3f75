package io.loligo.server.helper;

/**
 * A {@code key=value} of an answer. Immutable.
 *
 * @param key letters, digits, {@code -} and {@code _}
 * @param value decoded; each character is one byte (ISO 8859-1), control bytes included
 */
public record HelperPair(String key, String value) {}

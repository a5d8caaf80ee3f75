package io.loligo.core.config;

import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * Which words are right for a directive of type {@link ValueType#TEXT} or {@link ValueType#PATH}.
 * Immutable.
 *
 * @param expected the right form, for the error message
 * @param test whether a word has that form
 * @param advice what to write instead of a wrong word; may return an empty string
 */
record WordCheck(String expected, Predicate<String> test, UnaryOperator<String> advice) {}

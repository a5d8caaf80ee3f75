package io.loligo.core.config;

import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * A check of words for a directive of type {@link ValueType#TEXT} or {@link ValueType#PATH}.
 * Immutable.
 *
 * @param expected the correct form, for the error message
 * @param test whether a word has that form
 * @param advice the replacement of a wrong word; may return an empty string
 */
record WordCheck(String expected, Predicate<String> test, UnaryOperator<String> advice) {}

package io.loligo.server.upstream.names;

import java.util.List;

/**
 * An answer in a cache, for operators. Immutable.
 *
 * @param question the name or address that was asked for
 * @param answers addresses, or a name; empty: there are none
 * @param seconds how long it is kept
 */
public record CachedAnswer(String question, List<String> answers, long seconds) {}

package io.loligo.server.exchange.hit;

import io.loligo.core.caching.CacheDecision;
import io.loligo.core.message.FieldLines;

/**
 * What came of asking the next hop, before a stored response answers all the same.
 *
 * @param why the decision by which it was asked
 * @param status of its answer; 0: there was none
 * @param lines of its answer that are for the client that asked and for nobody else
 */
public record Answered(CacheDecision why, int status, FieldLines lines) {}

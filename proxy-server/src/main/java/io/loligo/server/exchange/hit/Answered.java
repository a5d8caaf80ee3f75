package io.loligo.server.exchange.hit;

import io.loligo.core.caching.CacheDecision;
import io.loligo.core.message.FieldLines;

/**
 * The outcome of a request to the next hop, if a stored response is sent instead of its response.
 *
 * @param why the decision that caused the request
 * @param status the status of the next hop's response; 0: there was none
 * @param lines field lines of that response that only the requesting client gets
 */
public record Answered(CacheDecision why, int status, FieldLines lines) {}

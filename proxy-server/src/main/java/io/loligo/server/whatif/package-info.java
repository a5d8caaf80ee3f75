/**
 * The hit ratio that a cache of another size would have: {@link WhatIf} gets samples of the
 * requests from the event loops and gives a {@link SizeForecast} for memory and disk. A {@link
 * MissRatioCurve} keeps a few thousand keys of a tier.
 *
 * <p>It knows {@code record} and the decisions of {@code proxy-core}. Event loops write into rings;
 * one thread reads them, and publishes the forecast for any thread.
 */
@NullMarked
package io.loligo.server.whatif;

import org.jspecify.annotations.NullMarked;

/**
 * The hit ratio that a cache of another size would have: {@link WhatIf} gets samples of the
 * requests from the event loops and gives a {@link SizeForecast} for memory and disk. A {@link
 * SizeTrial} simulates a cache of one size for a few thousand keys.
 *
 * <p>It knows {@code record}, the decisions of {@code proxy-core}, and the policies of {@code
 * proxy-store}. Event loops write into rings; one thread reads them, and publishes the forecast for
 * any thread.
 */
@NullMarked
package io.loligo.server.whatif;

import org.jspecify.annotations.NullMarked;

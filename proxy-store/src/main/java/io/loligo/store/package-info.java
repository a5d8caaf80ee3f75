/**
 * The front door of the store and the tiers behind it. The server uses {@link Store} only; {@link
 * TieredStore} assembles the fetches in flight, the memory tier and the directories on disk. It
 * uses all other packages of the store; none of them uses it. Any event loop may call it; no call
 * blocks.
 */
@NullMarked
package io.loligo.store;

import org.jspecify.annotations.NullMarked;

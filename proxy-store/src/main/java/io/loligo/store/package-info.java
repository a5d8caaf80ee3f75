/**
 * The front door of the store and the tiers behind it. {@link Store} is all that the server needs;
 * {@link TieredStore} puts the fetches under way, the memory tier and the directories on disk
 * together. It uses all other packages of the store, and none of them uses it. Any event loop may
 * call it; no call blocks.
 */
package io.loligo.store;

package io.loligo.core.message;

/**
 * The name under which the responses to a request are stored in place of its URL. Immutable.
 *
 * @param text the name; each character is one byte
 * @param key the key that it has in the store: the normal form of a URL, see {@link
 *     io.loligo.core.caching.CacheKeys#storeId}
 */
public record StoreId(String text, String key) {}

/** Keys of stored responses that are not those of URLs. */
package io.loligo.store.keys;

/**
 * Making space: choosing a segment, deciding which responses stay, and moving them. Writes use it;
 * it uses the index and the parts below. It reads and writes: its calls belong to disk threads.
 */
@NullMarked
package io.loligo.store.disk.space;

import org.jspecify.annotations.NullMarked;

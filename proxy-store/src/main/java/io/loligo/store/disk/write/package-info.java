/**
 * Writing responses: whole ones from memory, and others while they arrive; and the buffers and
 * footers of segments. Only the directory uses it; it uses the context and the parts below, and
 * neither read nor start. Calls that wait for space or a file belong to disk threads.
 */
@NullMarked
package io.loligo.store.disk.write;

import org.jspecify.annotations.NullMarked;

/**
 * Loading responses from heads in memory, from buffers and from slabs. Only the directory uses it;
 * it uses the context and the parts below, and neither write nor start. Reads belong to disk
 * threads, except for {@link Loader#loadNow}, which never waits: any thread.
 */
@NullMarked
package io.loligo.store.disk.read;

import org.jspecify.annotations.NullMarked;

/**
 * The JVM that the proxy runs in: its flags where the operator gave none. {@code boot} calls it
 * first of all, on the main thread; it uses no other package of the proxy.
 */
@NullMarked
package io.loligo.server.launch;

import org.jspecify.annotations.NullMarked;

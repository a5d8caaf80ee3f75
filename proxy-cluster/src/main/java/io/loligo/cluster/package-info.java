/**
 * A cluster of proxies, without HTTP and without stored responses.
 *
 * <p>The work of a node is one sequence of {@link io.loligo.cluster.Steps steps}; nothing here
 * takes a lock or waits. {@code proxy-server} loads these classes only if a line asks for a
 * cluster, and is the only user.
 */
@NullMarked
package io.loligo.cluster;

import org.jspecify.annotations.NullMarked;
